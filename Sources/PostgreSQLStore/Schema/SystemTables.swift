internal import PostgreSQLAccess

/// Bolide's own tables in a store's schema.
///
///     bolide_store         one row: who the store is, its model's version, the newest transaction's
///                          number, and the newest id that had one to give
///     bolide_model         the model, and those before it
///     bolide_entity        entities' numbers, by which history names them whatever they are called later
///     bolide_property      the same of attributes and relationships
///     bolide_transaction   a commit that has its number
///     bolide_open          ids of transactions that were missing when others got their numbers
///     bolide_pending       a view: ids of transactions that have committed and no number yet, as no Bolide command has seen them
///     bolide_change        what happened to an object in a transaction, and what an erasure has taken of the values before; or
///                          what happened to a run of objects that an import made
///     bolide_widening      transactions that gave attributes a wider type
///     bolide_gap           transactions before which readers cannot catch up: they dropped entities, made lost triggers anew, or
///                          gave a derived attribute another type
///     bolide_mark          objects whose derived attributes the next Bolide command computes; under an entity's
///                          negative number, those of what depends on an object
///     bolide_reader        named readers and their places
///     bolide_run           imports and their counts
///     bolide_reject        rejected records
///     bolide_presence      what full feeds have brought, and what the last complete run saw, or one since
///     bolide_field         fields of records that the pipeline's file does not name, and what `on-new-field: add` made of them
///     bolide_run_field     what a run's records had in the fields of attributes
///     bolide_input         inputs of imports of several, each with the rows that it has met
enum SystemTables {
  /// The session's schema. A name as it is would be read as one without quotes.
  static let namespace = "quote_ident(current_schema())::regnamespace"

  /// What tells rejected records apart that are alike otherwise: their texts, or where they are.
  static let rejectDigest =
    "md5(coalesce(md5(text), md5(input || '/' || record::text)) || coalesce(md5(around), ''))"
  static let rejectSame = """
    CREATE UNIQUE INDEX bolide_reject_same ON bolide_reject(pipeline, code, coalesce(attribute, ''), coalesce(entity, ''),
      child, \(rejectDigest))
    """

  static let markIndex = "CREATE INDEX bolide_mark_object ON bolide_mark(entity, id)"
  /// For those who publish the schema.
  static let markIdentity = "ALTER TABLE bolide_mark REPLICA IDENTITY FULL"

  static let rejectRun = "CREATE INDEX bolide_reject_run ON bolide_reject(last_run)"

  /// `number` is the newest transaction when the input's reading began, `own_number` its run's newest when it had ended; `counts`
  /// and `fields` are JSON; `rows` is as `InputRanges` has it, and empty where the input has to be read.
  static let input = """
    CREATE TABLE bolide_input(
      input bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      pipeline text NOT NULL, size bigint NOT NULL, digest bytea NOT NULL, rules bytea NOT NULL, model bigint NOT NULL,
      run bigint NOT NULL, number bigint NOT NULL, own_number bigint NOT NULL,
      records bigint NOT NULL, counts text NOT NULL, fields text NOT NULL, rows bytea NOT NULL,
      UNIQUE (pipeline, digest))
    """

  static let statements = transactionTables + ownTables + [pending]

