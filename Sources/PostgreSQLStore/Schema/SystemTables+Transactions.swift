internal import PostgreSQLAccess

/// Transactions: their ids, which a sequence hands out while they are under way, and their numbers, in which they can be seen.
///
///     ids     1 2 3 4 5 6 7 8 9 …      each with its first change
///             └──seen──┘ └─newer─┘
///               `newest_id`            whatever is newer has no number
///     open        3                    met by nobody yet: it may come, or was rolled back
///
/// Nothing is kept of a transaction until it gets its number: pending are those whose changes can be seen and which are newer, or were
/// open. A transaction has an id of the server's before it has one here. So what is missing between ids that can be seen belongs to one
/// that has begun, and when all that had begun by that moment have ended, it does not come any more.
extension SystemTables {
  /// `until` is the first id of the server's behind all that had begun when the transaction was missing.
  static let transactionTables = [
    """
    CREATE TABLE bolide_transaction(
      id bigint PRIMARY KEY,
      number bigint NOT NULL UNIQUE, nonce text, at timestamptz(3),
      author text, pipeline text, run bigint, model bigint, changes bigint, entries bigint)
    """,
    sequence,
    open,
  ]
  static let sequence = "CREATE SEQUENCE bolide_transaction_seq CACHE 1"
  static let open = "CREATE TABLE bolide_open(id bigint PRIMARY KEY, until xid8 NOT NULL)"

  /// From id to id by the index: the changes themselves may be millions. An id that the sequence has not handed out is somebody's own
  /// setting. OFFSET keeps the planner from going through all changes.
  static let pending = """
    CREATE VIEW bolide_pending AS
      WITH RECURSIVE newer(id) AS (
        (SELECT transaction FROM bolide_change WHERE transaction > (SELECT newest_id FROM bolide_store) ORDER BY transaction LIMIT 1)
        UNION ALL SELECT (SELECT transaction FROM bolide_change WHERE transaction > n.id ORDER BY transaction LIMIT 1)
        FROM newer AS n WHERE n.id IS NOT NULL)
      SELECT id FROM newer WHERE id <= (SELECT last_value FROM bolide_transaction_seq)
      UNION ALL SELECT id FROM bolide_open AS o WHERE EXISTS (SELECT FROM bolide_change WHERE transaction = o.id OFFSET 0)
    """

  /// Transactions behind a number, with those that have none yet, as a table of SQL.
  static func transactions(behind number: Int64) -> String {
    """
    (SELECT id, number, run FROM bolide_transaction WHERE number > \(number) UNION ALL SELECT id, NULL, NULL FROM bolide_pending)
    """
  }

  /// The id of the present transaction in history, as SQL; null before the first change. It is in a setting, which ends with the
  /// transaction or its savepoint, as its changes would.
  static func ownTransaction(_ schema: String) -> String {
    "nullif(current_setting('\(TransactionSetting.transaction(schema))', true), '')::bigint"
  }

  /// Gives the present transaction an id, as an expression of SQL.
  static func newTransaction(_ schema: String) -> String {
    """
    set_config('\(TransactionSetting.transaction(schema))', nextval('bolide_transaction_seq')::text, true)::bigint
    """
  }

