package import ImportModel

extension Pipeline {
  /// Reads a pipeline file.
  ///
  /// - Parameters:
  ///   - text: The file's text: YAML.
  ///   - file: The file as the user named it, for messages.
  ///   - directory: The file's directory, which a relative `store` starts from.
  ///   - alsoChecking: What else can be wrong with a pipeline that could be read to its end.
  /// - Throws: `PipelineError` with everything that is wrong, of form and of meaning, in order.
  package init(
    yaml text: String, file: String, directory: String,
    alsoChecking: (Pipeline) -> [PipelineProblem] = { _ in [] }
  ) throws(PipelineError) {
    let document: YAMLDocument
    do {
      document = try YAMLDocument(text)
    } catch {
      let problem = PipelineProblem(file: file, location: error.place, message: error.message.text)
      throw PipelineError(problems: [problem])
    }
    guard let top = document.top else {
      let problem = PipelineProblem(file: file, location: nil, message: Message.emptyFile.text)
      throw PipelineError(problems: [problem])
    }
    var reader = PipelineFile(YAMLReader(document, file: file), file: file, directory: directory)
    let pipeline = reader.pipeline(top)
    let problems = reader.problems(with: pipeline, alsoChecking)
    guard problems.isEmpty else { throw PipelineError(problems: problems) }
    self = pipeline
  }
}

/// Reads the top level of a pipeline file.
struct PipelineFile {
  private var reader: YAMLReader
  private let file: String
  private let directory: String

  init(_ reader: YAMLReader, file: String, directory: String) {
    self.reader = reader
    self.file = file
    self.directory = directory
  }

  /// All problems: those of the file's form, and those of the pipeline's meaning.
  func problems(
    with pipeline: Pipeline, _ alsoChecking: (Pipeline) -> [PipelineProblem]
  ) -> [PipelineProblem] {
    let meaning = PipelineCheck(pipeline, unread: reader.unread).problems()
    // An attribute that could not be read would make every expression that names it look wrong.
    let further = reader.unread.isEmpty && !pipeline.isTooLarge ? alsoChecking(pipeline) : []
    return (reader.problems + meaning + further).sortedByLocation()
  }

  /// The pipeline that the file describes, as far as it can be read.
  mutating func pipeline(_ top: YAMLPart) -> Pipeline {
    reader.note([], at: top.place)
    var pipeline = Pipeline(name: nameOfFile, entity: "", model: Model(), fields: [])
    guard let settings = reader.settings(of: top, allowed: .pipeline) else {
      return pipeline
    }
    readVersion(settings["bolide"], top)
    if let name = settings["name"].flatMap({ reader.text($0) }) { pipeline.name = name }
    if let store = settings["store"].flatMap({ reader.text($0) }) { pipeline.store = resolved(store) }
    if let entity = settings["entity"].flatMap({ reader.text($0) }) { pipeline.entity = entity }
    if let checks = settings["check"].flatMap({ reader.texts($0) }) { pipeline.checks = checks }
    if let author = settings["author"].flatMap({ reader.text($0) }) { pipeline.author = author }
    if let keeps = settings["keep-text"].flatMap({ reader.boolean($0) }) { pipeline.keepsText = keeps }
    if let merge = settings["merge"].flatMap({ MergeFile.policy($0, &reader) }) {
      pipeline.mergePolicy = merge
    }
    if let repeated = settings["repeated-key"].flatMap({ reader.choice($0, among: MergeFile.repeatedKeys) }) {
      pipeline.repeatedKeyPolicy = repeated
    }
    if let feed = settings["feed"].flatMap({ reader.choice($0, among: Self.feeds) }) { pipeline.feed = feed }
    if let gone = settings["gone"].flatMap({ MergeFile.gone($0, &reader) }) { pipeline.gone = gone }
    if let count = settings["count"].flatMap({ reader.choice($0, among: Self.counts) }) {
      pipeline.count = count
    }
    pipeline.maxAge = SettingsFile.age(settings["max-age"], &reader)
    pipeline.settings = SettingsFile.settings(settings, &reader)
    pipeline.history = settings["history"].flatMap { RetentionFile.retention($0, &reader) }
    pipeline.records = recordLocation(settings)
    if let link = settings["link"] { pipeline.links = LinkFile.links(link, &reader) }
    readEntities(settings, into: &pipeline)
    // An attribute that says nothing of a field of its own name has none, where it is the mark.
    if case .mark(let name) = pipeline.gone {
      let isSaid = reader.sourceMap.contains(["attributes", name, "from"])
      pipeline.fields.removeAll { $0 == Field(name) && !isSaid }
    }
    if let missing = settings["missing"].flatMap({ reader.texts($0, emptyAllowed: true) }) {
      pipeline.takeMissing(missing)
    }
    pipeline.sourceMap = reader.sourceMap
    return pipeline
  }

