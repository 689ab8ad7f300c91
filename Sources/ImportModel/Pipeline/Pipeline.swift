/// A declared import: which records, how they become an entity's objects, and what rules hold.
///
/// Read from a file or built in code; a plain value either way.
public struct Pipeline: Sendable, Hashable, Encodable {
  /// How runs and history know the pipeline.
  public var name: String
  /// The store's path, if the pipeline names one.
  ///
  /// From a file, it is relative to that file and already resolved.
  public var store: String?
  /// The entity that a record becomes.
  public var entity: String
  /// The entity itself and what it is related to.
  public var model: Model
  /// Texts that mean null in every field that does not say its own.
  ///
  /// What is read from a file has them in its fields, too.
  public var missing: [String] = []
  /// Where an attribute's value comes from, one for each attribute that records bring.
  public var fields: [Field]
  /// Expressions that hold for every record.
  public var checks: [String]
  /// The to-one relationships that the import makes.
  public var links: [Link]
  /// The nested arrays of a record that become rows of other entities.
  public var children: [Children] = []
  /// What was called otherwise before.
  public var renames: [Rename] = []
  /// Where the records are in the input.
  public var records: RecordLocation
  /// What it means that a row is not in the input.
  public var feed = Feed.window
  /// What becomes of rows that a full feed has no more.
  public var gone = GonePolicy.keep
  /// What `count` in the input's envelope counts; nil where the envelope tells.
  public var count: FeedCount?
  /// What a record does to a row that has its key.
  public var mergePolicy: MergePolicy
  /// Which record counts when several of one input have the same key; nil for the last, and an import tells where they
  /// differ.
  public var repeatedKeyPolicy: RepeatedKeyPolicy?
  /// The author of the changes in history; nil for the pipeline's name.
  public var author: String?
  /// Whether the text of a rejected record is kept with its reject.
  public var keepsText: Bool
  /// How old its last good run may be before it is overdue, in seconds; nil for no limit.
  public var maxAge: Double?
  /// How its imports run, unless a command or a program says otherwise.
  public var settings = ImportSettings()
  /// How long the store keeps history after this pipeline's imports; nil for as long as it is not too large.
  public var history: HistoryRetention?
  /// Where each part stands in the file, for messages; empty when the pipeline was built in code.
  package var sourceMap: SourceMap

  /// Makes a pipeline in code.
  ///
  /// Nothing is checked here: a store checks a pipeline before it runs it, and `problems()` tells at any
  /// time.
  public init(
    name: String, entity: String, model: Model, fields: [Field], checks: [String] = [], links: [Link] = [],
    records: RecordLocation = .automatic, mergePolicy: MergePolicy = .update,
    repeatedKeyPolicy: RepeatedKeyPolicy? = nil, author: String? = nil, store: String? = nil,
    keepsText: Bool = true
  ) {
    self.name = name
    self.entity = entity
    self.model = model
    self.fields = fields
    self.checks = checks
    self.links = links
    self.records = records
    self.mergePolicy = mergePolicy
    self.repeatedKeyPolicy = repeatedKeyPolicy
    self.author = author
    self.store = store
    self.keepsText = keepsText
    self.sourceMap = SourceMap()
  }

  /// Takes the texts that mean null for every field that does not say its own.
  package mutating func takeMissing(_ texts: [String]) {
    missing = texts
    func complete(_ fields: inout [Field]) {
      for index in fields.indices where fields[index].missing.isEmpty {
        if case .path = fields[index].source { fields[index].missing = texts }
      }
    }
    complete(&fields)
    for list in children.indices { complete(&children[list].fields) }
  }
}

/// Where the records are in an input.
public enum RecordLocation: Sendable, Hashable, Encodable {
  /// Found from the bytes.
  case automatic
  /// The elements of the array at a path; a name in angle brackets stands for every key there, and an empty
  /// path for the input itself.
  case path(String)
  /// Rows of values under names: `fields` and `data`, in either order.
  case columnar
  /// One object a line, or one after another.
  case lines
  /// Rows of values with these names, at a path; an empty one stands for the input itself.
  case rows(names: [String], path: String = "")
  /// Lines of cells with an ASCII character between them, as in CSV; the first line names the columns unless `names` does.
  case delimited(by: UInt8 = UInt8(ascii: ","), names: [String]? = nil)

  /// The columns that the pipeline names.
  var columns: [String]? {
    switch self {
    case .rows(let names, _), .delimited(_, let names?): names
    default: nil
    }
  }
}
