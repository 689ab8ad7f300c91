import ModelMerging
import Testing

@testable import RowExpressions
@testable import StoreInterface

/// What migrations say where a fault is hard to make, word for word; the others stand with the faults themselves.
struct MigrationMessageTests {
  @Test func `The words are these`() {
    #expect(
      StoreError.olderDeleteRule("Quake.region").message
        == "the pipeline is older than the store's model: it declares a former delete rule of Quake.region"
    )
    #expect(
      StoreError.olderRequirement("Quake.place").message
        == "the pipeline is older than the store's model: it declares Quake.place as required, as formerly"
    )
    #expect(
      StoreError.otherRequirement("Quake.place").message
        == "Quake.place is required in the store and optional in the pipeline")
    let other = StoreError(.other, "SQLite reports: no")
    let kept = StoreError.cannotDropColumn("Quake.id", other)
    #expect(kept.message == "Quake.id cannot be dropped: SQLite reports: no")
    #expect(
      kept.hint == "Views, triggers and indexes of other programs may depend on it: drop those first.")
    #expect(StoreError.unreadableFilter("a >").message == "the filter a > cannot be parsed")
    #expect(
      StoreError.deleteRuleOfKey("Order.lines", "Line.order").message
        == "Order.lines has another delete rule in the store, and Line.order is part of a key")
  }
}