  private mutating func readVersion(_ setting: YAMLPart?, _ top: YAMLPart) {
    guard let setting else {
      return reader.report(.noVersion, at: top.place)
    }
    guard let text = reader.text(setting), text != "1" else { return }
    reader.report(.otherVersion(text), at: setting.place)
  }

  private mutating func readEntities(_ settings: [String: YAMLPart], into pipeline: inout Pipeline) {
    var entities = EntityFile(reader)
    let main = entities.entity(named: pipeline.entity, settings, at: [], bringsRecords: true)
    pipeline.fields = entities.fields
    pipeline.model = Model(entities: [main])
    if let others = settings["entities"] {
      pipeline.model.entities += entities.entities(others, besides: pipeline.entity)
    }
    pipeline.renames = entities.renames
    if let children = settings["children"] {
      ChildrenFile.read(children, into: &pipeline, &entities.reader)
    }
    entities.completeRelationships(of: &pipeline)
    entities.completeTypes(of: &pipeline)
    reader = entities.reader
  }

  // MARK: Records

  /// Where the records are: `records` says a path, `shape` a form, `columns` the names of bare rows.
  private mutating func recordLocation(_ settings: [String: YAMLPart]) -> RecordLocation {
    let path = settings["records"].flatMap { reader.text($0) }
    let names = settings["columns"].flatMap { reader.texts($0) }
    let shape = settings["shape"].flatMap { reader.choice($0, among: Self.shapes) }
    let delimiter = delimiter(settings["delimiter"], shape)
    if let setting = settings["records"], delimiter != nil {
      reader.report(.recordsWithCells, at: setting.place)
    }
    if let delimiter { return .delimited(by: delimiter, names: names) }
    let allowed: [Shape?] = settings["columns"] == nil ? [nil, .automatic, .array] : [nil, .rows]
    if let setting = settings["records"], !allowed.contains(shape) {
      reader.report(.recordsWithShape, at: setting.place)
    }
    if let setting = settings["columns"], ![nil, .rows].contains(shape) {
      reader.report(.columnsWithShape, at: setting.place)
    }
    if let setting = settings["shape"], shape == .rows, settings["columns"] == nil {
      reader.report(.rowsWithoutColumns, at: setting.place)
    }
    if let names { return .rows(names: names, path: path ?? "") }
    if let path { return .path(path) }
    return switch shape {
    case .columnar: .columnar
    case .lines: .lines
    case .array: .path("")
    case nil, .automatic, .rows, .csv, .tsv: .automatic
    }
  }

  /// What stands between the cells of delimited text; nil for JSON.
  private mutating func delimiter(_ setting: YAMLPart?, _ shape: Shape?) -> UInt8? {
    if let setting, shape != .csv { reader.report(.delimiterWithShape, at: setting.place) }
    switch shape {
    case .csv:
      guard let setting else { return UInt8(ascii: ",") }
      return reader.value(setting, .delimiter, Self.delimiter) ?? UInt8(ascii: ",")
    case .tsv: return UInt8(ascii: "\t")
    default: return nil
    }
  }

  private static func delimiter(_ text: String) -> UInt8? {
    guard text.utf8.count == 1, let byte = text.utf8.first, byte == 0x09 || (0x20..<0x7f).contains(byte)
    else {
      return nil
    }
    let character = Character(UnicodeScalar(byte))
    return character == "\"" || character.isLetter || character.isNumber ? nil : byte
  }

  enum Shape {
    case automatic, array, columnar, lines, rows, csv, tsv
  }

  static let shapes: [(word: String, choice: Shape)] = [
    ("automatic", .automatic), ("array", .array), ("columnar", .columnar), ("lines", .lines), ("rows", .rows),
    ("csv", .csv), ("tsv", .tsv),
  ]

  static let feeds: [(word: String, choice: Feed)] = [("window", .window), ("full", .full)]

  static let counts: [(word: String, choice: FeedCount)] = [
    ("total", .total), ("exact", .exact), ("ignore", .ignore),
  ]

  // MARK: Paths

  /// The file's name without its directory and ending.
  private var nameOfFile: String {
    let base = file.utf8.split(separator: UInt8(ascii: "/")).last ?? file.utf8[...]
    guard let dot = base.lastIndex(of: UInt8(ascii: ".")), dot > base.startIndex else {
      return String(decoding: base, as: UTF8.self)
    }
    return String(decoding: base[..<dot], as: UTF8.self)
  }

  private func resolved(_ path: String) -> String {
    if path.isServerAddress { return path }
    let slash = UInt8(ascii: "/")
    if path.utf8.first == slash || directory.isEmpty || directory == "." { return path }
    return directory.utf8.last == slash ? directory + path : "\(directory)/\(path)"
  }
}
