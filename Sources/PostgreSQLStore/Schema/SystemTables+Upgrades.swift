/// Stores of earlier formats.
extension SystemTables {
  static let format: Int64 = 16

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
    10: [],
    // A transaction has no row before it has its number.
    11: rowlessTransactions,
    // A change has the place of what came to it last.
    12: ["ALTER TABLE bolide_change ADD COLUMN last_seq bigint"],
    // An object may have a negative id: the entity's number says what is marked.
    13: ["UPDATE bolide_mark SET entity = -entity, id = -id WHERE id < 0"],
    // An object can have several marks, an input's name a backslash, and another rule the name of one that denies. The triggers know
    // those of other programs from their own, and are nobody else's. A copied database is another one.
    14: [
      "ALTER TABLE bolide_mark DROP CONSTRAINT bolide_mark_pkey", markIndex, markIdentity,
      "DROP INDEX bolide_reject_same", rejectSame, deferrableNamesakes, StoreOrigin.named,
    ],
    // They write times without a setting of the session.
    15: [],
  ]

  /// Functions of earlier formats, when no trigger asks them any more: with one that does the server would lock its table for itself.
  static let outdated = ["bolide_is_direct", "bolide_is_other"].map {
    "DROP FUNCTION IF EXISTS \($0)() CASCADE"
  }

  /// Waits for those who write, and keeps others away.
  static let lockWriters = """
    DO $$ DECLARE watched regclass; BEGIN
      FOR watched IN SELECT tgrelid::regclass FROM pg_trigger JOIN pg_class AS c ON c.oid = tgrelid
        WHERE relnamespace = \(namespace) AND tgname = 'bolide_after_insert' ORDER BY relname
      LOOP EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', watched); END LOOP;
    END $$
    """

  /// Transactions without a number are found as those are that were open. Whoever may read changes may read the view.
  private static let rowlessTransactions = [
    sequence, open,
    """
    WITH pending AS (DELETE FROM bolide_transaction WHERE number IS NULL RETURNING id)
      INSERT INTO bolide_open SELECT id, pg_snapshot_xmax(pg_current_snapshot()) FROM pending
    """,
    "ALTER TABLE bolide_store ADD COLUMN newest_id bigint NOT NULL DEFAULT 0",
    "UPDATE bolide_store SET newest_id = (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM bolide_transaction_id_seq)",
    "SELECT setval('bolide_transaction_seq', newest_id) FROM bolide_store WHERE newest_id > 0",
    "ALTER TABLE bolide_transaction ALTER COLUMN id DROP IDENTITY, ALTER COLUMN number SET NOT NULL",
    pending,
    """
    DO $$ DECLARE reader text; BEGIN
      FOR reader IN SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END FROM (
          SELECT (aclexplode(relacl)).* FROM pg_class WHERE oid = 'bolide_change'::regclass
          UNION SELECT (aclexplode(attacl)).* FROM pg_attribute WHERE attrelid = 'bolide_change'::regclass) AS a
        WHERE privilege_type = 'SELECT'
      LOOP EXECUTE 'GRANT SELECT ON bolide_pending, bolide_open, bolide_transaction_seq TO ' || reader; END LOOP;
    END $$
    """,
    "DROP FUNCTION IF EXISTS bolide_number(bigint)",
  ]

  private static let deferrableDenials = """
    DO $$ DECLARE link record; BEGIN
      FOR link IN SELECT conrelid::regclass AS relation, conname FROM pg_constraint
        WHERE connamespace = \(namespace) AND contype = 'f' AND confdeltype = 'a' AND conname LIKE 'bolide\\_link\\_%'
      LOOP EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I DEFERRABLE', link.relation, link.conname); END LOOP;
    END $$
    """

  private static let deferrableNamesakes = """
    DO $$ DECLARE link record; BEGIN
      FOR link IN SELECT c.conrelid::regclass AS relation, c.conname FROM pg_constraint AS c JOIN pg_constraint AS d USING (connamespace, conname)
        WHERE c.connamespace = \(namespace) AND c.contype = 'f' AND NOT c.condeferrable AND d.contype = 'f' AND d.condeferrable
          AND c.conname LIKE 'bolide\\_link\\_%'
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
