import Foundation
import Testing

// Several inputs in one command.
extension ServerCommandTests {
  @Test func `of several files the one that changed is read`() throws {
    func write(_ file: Int, _ magnitude: Int) throws {
      try folder.write(
        #"[{"id": "\#(file)", "magnitude": \#(magnitude)}, {"id": "x\#(file)", "place": "P"}]"#,
        to: "\(file).json")
    }
    for file in 1...9 { try write(file, 1) }
    let command = ["import", "quakes.yaml", "--store", "S", "-v"] + (1...9).map { "\($0).json" }
    try same(running: command)
    for (file, magnitude) in [(5, 2), (1, 3), (9, 4), (5, 1)] {
      try write(file, magnitude)
      let again = try same(running: command)
      #expect(
        again.errors.contains("1 updated + 17 unchanged; 8 unchanged inputs skipped"), "\(again.errors)")
    }
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET magnitude = 5 WHERE id = '3'")
    try psql(#"UPDATE "Quake" SET magnitude = 5 WHERE id = '3'"#)
    #expect(try same(running: command).errors.contains("8 unchanged inputs skipped"))
    try same(running: command + ["--force"])
    for run in ["0", "8", "8", "8", "8", "8", "0"].enumerated() {
      #expect(try psql("SELECT skipped FROM bolide_run WHERE run = \(run.offset + 1)") == run.element)
    }
  }
}
