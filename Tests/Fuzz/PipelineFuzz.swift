import Bolide
import Foundation
import SQLiteMaintenance
import SQLiteStore

/// Any text as a pipeline file, read as the tool reads it. What is refused has its places in the file. What is taken can be
/// printed as a schema and made a store, which opens again and has nothing for `verify`.
enum PipelineFuzz {
  private static let file = "\(MemoryFolder.place)/bolide-fuzz-\(getpid()).yaml"

  static func run(_ bytes: [UInt8]) {
    _ = FileManager.default.createFile(atPath: file, contents: Data(bytes))
    do {
      try check(Pipeline(path: file), makesStore: bytes.reduce(0, ^) % 8 == 0)
    } catch let error as PipelineError {
      let lines = bytes.reduce(1) {
        $0 + ($1 == 0x0a || $1 == 0x0d || $1 == 0xa8 || $1 == 0xa9 || $1 == 0x85 ? 1 : 0)
      }
      if error.problems.isEmpty { fault("it is refused without a problem") }
      for problem in error.problems {
        if problem.message.isEmpty { fault("a problem has no sentence") }
        guard let place = problem.place else { continue }
        if place.line < 1 || place.line > lines + 1 || place.column < 1 || place.column > bytes.count + 2 {
          fault("\(problem): there is no such place")
        }
      }
    } catch {
      fault("what the pipeline's reader took is refused: \(error)")
    }
  }

  /// - Parameter makesStore: a store takes many times longer than the schema.
  static func check(_ pipeline: Pipeline, makesStore: Bool) throws(RejectionReason) {
    do {
      if !pipeline.isLarge { _ = try pipeline.schemaText() }
      guard makesStore else { return }
      let folder = try MemoryFolder()
      for _ in 0..<2 {
        let store = try SQLiteEngine(blocking: folder.store, for: pipeline, lockWait: 1)
        try store.verify { if !$0.isTrue { fault("a new store: \($0)") } }
        _ = try SQLiteImport(store, pipeline, input: "")
        _ = try store.status()
      }
    } catch {
      throw RejectionReason(error: error)
    }
  }

  /// What a good pipeline must not lead to.
  struct RejectionReason: Error {
    let error: any Error
  }
}
