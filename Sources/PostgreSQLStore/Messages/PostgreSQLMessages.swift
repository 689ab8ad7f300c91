internal import ImportModel
internal import PostgreSQLAccess
package import StoreInterface

// What is said of a store in a schema.

extension StoreError {
  static func longName(_ name: String, _ address: String) -> StoreError {
    StoreError(
      .modelChange, at: address, "the name \(name) is longer than PostgreSQL's 63 bytes",
      hint: "Give it a shorter one.")
  }

  static func ownName(_ name: String, _ address: String) -> StoreError {
    StoreError(
      .modelChange, at: address, "the name \(name) is one of PostgreSQL's own",
      hint: "Give it another one; `from` says what the input calls an attribute.")
  }

  static func nullInDefault(_ name: String, _ address: String) -> StoreError {
    StoreError(
      .modelChange, at: address, "the default of \(name) contains U+0000, which PostgreSQL does not store",
      hint: "Take it out.")
  }

  static func notUTF8(_ address: String) -> StoreError {
    StoreError(
      .cannotOpen, at: address, "the database is not encoded as UTF8",
      hint: "Make one with createdb --encoding UTF8.")
  }

  static func schemaHidden(_ schema: String, _ address: String) -> StoreError {
    StoreError(
      .readOnly, at: address, "this user may not use the schema \(schema)",
      hint: "The schema's owner can grant it: GRANT USAGE ON SCHEMA.")
  }

  static func schemaOfServer(_ schema: String, _ address: String) -> StoreError {
    StoreError(
      .badRequest, at: address, "the schema \(schema) is the server's own",
      hint: "Name another one behind the #.")
  }

  static func noStoreThere(_ address: String) -> StoreError {
    StoreError(.storeGone, at: address, "there is no store", hint: "An import makes one.")
  }

  static func storeThere(_ address: String) -> StoreError {
    StoreError(
      .badRequest, at: address, "there is a store, and a whole store is copied into a new one",
      hint: "Name another schema, or the entity whose objects are to be copied.")
  }

  static func laterFormat(_ address: String) -> StoreError {
    StoreError(
      .newerFormat, at: address, "a later version of bolide made this store", hint: "Use that version.")
  }

  static func earlierFormat(_ address: String) -> StoreError {
    StoreError(
      .olderFormat, at: address, "a version of bolide before the first release made this store",
      hint: "Import the feeds into a new schema.")
  }

  static func outdatedFormat(_ address: String) -> StoreError {
    StoreError(
      .olderFormat, at: address, "an earlier version of bolide made this store",
      hint: "Run a command on it as the user who owns it: that brings it up to date.")
  }

  static func renamedSchema(_ address: String) -> StoreError {
    StoreError(
      .olderFormat, at: address, "the store's schema had another name, which its triggers still look for",
      hint: "Run a command on it as the user who owns it: that makes them anew.")
  }

  static func tableMissing(_ entity: String) -> StoreError {
    .otherSchema("the table \(entity) is missing", hint: "Restore what another program has dropped.")
  }

  static func columnMissing(_ column: String, of entity: String) -> StoreError {
    .otherSchema(
      "the table \(entity) has no column \(column)",
      hint: "If another program has renamed it, rename it back. Restore what it has dropped.")
  }

  static func columnOfOtherType(
    _ column: String, of entity: String, _ type: String, was: String
  ) -> StoreError {
    .otherSchema(
      "the column \(column) of \(entity) is \(type), and was made \(was)",
      hint: "Change it back: ALTER TABLE \(quoted(entity)) ALTER \(quoted(column)) TYPE \(was)")
  }

  static func otherThanTable(_ entity: String, _ what: String) -> StoreError {
    .otherSchema(
      "\(entity) is \(what), and was made a table",
      hint: "Put the table back: bolide keeps history with triggers on it.")
  }

  static func tableShared(_ entity: String) -> StoreError {
    .otherSchema(
      "the table \(entity) inherits from another table, or another one from it: triggers do not see all changes",
      hint: "Take them apart: ALTER TABLE … NO INHERIT …")
  }

  static func tableWithRule(_ entity: String) -> StoreError {
    .otherSchema(
      "the table \(entity) has a rule: statements that it writes anew do not end as they are written",
      hint: "Have a trigger do the same, and DROP RULE … ON \(quoted(entity)).")
  }

  static func triggersLost(_ entity: String, _ address: String) -> StoreError {
    ruleLost("a trigger of Bolide's on \(entity) is missing or disabled", address)
  }

  /// - Parameter what: a sentence of a repair's report.
  static func ruleLost(_ what: String, _ address: String) -> StoreError {
    StoreError(
      .foreignSchema, at: address, what,
      hint: "Run bolide verify --rebuild as the user who owns the store: that makes it anew.")
  }

  /// - Parameter what: a sentence of a repair's report.
  static func rowsAgainst(_ what: String) -> StoreError {
    .otherSchema(
      "\(what), and rows that have come since are against it",
      hint:
        "bolide verify names their objects: change, unlink or delete them with SQL. Then run the command again."
    )
  }

  static func formerName(_ schema: String, _ address: String) -> StoreError {
    StoreError(
      .foreignSchema, at: address,
      "the schema \(schema) had this name, and the triggers of the store in it still look for it",
      hint: "Run a command on that store as the user who owns it: that makes them anew.")
  }

