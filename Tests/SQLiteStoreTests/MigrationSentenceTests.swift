import Testing

@testable import SQLiteStore

/// What migrations say where a fault is hard to make, word for word; the others stand with the faults themselves.
struct MigrationSentenceTests {
  @Test func `The words are these`() {
    #expect(
      StoreError.olderDeleteRule("Quake.region").message
        == "the pipeline is older than the store's model: Quake.region had another delete rule before, and the pipeline says that still"
    )
    let other = StoreError(.other, "SQLite says: no")
    let remade = StoreError.cannotRemakeColumn("Quake.id", other)
    #expect(remade.message == "Quake.id cannot be made anew with its other rule: SQLite says: no")
    #expect(
      remade.hint == "Views, triggers and indexes of other programs may need it: drop those first.")
    #expect(StoreError.unreadableFilter("a >").message == "the filter a > cannot be read again")
    #expect(
      StoreError.deleteRuleOfKey("Order.lines", "Line.order").message
        == "Order.lines has another delete rule in the store, and Line.order is part of a key")
  }
}
