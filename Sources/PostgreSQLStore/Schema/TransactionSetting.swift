/// What a transaction's triggers tell one another, as settings of the server's: they end with the transaction, or with the savepoint
/// behind which they were set, as what they tell of does.
///
/// A transaction may write to several stores: each name ends with the store's schema.
enum TransactionSetting {
  /// The transaction's id in history; empty before the first change.
  static func transaction(_ schema: String) -> String { name("transaction", schema) }

  /// `own` where an import notes the history of the new rows that it writes.
  static func runs(_ schema: String) -> String { name("runs", schema) }

  /// The ids of an entity's objects that came and went in the transaction, which history no longer has.
  static func undone(_ entity: Int64, _ schema: String) -> String { name("undone_\(entity)", schema) }

  /// Names of settings have no upper case, and few signs.
  private static func name(_ name: String, _ schema: String) -> String {
    let plain = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let part = schema.utf8.map { byte in
      plain.contains(byte) || digits.contains(byte)
        ? String(UnicodeScalar(byte)) : "$" + String(byte, radix: 16)
    }
    return "bolide.\(name)_\(part.joined())"
  }
}
