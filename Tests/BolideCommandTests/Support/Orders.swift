import Foundation
import Testing

extension Folder {
  /// A folder with a pipeline of orders and their lines in it, `orders.yaml`; its store is `orders.sqlite`.
  static func withOrders(_ keys: String = "", amount: String = "double") throws -> Folder {
    let folder = try Folder()
    try folder.writeOrders(keys, amount: amount)
    return folder
  }

  /// - Parameters:
  ///   - keys: further keys of the pipeline.
  ///   - amount: what the amount of a line is.
  func writeOrders(_ keys: String = "", amount: String = "double") throws {
    let text = """
      bolide: 1
      store: orders.sqlite
      entity: Order
      key: id
      \(keys)
      attributes:
        id:        string
        status:    string
        version:   integer32
        lineCount: { derived: lines.@count }
        total:     { derived: lines.amount.@sum }
        largest:   { derived: lines.amount.@max }
        gifts:     { derived: lines.@count, where: amount = 0 }
      children:
        lines:
          entity: Line
          inverse: order
          records: items
          key: [order, sku]
          attributes:
            sku:    string
            amount: \(amount)
            pieces: { type: integer32, from: pack/pieces, missing: "-" }
            each:   { type: double, value: amount / pieces }
            note:   json
            hidden: { type: boolean, transient: true }
            status: { derived: order.status }
          check: hidden IS NOT 1
      """
    try write(text.replacing("\n\n", with: "\n"), to: "orders.yaml")
  }

  /// Writes a pipeline of orders that refuses some of them, with their shops and lines, to `orders.yaml`.
  ///
  /// - Parameter keys: further keys of the pipeline.
  func writeStrictOrders(_ keys: String) throws {
    try write(
      """
      bolide: 1
      store: orders.sqlite
      entity: Order
      key: id
      unique: code
      check: version IS NULL OR version < 90
      \(keys)
      attributes:
        id:        string
        version:   integer32
        code:      string
        size:      { type: integer32, required: true }
        shopName:  { type: string, from: shop, transient: true }
        lineCount: { derived: lines.@count }
      link:
        shop: { to: { name: shopName } }
      entities:
        Shop:
          key: name
          attributes:
            name:  string
            total: { derived: orders.version.@sum }
          relationships:
            orders: { to-many: Order, inverse: shop, on-delete: nullify }
      children:
        lines:
          entity: Line
          inverse: order
          records: items
          key: [order, sku]
          attributes:
            sku:    string
            amount: { type: double, max: 90 }
      """, to: "orders.yaml")
  }

  /// Imports the orders of `feed.json`.
  @discardableResult
  func importOrders(_ feed: String, _ arguments: String...) throws -> Outcome {
    try write(feed, to: "feed.json")
    return try Running(
      Self.tool, ["import", "orders.yaml", "feed.json", "--json"] + arguments, in: self, input: .nothing
    ).outcome()
  }

  /// The store's orders and lines, a line each, and nothing that `verify` would say.
  func orders() throws -> [String] {
    #expect(try bolide("verify", "orders.sqlite") == .silent)
    return try sqlite(
      "orders.sqlite",
      """
      SELECT id, status, lineCount, total, largest, gifts FROM "Order" ORDER BY id;
      SELECT id, sku, amount, pieces, "each", note, l.status FROM Line AS l JOIN "Order" AS o ON o.bolide_id = order_id
      ORDER BY id, sku
      """)
  }
}

extension Counts {
  /// The counts of the children in the output of `--json`.
  init(_ entity: String, _ outcome: Outcome) throws {
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    let children = try #require((object["children"] as? [String: Any])?[entity])
    let text = String(decoding: try JSONSerialization.data(withJSONObject: children), as: UTF8.self)
    try self.init(Outcome(status: 0, output: text))
  }
}
