/// Stores of earlier formats.
extension SystemTables {
  static let format: Int64 = 11

  /// What makes a store's tables those of the next format; functions and triggers are made anew behind it. Others are not
  /// brought up to date.
  static let upgrades: [Int64: [String]] = [
    3: ["ALTER TABLE bolide_run ADD COLUMN skipped bigint NOT NULL DEFAULT 0", input, rejectRun],
    // The triggers have a way of their own for one row, and the index of numbers has what has none.
    4: ["DROP INDEX bolide_transaction_pending"],
    // The triggers note one owner with its one row.
    5: [],
    // They have a row that one statement changes several times, and what denies a deletion can be asked behind it.
    6: [deferrableDenials],
    // They know an upsert's new rows, and a deletion before the update that was before it; those before a row are the last ones.
    7: [earlyTriggers],
    // They ask less for one row.
    8: [],
    // A transaction's row is found by the setting that its triggers have, and an erasure by no index.
    9: ["DROP INDEX bolide_change_erased", "ALTER TABLE bolide_transaction DROP COLUMN xid"],
    // They have one row in variables, and a shorter condition.
    10: ["DROP FUNCTION IF EXISTS bolide_is_other() CASCADE"],
  ]

  /// Waits for those who write, and keeps others away: a trigger of before would write what its tables no longer have.
  static let lockWriters = """
    DO $$ DECLARE watched regclass; BEGIN
      FOR watched IN SELECT tgrelid::regclass FROM pg_trigger JOIN pg_class AS c ON c.oid = tgrelid
        WHERE relnamespace = \(namespace) AND tgname = 'bolide_after_insert' ORDER BY relname
      LOOP EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', watched); END LOOP;
    END $$
    """

  private static let deferrableDenials = """
    DO $$ DECLARE link record; BEGIN
      FOR link IN SELECT conrelid::regclass AS relation, conname FROM pg_constraint
        WHERE connamespace = \(namespace) AND contype = 'f' AND confdeltype = 'a' AND conname LIKE 'bolide\\_link\\_%'
      LOOP EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I DEFERRABLE', link.relation, link.conname); END LOOP;
    END $$
    """

  private static let earlyTriggers = """
    DO $$ DECLARE early record; BEGIN
      FOR early IN SELECT t.tgrelid::regclass AS relation, t.tgname FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
        WHERE c.relnamespace = \(namespace) AND t.tgname IN ('bolide_before_insert', 'bolide_before_update')
      LOOP EXECUTE format('DROP TRIGGER %I ON %s', early.tgname, early.relation); END LOOP;
    END $$
    """
}
