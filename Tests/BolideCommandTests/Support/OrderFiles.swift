import Foundation
import Testing

// Files of random orders, with what the reader, the check and the store reject.
extension Folder {
  /// Random files, each of its own shape: objects, lines, rows under names, a compressed one, none at all.
  ///
  /// - Parameter hasRepeats: whether a key may come again. Then the store rejects nothing: of the records of one key in a
  ///   transaction it is asked for one only.
  /// - Returns: their names, in order.
  func writeOrderFiles(
    _ count: Int, _ random: inout SeededGenerator, version: Int, hasRepeats: Bool
  ) throws -> [String] {
    var packed: [String] = []
    let names = try (1...count).map { file in
      let records = (0..<Int.random(in: 0...12, using: &random)).map { number in
        let (file, number) =
          hasRepeats && Bool.random(using: &random)
          ? (Int.random(in: 1...count, using: &random), 0) : (file, number)
        return order("f\(file)-\(number)", version, isWhole: hasRepeats, &random)
      }
      let name = "\(file).json"
      let shape = Int.random(in: 0..<4, using: &random)
      switch shape {
      case 0 where !records.isEmpty:
        try write(records.map(\.object).joined(separator: "\n") + "\n", to: name)
      case 1:
        let rows = records.map(\.row).joined(separator: ", ")
        try write(
          #"{"fields": ["id", "version", "code", "size", "shop"], "data": [\#(rows)]}"#, to: name)
      case 2:
        let objects = records.map(\.object).joined(separator: ",\n")
        try write(#"{"count": \#(records.count), "data": [\#(objects)]}"#, to: name)
      default:
        try write("[\(records.map(\.object).joined(separator: ",\n"))]", to: name)
      }
      guard shape == 3 else { return name }
      packed.append(name)
      return "\(name).gz"
    }
    try #require(try run("gzip", ["-f"] + packed).status == 0)
    return names
  }

  /// A record, sometimes with what the reader, the check or the store rejects.
  func order(
    _ id: String, _ version: Int, isWhole: Bool, _ random: inout SeededGenerator
  ) -> (object: String, row: String) {
    let version =
      switch Int.random(in: 0..<20, using: &random) {
      case 0: #""?""#
      case 1: "91"
      default: "\(version + Int.random(in: 0..<3, using: &random))"
      }
    let size = isWhole || Int.random(in: 0..<20, using: &random) > 0 ? #", "size": 1"# : ""
    // An object wants the same code each time: one that is handed on lands where both records are in one transaction.
    let code = isWhole || id.utf8.reduce(0, { $0 + Int($1) }) % 19 > 0 ? id : "taken"
    let shop = Int.random(in: 0..<5, using: &random)
    let items = (0..<Int.random(in: 0..<4, using: &random)).map {
      #"{"sku": "\#($0)", "amount": \#(Int.random(in: 0..<100, using: &random))}"#
    }
    return (
      #"{"id": "\#(id)", "version": \#(version)\#(size), "code": "\#(code)", "shop": "s\#(shop)", "items": [\#(items.joined(separator: ", "))]}"#,
      #"["\#(id)", \#(version), "\#(code)", 1, "s\#(shop)"]"#
    )
  }

  /// What has to be the same however the records are committed.
  ///
  /// - Parameter rejects: what of the rejected records.
  func orderContents(
    _ store: String, counts: String = "read, rejected",
    rejects: String = "last_run, times, input, record, byte, line, column, read_since"
  ) throws -> [String] {
    #expect(try bolide("verify", store) == .silent)
    return try sqlite(
      store,
      """
      SELECT id, version, size, code, name, lineCount FROM "Order" LEFT JOIN Shop AS s ON shop_id = s.bolide_id ORDER BY id;
      SELECT name, total FROM Shop ORDER BY name;
      SELECT id, sku, amount FROM Line JOIN "Order" AS o ON o.bolide_id = order_id ORDER BY id, sku;
      SELECT \(rejects), code, message, attribute, entity, child, is_cut, t.text, a.text FROM bolide_reject AS r LEFT JOIN bolide_reject_text AS t ON t.id = r.text
      LEFT JOIN bolide_reject_text AS a ON a.id = around ORDER BY last_run, input, t.text, child, code, times;
      SELECT run, input, outcome, bytes, unkept, \(counts) FROM bolide_run;
      SELECT run, entity, \(counts) FROM bolide_run_child ORDER BY run, entity;
      SELECT * FROM bolide_run_field ORDER BY run, entity, attribute;
      """)
  }
}