  static func transactionFunctions(_ schema: String) -> [String] {
    [
      // The present transaction's id.
      """
      CREATE OR REPLACE FUNCTION bolide_transaction_id() RETURNS bigint
      LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
      BEGIN
        -- The server's own id first.
        PERFORM pg_current_xact_id();
        RETURN coalesce(\(ownTransaction(schema)), \(newTransaction(schema)));
      END $$
      """,
      // Ends a transaction of Bolide's own, as its last statement: numbers it behind all that have committed.
      """
      CREATE OR REPLACE FUNCTION bolide_finish(word text, author text, pipeline text, run bigint, at timestamptz)
      RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET jit = off AS $$
      #variable_conflict use_variable
      DECLARE
        own bigint := \(ownTransaction(schema));
        total bigint;
        entries bigint;
        last bigint;
      BEGIN
        IF own IS NULL THEN RETURN NULL; END IF;
        -- Whoever may call this may have set another transaction's id: the sequence knows which one this session was given last.
        IF own <> currval('bolide_transaction_seq') THEN RAISE EXCEPTION 'the transaction % is another session''s', own; END IF;
        -- What comes behind it in the same transaction of the server's is another one in history.
        PERFORM set_config('\(TransactionSetting.transaction(schema))', '', true);
        SELECT sum(coalesce(c.last_id, c.id) - c.id + 1), count(*) INTO total, entries FROM bolide_change AS c WHERE c.transaction = own;
        IF total IS NULL AND NOT EXISTS (SELECT FROM bolide_widening AS w WHERE w.transaction = own)
          AND NOT EXISTS (SELECT FROM bolide_gap AS g WHERE g.transaction = own)
          AND NOT EXISTS (SELECT FROM bolide_change AS c WHERE c.erased_by = own)
        THEN RETURN NULL;
        END IF;
        \(numbering)
        INSERT INTO bolide_transaction(id, number, nonce, at, author, pipeline, run, model, changes, entries)
          SELECT own, last, word, at, author, pipeline, run, s.model_version, coalesce(total, 0), entries FROM bolide_store AS s;
        PERFORM pg_notify(\(literal(channel(schema))), '');
        RETURN last;
      END $$
      """,
      // Numbers what other programs have committed.
      """
      CREATE OR REPLACE FUNCTION bolide_number() RETURNS void
      LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET jit = off AS $$
      DECLARE
        own bigint;
        last bigint;
      BEGIN
        \(numbering)
      END $$
      """,
    ]
  }

  /// Numbers what is pending, in the order of each one's last change, and sets `last` to the newest number: that of `own`, which the
  /// caller keeps, where `own` is not null. It is one statement, as all of it is of one moment. Compiling it would take longer than it does.
  private static let numbering = """
    PERFORM pg_advisory_xact_lock(\(lockClass), hashtext(current_schema()));
    WITH store AS MATERIALIZED (SELECT * FROM bolide_store),
      pending AS MATERIALIZED (SELECT id FROM bolide_pending),
      newest AS (SELECT greatest((SELECT newest_id FROM store), own, max(id)) AS id FROM pending),
      numbered AS (
        INSERT INTO bolide_transaction(id, number, nonce, at, model, changes, entries)
        SELECT p.id, s.last_number + row_number() OVER (ORDER BY c.seq), bolide_word(), clock_timestamp(), s.model_version,
          c.changes, c.entries
        FROM store AS s CROSS JOIN pending AS p CROSS JOIN LATERAL (
          SELECT max(coalesce(last_seq, seq)) AS seq, sum(coalesce(last_id, id) - id + 1) AS changes, count(*) AS entries
          FROM bolide_change WHERE transaction = p.id) AS c
        WHERE p.id IS DISTINCT FROM own RETURNING id),
      closed AS (
        DELETE FROM bolide_open
        WHERE id = own OR id IN (SELECT id FROM pending) OR until <= pg_snapshot_xmin(pg_current_snapshot())),
      missing AS (
        INSERT INTO bolide_open SELECT i.id, \(nextXID)
        FROM generate_series((SELECT newest_id FROM store) + 1, (SELECT id FROM newest)) AS i(id)
        WHERE i.id IS DISTINCT FROM own AND NOT EXISTS (SELECT FROM pending AS p WHERE p.id = i.id))
    UPDATE bolide_store AS s SET newest_id = n.id,
        last_number = s.last_number + (SELECT count(*) FROM numbered) + (own IS NOT NULL)::integer
      FROM newest AS n WHERE own IS NOT NULL OR EXISTS (SELECT FROM pending) RETURNING s.last_number INTO last;
    """

  /// An id of the server's behind all that transactions under way have, as a query of SQL. The snapshot tells how far those go that have
  /// ended; each that is under way has a lock on its own, of which the lock shows the lower half.
  static let nextXID = """
    (SELECT (ended + coalesce(max(distance) FILTER (WHERE distance < 2147483648) + 1, 0))::text::xid8
    FROM (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint) AS s(ended) LEFT JOIN LATERAL (
      SELECT (transactionid::text::bigint - ended) & 4294967295 FROM pg_locks WHERE locktype = 'transactionid') AS l(distance) ON true
    GROUP BY ended)
    """
}
