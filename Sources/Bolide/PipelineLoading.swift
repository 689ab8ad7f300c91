internal import Foundation
public import ImportModel
internal import SQLiteStore

extension Pipeline {
  /// Reads a pipeline file.
  ///
  /// - Throws: `PipelineError` with every problem at once, each with its line and column.
  public init(path: String) throws(PipelineError) {
    let text: String
    do {
      text = try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      let exists = FileManager.default.fileExists(atPath: path)
      throw PipelineError(problems: [exists ? .notText(path) : .noSuchPipeline(path)])
    }
    let folder = path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]) : "."
    let directory = folder.isEmpty ? "/" : folder
    try self.init(
      yaml: text, file: path, directory: directory,
      alsoChecking: { $0.pathProblems() + $0.expressionProblems() + $0.sizeProblems() })
    store = store.map { Self.withoutDetour($0, through: directory) }
    nameOtherStores(from: directory)
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
    let name = directory.split(separator: "/").last ?? ".."
    // Behind a symbolic link `..` leads elsewhere.
    guard store.hasPrefix(detour), name != "..", name != ".",
      (try? FileManager.default.destinationOfSymbolicLink(atPath: directory)) == nil
    else { return store }
    return String(directory.dropLast(name.count)) + store.dropFirst(detour.count)
  }
}
