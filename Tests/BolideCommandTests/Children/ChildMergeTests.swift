import Foundation
import Testing

/// What the merge policies and repeated keys mean for children.
@Suite struct ChildMergeTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withOrders()
  }

  private static let first =
    #"[{"id": "a", "version": 2, "status": "1", "items": [{"sku": "x", "amount": 1}]}]"#

  @Test func `what is gone from a record stays, and what is not mentioned too`() throws {
    try folder.importOrders(
      #"[{"id": "a", "items": [{"sku": "x", "amount": 1, "note": 1}, {"sku": "y", "amount": 2}]}]"#)
    let outcome = try folder.importOrders(#"[{"id": "a", "items": [{"sku": "x", "note": null}]}]"#)
    #expect(try Counts("Line", outcome) == Counts(read: 1, updated: 1))
    #expect(try folder.orders() == ["a||2|3.0|2.0|0", "a|x|1.0||||", "a|y|2.0||||"])
  }

  @Test func `ignore leaves alone what is there, order or line, and adds what is not`() throws {
    try folder.writeOrders("merge: ignore")
    try folder.importOrders(Self.first)
    let outcome = try folder.importOrders(
      #"[{"id": "a", "status": "2", "items": [{"sku": "x", "amount": 9}, {"sku": "y", "amount": 5}]}, {"id": "b"}]"#
    )
    #expect(
      outcome.output.contains(
        #""ignored":1,"duplicates":0,"superseded":0,"rejected":0,"rolledBack":0,"children""#))
    #expect(
      outcome.output.contains(
        #""Line":{"read":2,"inserted":1,"updated":0,"repeated":0,"unchanged":0,"ignored":1,"#))
    #expect(
      try folder.orders() == ["a|1|2|6.0|5.0|0", "b||0|0.0||0", "a|x|1.0||||1", "a|y|5.0||||1"])
  }

  @Test func `fail ends at a line that is there, as at an order`() throws {
    try folder.writeOrders("merge: fail")
    try folder.importOrders(Self.first)
    let outcome = try folder.importOrders(#"[{"id": "b", "items": [{"sku": "x"}]}, {"id": "a"}]"#)
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("record 2 has the id of an existing Order"))
    #expect(try folder.orders() == ["a|1|1|1.0|1.0|0", "a|x|1.0||||1"])
  }

  @Test(arguments: [1, 100]) func `the children of an older record are left alone with it`(chunkRows: Int)
    throws
  {
    try folder.writeOrders("merge: { update-if-newer: version }")
    try folder.importOrders(Self.first)
    let outcome = try folder.importOrders(
      """
      [{"id": "a", "version": 1, "status": "0", "items": [{"sku": "x", "amount": 9}, {"sku": "y", "amount": 9}]},
       {"id": "a", "version": 4, "status": "4", "items": [{"sku": "x", "amount": 4}]},
       {"id": "a", "version": 3, "status": "3", "items": [{"sku": "x", "amount": 3}, {"sku": "z", "amount": 3}]}]
      """, "--chunk-rows", "\(chunkRows)")
    #expect(
      outcome.output.contains(
        #""Line":{"read":5,"inserted":0,"updated":1,"repeated":0,"unchanged":0,"ignored":4,"#))
    #expect(try folder.orders() == ["a|4|1|4.0|4.0|0", "a|x|4.0||||4"])
  }

  private static let again = """
    [{"id": "a", "status": "1", "items": [{"sku": "x", "amount": 1}, {"sku": "x", "amount": 2}]},
     {"id": "b", "items": [{"sku": "x", "amount": 7}]},
     {"id": "a", "status": "2", "items": [{"sku": "x", "amount": 3}, {"sku": "y", "amount": 4}]}]
    """

  @Test(arguments: [1, 2, 100]) func `of a record that comes again the last one counts`(chunkRows: Int) throws
  {
    let outcome = try folder.importOrders(Self.again, "--chunk-rows", "\(chunkRows)")
    #expect(outcome.status == 0)
    #expect(
      try folder.orders() == [
        "a|2|2|7.0|4.0|0", "b||1|7.0|7.0|0", "a|x|3.0||||2", "a|y|4.0||||2", "b|x|7.0||||",
      ])
    let counts = try Counts("Line", outcome)
    #expect(counts.read == 5 && counts.inserted == 3 && counts.updated + counts.superseded == 2)
  }

  @Test(arguments: [1, 2, 100]) func `or the first one, with its children alone`(chunkRows: Int) throws {
    try folder.writeOrders("repeated-key: first")
    let outcome = try folder.importOrders(Self.again, "--chunk-rows", "\(chunkRows)")
    #expect(try Counts(outcome) == Counts(read: 3, inserted: 2, superseded: 1))
    #expect(
      outcome.output.contains(
        #""Line":{"read":5,"inserted":2,"updated":0,"repeated":0,"unchanged":0,"ignored":2,"duplicates":0,"superseded":1,"#
      ), "\(outcome)")
    #expect(
      try folder.orders() == ["a|1|1|1.0|1.0|0", "b||1|7.0|7.0|0", "a|x|1.0||||1", "b|x|7.0||||"])
  }

  @Test(arguments: [1, 2, 100]) func `or all but the first are rejected`(chunkRows: Int) throws {
    try folder.writeOrders("repeated-key: reject")
    let outcome = try folder.importOrders(Self.again, "--chunk-rows", "\(chunkRows)")
    #expect(outcome.status == 65)
    #expect(try Counts(outcome) == Counts(read: 3, inserted: 2, rejected: 1))
    #expect(try Counts("Line", outcome) == Counts(read: 3, inserted: 2, rejected: 1))
    #expect(
      outcome.errors.contains("record 1: Line 2: a record before this one has the same order and sku\n"))
    #expect(outcome.errors.contains("record 3: a record before this one has the same id\n"))
  }
}