  private static let ownTables = [
    """
    CREATE TABLE bolide_store(
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      format bigint NOT NULL,
      id text NOT NULL,
      model_version bigint NOT NULL,
      last_number bigint NOT NULL DEFAULT 0, newest_id bigint NOT NULL DEFAULT 0,
      pruned_number bigint NOT NULL DEFAULT 0,
      pruned_nonce text NOT NULL DEFAULT '000000', pruned_at timestamptz(3),
      origin text,
      created timestamptz(3) NOT NULL DEFAULT clock_timestamp())
    """,
    """
    CREATE TABLE bolide_model(
      version bigint PRIMARY KEY, model text NOT NULL, since timestamptz(3) NOT NULL DEFAULT clock_timestamp())
    """,
    "CREATE TABLE bolide_entity(number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE)",
    """
    CREATE TABLE bolide_property(
      number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      entity integer NOT NULL REFERENCES bolide_entity, name text NOT NULL, UNIQUE (entity, name))
    """,
    "CREATE SEQUENCE bolide_change_seq CACHE 1",
    """
    CREATE TABLE bolide_change(
      transaction bigint NOT NULL, entity integer NOT NULL, id bigint NOT NULL, last_id bigint,
      seq bigint NOT NULL DEFAULT nextval('bolide_change_seq'), last_seq bigint,
      kind smallint NOT NULL, rekeys boolean NOT NULL DEFAULT false,
      properties integer[], previous text[], erased integer[], erased_by bigint,
      PRIMARY KEY (transaction, entity, id))
    """,
    "CREATE INDEX bolide_change_run ON bolide_change(transaction, entity) WHERE last_id IS NOT NULL",
    "CREATE INDEX bolide_change_key ON bolide_change(entity, id) WHERE kind = 3 OR rekeys",
    """
    CREATE TABLE bolide_widening(
      transaction bigint NOT NULL, property integer NOT NULL, was text NOT NULL, type text NOT NULL,
      PRIMARY KEY (transaction, property))
    """,
    "CREATE TABLE bolide_gap(transaction bigint PRIMARY KEY, reason text NOT NULL)",
    // Nobody's mark stands for another's: who computes an object for one cannot see what the other's transaction does to it.
    "CREATE TABLE bolide_mark(entity integer NOT NULL, id bigint NOT NULL)",
    markIndex, markIdentity,
    """
    CREATE TABLE bolide_reader(
      name text COLLATE "C" PRIMARY KEY, number bigint NOT NULL, nonce text NOT NULL, moved timestamptz(3) NOT NULL,
      diverged boolean NOT NULL DEFAULT false)
    """,
    """
    CREATE TABLE bolide_run(
      run bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      pipeline text NOT NULL, author text NOT NULL, input text NOT NULL,
      started timestamptz(3) NOT NULL, ended timestamptz(3), outcome text, max_age double precision,
      model bigint NOT NULL, before bigint NOT NULL, size bigint, digest bytea, rules bytea, same_as bigint,
      \(RunLog.counts.map { "\($0) bigint NOT NULL DEFAULT 0" }.joined(separator: ", ")),
      unkept bigint NOT NULL DEFAULT 0, chunks bigint NOT NULL DEFAULT 0, bytes bigint NOT NULL DEFAULT 0,
      missing bigint, gone bigint NOT NULL DEFAULT 0, skipped bigint NOT NULL DEFAULT 0, last_number bigint,
      reverted bigint, word text NOT NULL)
    """,
    """
    CREATE TABLE bolide_run_child(
      run bigint NOT NULL REFERENCES bolide_run ON DELETE CASCADE, place integer NOT NULL, entity text NOT NULL,
      are_links boolean NOT NULL, \(RunLog.counts.map { "\($0) bigint NOT NULL" }.joined(separator: ", ")),
      PRIMARY KEY (run, place))
    """,
    """
    CREATE TABLE bolide_reject(
      reject bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      pipeline text NOT NULL, first_run bigint NOT NULL, last_run bigint NOT NULL, times bigint NOT NULL DEFAULT 1,
      code text NOT NULL, message text NOT NULL, attribute text, input text NOT NULL, entity text, child bigint NOT NULL,
      text bytea, around bytea, is_cut boolean NOT NULL, key bigint, read_since bigint,
      record bigint NOT NULL, byte bigint NOT NULL, line bigint NOT NULL, "column" bigint NOT NULL)
    """,
    "CREATE INDEX bolide_reject_key ON bolide_reject(pipeline, key) WHERE key IS NOT NULL AND read_since IS NULL",
    rejectSame, rejectRun,
    "CREATE INDEX bolide_run_pipeline ON bolide_run(pipeline, run)",
    """
    CREATE TABLE bolide_presence(
      pipeline text NOT NULL, entity integer NOT NULL, page bigint NOT NULL, brought bytea NOT NULL, last bytea NOT NULL,
      PRIMARY KEY (pipeline, entity, page))
    """,
    """
    CREATE TABLE bolide_field(
      pipeline text NOT NULL, name text NOT NULL, run bigint NOT NULL, entity text, attribute text, added text,
      PRIMARY KEY (pipeline, name))
    """,
    """
    CREATE TABLE bolide_run_field(
      run bigint NOT NULL REFERENCES bolide_run ON DELETE CASCADE, entity text NOT NULL, attribute text NOT NULL,
      field text NOT NULL, records bigint NOT NULL, present bigint NOT NULL, nulls bigint NOT NULL,
      PRIMARY KEY (run, entity, attribute, field))
    """,
    input,
  ]

  /// What the triggers call.
  static func functions(_ schema: String) -> [String] {
    transactionFunctions(schema) + general + EntityTriggers.conditions + EntityTriggers.functions
  }

