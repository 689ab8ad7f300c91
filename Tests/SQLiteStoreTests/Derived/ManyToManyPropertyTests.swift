import ImportModel
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Imports and other programs write posts, tags and their links in turn; Python computes every aggregate anew.
struct ManyToManyPropertyTests {
  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  @Test(arguments: 0..<RandomHistory.count / 5) func `Whoever writes, every aggregate over links is true`(
    seed: Int
  ) throws {
    var dice = Dice(seed &+ 7)
    let store = try temporary.open(Blog.posts())
    var writes = BlogWrites(dice: dice)
    try writes.take(store)
    for round in 0..<6 {
      switch dice.int(0...3) {
      case 0: try temporary.shell(writes.script(40))
      case 1: try #require(try temporary.python(RandomWrites.python, [writes.script(25)]) == "")
      case 2: try loseTriggers(store, &dice, writes.script(15))
      default: try writes.take(store)
      }
      if dice.once(in: 3) { try writes.take(store) }
      try store.assignPending()
      try #require(try temporary.python(Blog.oracle) == "", "seed \(seed), round \(round)")
      try #require(try store.rows("SELECT * FROM bolide_dirty") == [])
      let findings = try store.findings()
      try #require(findings == [], "seed \(seed), round \(round)")
    }
    guard try store.rows("SELECT * FROM bolide_gap") == [] else { return }
    #expect(try Replay(store, model: Blog.model.withJoins).problems() == [])
  }

  /// Another program drops a trigger, and writes; the triggers are restored, and all is computed anew.
  private func loseTriggers(_ store: SQLiteEngine, _ dice: inout Dice, _ script: String) throws {
    guard dice.once(in: 2) else {
      try temporary.shell(script)
      return
    }
    let table = dice.pick(["Post_tags", "Tag", "Post"])
    try temporary.shell(
      "PRAGMA foreign_keys = ON; DROP TRIGGER bolide_\(table)_\(dice.pick(["insert", "update"])); "
        + script.replacing("foreign_keys = OFF", with: "foreign_keys = ON"))
    try store.restoreTriggers()
  }
}
