internal import Foundation
internal import ImportInput
public import ImportModel
internal import RowExpressions
internal import SQLiteQueries
internal import SQLiteStore

extension Pipeline {
  /// Reads a pipeline file.
  ///
  /// - Throws: `PipelineError` with every problem at once, each with its line and column.
  public init(path: String) throws(PipelineError) {
    let text = try Self.text(of: path)
    // Byte by byte, as the system reads a path: a mark that combines with the slash is the name's.
    let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
    let directory = folder.isEmpty ? "/" : folder
    try self.init(yaml: text, named: path, relativeTo: directory)
  }

  /// Reads a pipeline from the text of a pipeline file.
  ///
  /// - Parameters:
  ///   - text: YAML.
  ///   - name: what messages call it. Without its folders and ending it is the name of a pipeline that has none.
  ///   - directory: where relative paths in it start from.
  /// - Throws: as `init(path:)`.
  public init(
    yaml text: String, named name: String = "pipeline.yaml", relativeTo directory: String = "."
  ) throws(PipelineError) {
    try self.init(
      yaml: text, file: name, directory: directory,
      alsoChecking: { $0.pathProblems() + $0.queryProblems() + $0.sizeProblems() })
    store = store.map { Self.withoutDetour($0, through: directory) }
    nameOtherStores(from: directory)
  }

  /// What is wrong with expressions, filters and fetched properties.
  private func queryProblems() -> [PipelineProblem] { expressionProblems() + fetchedProblems() }

  /// - Throws: `PipelineError` with the problems of a pipeline that came from no file.
  func check() throws(PipelineError) {
    var problems = problems()
    if problems.isEmpty { problems = queryProblems() }
    guard problems.isEmpty else { throw PipelineError(problems: problems) }
  }

  /// So many bytes are read of a file: more than any pipeline has, as its reader will say.
  private static let longestFile = 4 << 20

  /// The text of a pipeline file, which may be a pipe too.
  private static func text(of path: String) throws(PipelineError) -> String {
    let problem: PipelineProblem
    do throws(InputError) {
      // A file of this name: a pipeline does not come from standard input.
      let input = try ByteInput(.path(path == "-" ? "./-" : path), cancellation: Cancellation())
      let bytes = try input.readAll(upTo: longestFile)
      let mark: [UInt8] = [0xef, 0xbb, 0xbf]
      let content = bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0)
      if let text = String(validating: content, as: UTF8.self) { return text }
      problem = .notText(path)
    } catch {
      switch error.code {
      // The file's reader says so.
      case .empty: return ""
      case .noSuchFile: problem = .noSuchPipeline(path)
      default: problem = .unreadable(path, error)
      }
    }
    throw PipelineError(problems: [problem])
  }

  /// The stores of fetched properties are named from the pipeline's file, and kept as they are from its store.
  private mutating func nameOtherStores(from directory: String) {
    guard let store else { return }
    for (index, entity) in model.entities.enumerated() {
      for place in entity.fetchedProperties.indices {
        model.entities[index].fetchedProperties[place].store = entity.fetchedProperties[place].store.map {
          StoreLocation.name($0, in: directory, for: store)
        }
      }
    }
  }

  /// `pipelines/../fireballs.sqlite` as `fireballs.sqlite`: the form that people say and read.
  private static func withoutDetour(_ store: String, through directory: String) -> String {
    let detour = directory + "/../"
    let names = directory.utf8.split(separator: UInt8(ascii: "/"))
    let name = names.last.map { String(decoding: $0, as: UTF8.self) } ?? ".."
    // Behind a symbolic link `..` leads elsewhere.
    guard store.utf8.starts(with: detour.utf8), name != "..", name != ".",
      (try? FileManager.default.destinationOfSymbolicLink(atPath: directory)) == nil
    else { return store }
    return String(decoding: directory.utf8.dropLast(name.utf8.count), as: UTF8.self)
      + String(decoding: store.utf8.dropFirst(detour.utf8.count), as: UTF8.self)
  }
}