  private static let general = [
    // A double's exact value: mantissa times a power of two. A cast to numeric keeps fifteen digits.
    """
    CREATE OR REPLACE FUNCTION bolide_exact(x double precision) RETURNS numeric
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
    DECLARE
      bits bigint := ('x' || encode(float8send(x), 'hex'))::bit(64)::bigint;
      exponent integer := ((bits >> 52) & 2047)::integer;
      mantissa bigint := bits & 4503599627370495;
    BEGIN
      IF exponent = 2047 THEN RETURN 'NaN'; END IF;
      IF exponent = 0 THEN exponent := 1; ELSE mantissa := mantissa | 4503599627370496; END IF;
      IF bits < 0 THEN mantissa := -mantissa; END IF;
      exponent := exponent - 1075;
      IF exponent >= 0 THEN RETURN mantissa * trunc(2::numeric ^ exponent); END IF;
      RETURN trim_scale(mantissa * trunc(5::numeric ^ -exponent) * ('1e' || exponent)::numeric);
    END $$
    """,
    // What `ExactSum` says, for sums that are queries.
    """
    CREATE OR REPLACE FUNCTION bolide_double(x numeric) RETURNS double precision
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
    BEGIN
      RETURN \(ExactSum.double("x"));
    END $$
    """,
    """
    CREATE OR REPLACE FUNCTION bolide_bigint(x numeric) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
    BEGIN
      RETURN \(ExactSum.bigint("x"));
    END $$
    """,
    ExactSum.smallMean,
    """
    CREATE OR REPLACE FUNCTION bolide_mean(x numeric, n bigint) RETURNS double precision
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
    BEGIN
      RETURN \(ExactSum.mean("x", "n"));
    END $$
    """,
    """
    CREATE OR REPLACE FUNCTION bolide_word() RETURNS text LANGUAGE sql VOLATILE AS $$
      SELECT string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (random() * 31.999)::integer % 32, 1), '')
      FROM generate_series(1, 6)
    $$
    """,
  ]

  /// Where commits are announced. A name of the server's has 63 bytes.
  static func channel(_ schema: String) -> String {
    schema.utf8.count > 56 ? schema : "bolide_\(schema)"
  }

  /// Whether the schema had another name when the functions were made: each has that name.
  static let wasRenamed = """
    EXISTS (SELECT FROM pg_proc WHERE pronamespace = \(namespace) AND proname = 'bolide_number'
      AND \(haveOtherName))
    """

  /// Whether a row of `pg_proc` is a function of a store whose schema had another name then. One from a dump has the name without
  /// quotes where it needs none.
  static let haveOtherName = """
    NOT proconfig && ARRAY['search_path=' || current_setting('search_path'), 'search_path=' || quote_ident(current_schema()) || ', pg_temp']
    """

  /// Gives to the store's owner what the session's user has made in another one's store: triggers run with the owner's rights. What
  /// others have made under such a name stays theirs, or they would have these rights by it.
  static let adoptParts = """
    DO $$ DECLARE part text; BEGIN
      FOR part IN
        SELECT format('%s %s OWNER TO %s', CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
          c.oid::regclass, s.relowner::regrole)
        FROM pg_class AS s JOIN pg_class AS c ON c.relnamespace = s.relnamespace AND c.relowner <> s.relowner
        WHERE s.oid = to_regclass('bolide_store') AND c.relkind IN ('r', 'v', 'S') AND c.relowner = current_user::regrole
          AND (starts_with(c.relname, 'bolide_') OR EXISTS (
            SELECT FROM pg_trigger WHERE tgrelid = c.oid AND tgname = 'bolide_after_insert'))
          AND NOT EXISTS (
            SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype IN ('a', 'i'))
        UNION ALL SELECT format('FUNCTION %s OWNER TO %s', p.oid::regprocedure, s.relowner::regrole)
        FROM pg_class AS s JOIN pg_proc AS p ON p.pronamespace = s.relnamespace AND p.proowner <> s.relowner
        WHERE s.oid = to_regclass('bolide_store') AND starts_with(p.proname, 'bolide_') AND p.prokind = 'f'
          AND p.proowner = current_user::regrole
      LOOP EXECUTE 'ALTER ' || part; END LOOP;
    END $$
    """

  /// Takes the lock under which transactions get their numbers, to the transaction's end.
  static func lock(_ schema: String) -> String {
    "SELECT pg_advisory_xact_lock(\(lockClass), hashtext(\(literal(schema))))"
  }

  /// The lock of the model, as two numbers: whoever changes it has it alone, and whoever writes rows shares it, to the
  /// transaction's end. It is taken before the lock of the numbers.
  ///
  /// - Parameter schema: as SQL.
  static func modelLock(_ schema: String = "current_schema()") -> String {
    "\(lockClass), hashtext(\(schema) || '/model')"
  }

  /// The first of an advisory lock's two numbers; the second is of the schema, or of what in it is locked.
  static let lockClass = 1_651_469_417
}