  package static func busyRows(_ address: String) -> StoreError {
    StoreError(
      .busy, at: address, "other programs change the same rows all the time",
      hint: "Run the same command again.")
  }

  static func rowsKeptOut(_ entity: String) -> StoreError {
    StoreError(
      .constraint, "a trigger of another program keeps new rows out of \(entity)",
      hint: "Drop the trigger, or have it raise an error for a row that it does not want.")
  }

  static func keysRewritten(_ entity: Entity) -> StoreError {
    StoreError(
      .constraint,
      "a trigger of another program changes the keys of new rows of \(entity.name): the next import would not find them",
      hint: "Drop the trigger, and change the key in the pipeline, with an expression.")
  }

  /// - Parameter attribute: nil for any of several.
  static func valueOutOfRange(_ entity: String, _ attribute: String?) -> StoreError {
    StoreError(
      .constraint,
      attribute.map { "\(entity).\($0): the value is out of range" } ?? "\(entity): a value is out of range",
      hint: "Numbers are finite, decimals have 64 bits, and times are of the years 0000 to 9999.")
  }

  /// - Parameter attributes: what is too long, also together; none for any of several.
  static func textTooLong(_ entity: String, _ attributes: [String], most: Int) -> StoreError {
    let texts =
      switch attributes.count {
      case 0: "\(entity): a text is"
      case 1: "\(entity).\(attributes[0]): the text is"
      default: "\(entity): \(attributes.listed) are together"
      }
    return StoreError(
      .constraint, "\(texts) longer than \(most) bytes",
      hint: "An index has another spelling of it, and takes no more.")
  }

  static func spellingTooLong(_ entity: String, _ attribute: String, _ id: Int64) -> StoreError {
    StoreError(
      .constraint, "\(entity) \(id): what \(attribute) would be is too long for an index",
      hint: "Shorten the text with SQL, or delete the row: until then nothing else is computed.")
  }

  static func tooLongForIndex(_ text: String) -> StoreError {
    StoreError(
      .modelChange, "some values are too long for an index. PostgreSQL says: \(text)",
      hint: "Shorten them with SQL, or leave the index out.")
  }

  /// - Parameter text: the server's.
  static func columnUsed(_ entity: String, _ text: String) -> StoreError {
    StoreError(
      .modelChange, "a column of \(entity) cannot get another type. PostgreSQL says: \(text)",
      hint: "Drop what uses the column, and make it again behind the migration.")
  }

  static func neverComputed(_ entity: Entity) -> StoreError {
    StoreError(
      .foreignSchema,
      "the derived attributes of \(entity.name) come to no end: what they follow changes whenever they are computed",
      hint: "Look for another program's trigger on the table that changes its rows with each update.")
  }

  /// - Parameter reason: what prevents it.
  static func notVacuumed(_ address: String, code: Code, _ reason: String) -> StoreError {
    StoreError(
      code, at: address,
      "the object is erased from rows and history, but its tables could not be vacuumed: \(reason)",
      hint: "Run VACUUM (ANALYZE) on them, or wait for the server's autovacuum.")
  }

  private static let nullText = "a text contains U+0000, which a PostgreSQL server does not store"
  private static let longValue = "a value is too long for an index of a PostgreSQL server"

  /// - Parameter error: why the server does not take copied objects.
  static func copyDenied(_ entity: Entity, _ error: PostgreSQLError) -> StoreError {
    let reason =
      switch error.state {
      case "22021": nullText
      case "54000": longValue
      default: error.text
      }
    return copyBreaksRule(entity, reason)
  }

  static func copyHasOtherValue(_ name: String, _ type: AttributeType, of entity: Entity) -> StoreError {
    copyBreaksRule(entity, "\(name) is not \(type.named)")
  }

  static func noBackup(_ path: String) -> StoreError {
    unsupported("backups: pg_dump makes them", by: PostgreSQLEngine.engineName, path)
  }

  static func holdsNull(_ entity: Entity) -> StoreError {
    valueRefused(entity, nullText)
  }

  static func tooLong(_ entity: Entity) -> StoreError {
    valueRefused(entity, longValue)
  }
}

extension RepairReport {
  static func lost(_ part: EntityTable.Part, of entity: String) -> String {
    switch part.kind {
    case .notNull: "NOT NULL of \(entity).\(part.name) is missing"
    case .key: "the key \(part.name) of \(entity) is missing"
    case .constraint: "the constraint \(part.name) of \(entity) is missing"
    case .index: missing(index: part.name)
    }
  }

  static func lost(trigger name: String, of entity: String) -> String {
    "the trigger \(name) on \(entity) is missing or disabled"
  }
}

extension Finding {
  static func changesOfNone(_ count: Int64) -> Finding {
    Finding(
      message:
        "history: \(counted(Int(count), "change")) in no transaction: a program has set the id of its own")
  }

  static func isNull(_ entity: String, _ id: Int64, _ column: String) -> Finding {
    Finding(entity: entity, id: id, attribute: column, message: "null, which is not allowed")
  }

  /// - Parameter columns: of which two objects have the same values.
  static func twin(_ entity: String, _ id: Int64, _ columns: [String]) -> Finding {
    Finding(entity: entity, id: id, message: "an object before it has the same \(columns.listed)")
  }

  static func waiting(_ entity: Entity, _ count: Int) -> Finding {
    Finding(
      entity: entity.name,
      message:
        "derived values of \(counted(count, "object")) are left to the next command that may compute them",
      isTrue: true)
  }
}
