internal import Foundation
package import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface

/// The tables that every store has, whatever its model. They are the file format: see *The store's file* in the
/// documentation.
package enum StoreSchema {
  /// The format that this version writes and reads, kept as `PRAGMA user_version`.
  package static let format: Int64 = 2

  /// Marks the file as a store (`PRAGMA application_id`): "Bold" in ASCII.
  package static let applicationID: Int64 = 0x426f_6c64

  static let sql: StaticString = """
    CREATE TABLE bolide_store(
      id      TEXT NOT NULL,                        -- the store's name in its tokens
      created TEXT NOT NULL,
      folding INTEGER NOT NULL,                     -- the version of canonical, uppercase and lowercase
      triggers TEXT NOT NULL,                       -- a digest of Bolide's triggers
      digest_key BLOB NOT NULL                      -- 16 random bytes: the key of the digests in bolide_reject
    ) STRICT;

    -- The model, one row a version. Entities and properties keep their number for good, whatever their name.
    CREATE TABLE bolide_model(
      version INTEGER PRIMARY KEY AUTOINCREMENT,
      since   TEXT NOT NULL,
      model   TEXT NOT NULL                         -- JSON
    ) STRICT;
    CREATE TABLE bolide_entity(
      entity INTEGER PRIMARY KEY AUTOINCREMENT,
      name   TEXT NOT NULL UNIQUE
    ) STRICT;
    CREATE TABLE bolide_property(
      property INTEGER PRIMARY KEY AUTOINCREMENT,
      entity   INTEGER NOT NULL REFERENCES bolide_entity,
      name     TEXT NOT NULL,                       -- an attribute's or a to-one relationship's
      UNIQUE (entity, name)
    ) STRICT;

    -- History. Changes are numbered as they are made; a transaction owns the range from first_change to
    -- last_change. Changes above the last transaction's range were made by other programs and are not sealed yet.
    CREATE TABLE bolide_transaction(
      number       INTEGER PRIMARY KEY AUTOINCREMENT,
      nonce        TEXT    NOT NULL,
      at           TEXT    NOT NULL,
      author       TEXT,
      run          INTEGER,                         -- bolide_run; null for other programs' changes
      model        INTEGER NOT NULL,                -- bolide_model
      first_change INTEGER NOT NULL,
      last_change  INTEGER NOT NULL,
      inserted     INTEGER NOT NULL,                -- objects
      updated      INTEGER NOT NULL,
      deleted      INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE bolide_change(
      change INTEGER PRIMARY KEY AUTOINCREMENT,
      entity INTEGER NOT NULL,                      -- bolide_entity
      kind   INTEGER NOT NULL,                      -- 0 insert, 1 update, 2 delete
      first  INTEGER NOT NULL,                      -- bolide_id
      last   INTEGER NOT NULL                       -- the same, or the end of a run of inserts
    ) STRICT;
    CREATE INDEX bolide_change_deletes ON bolide_change(entity, first) WHERE kind = 2;
    -- An update's changed properties with the values before it; all that were not null for a delete.
    CREATE TABLE bolide_previous(
      change   INTEGER NOT NULL,                    -- bolide_change
      property INTEGER NOT NULL,                    -- bolide_property
      value    ANY,
      PRIMARY KEY (change, property)
    ) STRICT, WITHOUT ROWID;

    -- Previous values that an erasure took out of history: those of an object that was erased, and copies of its values.
    CREATE TABLE bolide_erased(
      change   INTEGER NOT NULL,                    -- bolide_change
      property INTEGER NOT NULL,                    -- bolide_property; 0 for all values of the change
      number   INTEGER NOT NULL,                    -- bolide_transaction: the erasure
      PRIMARY KEY (change, property)
    ) STRICT, WITHOUT ROWID;
    -- Erasures after which the free pages and the log were not emptied yet.
    CREATE TABLE bolide_erasure(
      number INTEGER PRIMARY KEY                    -- bolide_transaction
    ) STRICT;

    -- The newest transaction that was pruned, one row at most: its token stays good. Changes up to last_change are
    -- nobody's any more.
    CREATE TABLE bolide_pruned(
      number      INTEGER PRIMARY KEY,
      nonce       TEXT    NOT NULL,
      at          TEXT    NOT NULL,
      last_change INTEGER NOT NULL
    ) STRICT;
    -- Numbers that a restored store had handed out before it was restored. They are no places in this history.
    CREATE TABLE bolide_lost(
      first   INTEGER PRIMARY KEY,
      last    INTEGER NOT NULL,
      noticed TEXT    NOT NULL
    ) STRICT;
    -- Transactions before which changes were made that no transaction holds: nobody can catch up over one.
    CREATE TABLE bolide_gap(
      number INTEGER PRIMARY KEY,                   -- bolide_transaction
      reason TEXT NOT NULL
    ) STRICT;
    -- Transactions that gave attributes a wider type. What history keeps of their values is told in it too.
    CREATE TABLE bolide_widening(
      number   INTEGER NOT NULL,                    -- bolide_transaction
      property INTEGER NOT NULL,                    -- bolide_property
      was      TEXT    NOT NULL,                    -- the type before
      type     TEXT    NOT NULL,
      PRIMARY KEY (number, property)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE bolide_reader(
      name     TEXT    PRIMARY KEY,
      number   INTEGER NOT NULL,                    -- the newest transaction acknowledged; 0 for none
      nonce    TEXT    NOT NULL,
      diverged INTEGER NOT NULL DEFAULT 0,          -- 1 after a restore, until the reader begins again
      added    TEXT    NOT NULL,
      moved    TEXT    NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- Another program's name for itself, inside its transaction: it inserts a row, writes, and deletes the row.
    CREATE TABLE bolide_author(
      name  TEXT NOT NULL,
      first INTEGER                                 -- its first change; the trigger says it
    ) STRICT;
    -- What was written under a name and is in no transaction yet.
    CREATE TABLE bolide_signed(
      first INTEGER PRIMARY KEY,                    -- bolide_change
      last  INTEGER NOT NULL,
      name  TEXT    NOT NULL
    ) STRICT;

    -- Derived values to be computed anew by the next Bolide command that can write.
    CREATE TABLE bolide_dirty(
      property INTEGER NOT NULL,                    -- bolide_property: the derived attribute
      hop      INTEGER NOT NULL,                    -- 0: of the object itself; n: of all that come by it after n hops
      object   INTEGER NOT NULL,                    -- bolide_id
      PRIMARY KEY (property, hop, object)
    ) STRICT, WITHOUT ROWID;

    -- Rows are here only while a trigger writes derived values: what other programs write into them is put right.
    CREATE TABLE bolide_deriving(
      entity INTEGER NOT NULL,                      -- bolide_entity; 0 for all
      object INTEGER,                               -- bolide_id: what is written is its, or follows from it; null to put right
      part   INTEGER,                               -- which of its sums; null where none is added up
      p0 REAL, p1 REAL,                             -- what is added
      p2 REAL, p3 REAL, p4 REAL, p5 REAL            -- the sum: its parts, the smallest first
    ) STRICT;

    CREATE TABLE bolide_run(
      run       INTEGER PRIMARY KEY AUTOINCREMENT,
      pipeline  TEXT    NOT NULL,
      author    TEXT    NOT NULL,
      input     TEXT    NOT NULL,
      started   TEXT    NOT NULL,
      ended     TEXT,                               -- null while it runs, and for ever when it was killed
      outcome   TEXT,                               -- ok, or the code of what ended it
      read      INTEGER NOT NULL DEFAULT 0,
      inserted  INTEGER NOT NULL DEFAULT 0,
      updated   INTEGER NOT NULL DEFAULT 0,
      repeated  INTEGER NOT NULL DEFAULT 0,         -- of the updated: had come before in the same run
      unchanged INTEGER NOT NULL DEFAULT 0,
      ignored   INTEGER NOT NULL DEFAULT 0,
      duplicates INTEGER NOT NULL DEFAULT 0,        -- had another's key and values
      superseded INTEGER NOT NULL DEFAULT 0,        -- had another's key, and other values
      rejected  INTEGER NOT NULL DEFAULT 0,
      chunks    INTEGER NOT NULL DEFAULT 0,
      bytes     INTEGER NOT NULL DEFAULT 0,
      rolled_back INTEGER NOT NULL DEFAULT 0,       -- records that were read and undone
      last_transaction INTEGER,                     -- bolide_transaction
      before    INTEGER NOT NULL,                   -- the last number given out when it began
      model     INTEGER NOT NULL,                   -- bolide_model
      size      INTEGER,                            -- of the whole input file, in bytes
      digest    BLOB,                               -- of the whole input file: SHA-256
      rules     BLOB,                               -- of pipeline, settings left out, and converters: SHA-256
      same_as   INTEGER,                            -- the run that imported the same bytes; then none was read
      unkept    INTEGER NOT NULL DEFAULT 0,         -- of the refused records and children, those that are not kept
      max_age   REAL,                               -- seconds until the next good run is overdue; null for no limit
      missing   INTEGER,                            -- rows of the pipeline that its full feed had not; null for others
      process   INTEGER,                            -- the run's process id
      process_start TEXT,                           -- when that started, as the system counts; null where it does not tell
      boot      TEXT,                               -- the system's boot and its space of process ids; null as above
      reverted  INTEGER,                            -- bolide_transaction: the revert that took back what it did
      gone      INTEGER NOT NULL DEFAULT 0,         -- rows that it deleted or marked, as a full feed has them no more
      skipped   INTEGER NOT NULL DEFAULT 0          -- of several inputs, those that were not read, as they change nothing
    ) STRICT;
    -- What became of the children that a run read, one row an entity: see `children` in a pipeline.
    CREATE TABLE bolide_run_child(
      run       INTEGER NOT NULL,                   -- bolide_run
      entity    TEXT    NOT NULL,                   -- the children's
      read      INTEGER NOT NULL,
      inserted  INTEGER NOT NULL,
      updated   INTEGER NOT NULL,
      repeated  INTEGER NOT NULL,
      unchanged INTEGER NOT NULL,
      ignored   INTEGER NOT NULL,
      duplicates INTEGER NOT NULL,
      superseded INTEGER NOT NULL,
      rejected  INTEGER NOT NULL,
      rolled_back INTEGER NOT NULL,
      PRIMARY KEY (run, entity)
    ) STRICT, WITHOUT ROWID;
    -- The last complete run of each pipeline with a full feed, and what such runs saw: see `missing`.
    CREATE TABLE bolide_complete(
      pipeline TEXT    NOT NULL,
      entity   TEXT    NOT NULL,                    -- the records', or their children's
      run      INTEGER NOT NULL,                    -- bolide_run
      PRIMARY KEY (pipeline, entity)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE bolide_seen(
      pipeline TEXT    NOT NULL,
      entity   TEXT    NOT NULL,
      page     INTEGER NOT NULL,                    -- of 4,096 object ids, one bit each, the lowest bit first
      last     BLOB    NOT NULL,                    -- the last complete run saw them
      missing  BLOB    NOT NULL,                    -- earlier complete runs saw them, and the last one did not
      PRIMARY KEY (pipeline, entity, page)
    ) STRICT, WITHOUT ROWID;
    -- Fields of the records that a pipeline's file does not use, and the first run that met them.
    CREATE TABLE bolide_field(
      pipeline TEXT    NOT NULL,
      name     TEXT    NOT NULL,
      run      INTEGER NOT NULL,                    -- bolide_run
      entity   TEXT,                                -- of the attribute that `on-new-field: add` made for it; null for none
      attribute TEXT,
      added    TEXT,                                -- what it is, as JSON
      PRIMARY KEY (pipeline, name)
    ) STRICT, WITHOUT ROWID;
    -- What a run's records had in the field that an attribute is read from.
    CREATE TABLE bolide_run_field(
      run       INTEGER NOT NULL,                   -- bolide_run
      entity    TEXT    NOT NULL,
      attribute TEXT    NOT NULL,
      field     TEXT    NOT NULL,                   -- its path in a record
      records   INTEGER NOT NULL,                   -- that were looked at
      present   INTEGER NOT NULL,                   -- of them, those that had it, also as null
      nulls     INTEGER NOT NULL,                   -- of these, those that had it as null
      PRIMARY KEY (run, entity, attribute)
    ) STRICT, WITHOUT ROWID;
    -- Inputs of imports of several: what each was, and that it needs not be read while its rows are as it left them.
    CREATE TABLE bolide_input(
      input    INTEGER PRIMARY KEY,
      pipeline TEXT    NOT NULL,
      size     INTEGER NOT NULL,                    -- in bytes
      digest   BLOB    NOT NULL,                    -- SHA-256
      rules    BLOB    NOT NULL,                    -- as in bolide_run
      model    INTEGER NOT NULL,                    -- bolide_model
      run      INTEGER NOT NULL,                    -- bolide_run: the last good one that read or skipped it
      change   INTEGER NOT NULL,                    -- bolide_change: the last one when its rows were as it left them
      records  INTEGER NOT NULL,
      counts   TEXT    NOT NULL,                    -- what became of its records, and of each list of children: JSON
      fields   TEXT    NOT NULL,                    -- what its records had in fields, as in bolide_run_field: JSON
      UNIQUE (pipeline, digest)
    ) STRICT;
    CREATE TABLE bolide_input_rows(
      input    INTEGER NOT NULL,                    -- bolide_input
      list     INTEGER NOT NULL,                    -- 0: rows that its records have met; n: rows of the pipeline's nth children
      first    INTEGER NOT NULL,                    -- bolide_id
      last     INTEGER NOT NULL,
      PRIMARY KEY (input, list, first)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX bolide_run_size ON bolide_run(size) WHERE digest IS NOT NULL;
    """

  /// The triggers of Bolide's own tables, by name, as SQLite keeps them.
  static let triggers = [
    "bolide_author_signs": """
    CREATE TRIGGER bolide_author_signs AFTER INSERT ON bolide_author BEGIN
      UPDATE bolide_author SET first =
        \(ChangeNumbers.made) + 1 WHERE rowid = NEW.rowid;
    END
    """,
    // A row that an earlier transaction left behind signs nothing.
    "bolide_author_signed": """
    CREATE TRIGGER bolide_author_signed AFTER DELETE ON bolide_author BEGIN
      INSERT INTO bolide_signed SELECT OLD.first, made, OLD.name FROM (SELECT \(ChangeNumbers.made) AS made)
      WHERE made >= OLD.first
      AND OLD.rowid > ifnull((SELECT max(rowid) FROM bolide_author), 0);
    END
    """,
  ].merging(SumSQL.triggers) { $1 }

  static let rejectSQL: StaticString = """
    CREATE TABLE bolide_reject(
      reject      INTEGER PRIMARY KEY AUTOINCREMENT,
      pipeline    TEXT    NOT NULL,
      fingerprint INTEGER NOT NULL,                 -- a digest of code, attribute and text
      first_run   INTEGER NOT NULL,
      last_run    INTEGER NOT NULL,
      times       INTEGER NOT NULL DEFAULT 1,
      code        TEXT    NOT NULL,
      message     TEXT    NOT NULL,
      attribute   TEXT,
      input       TEXT    NOT NULL,                 -- where it stood the last time
      record      INTEGER NOT NULL,
      byte        INTEGER NOT NULL,
      line        INTEGER NOT NULL,
      column      INTEGER NOT NULL,
      text        INTEGER,                          -- bolide_reject_text: the record; null when it is not kept
      is_cut      INTEGER NOT NULL,                 -- whether the text is only the record's beginning
      entity      TEXT,                             -- of a refused child, what it would have become; else null
      child       INTEGER NOT NULL DEFAULT 0,       -- its number in its array, from 1; the text is its whole record's
      around      INTEGER,                          -- bolide_reject_text: what it stood in; null for nothing
      key         INTEGER,                          -- a digest of the record's key; null when it cannot be read
      read_since  INTEGER,                          -- the run that read this key after the refusal
      UNIQUE (pipeline, fingerprint)
    ) STRICT;
    CREATE INDEX bolide_reject_key ON bolide_reject(pipeline, key) WHERE key IS NOT NULL AND read_since IS NULL;
    CREATE INDEX bolide_reject_run ON bolide_reject(last_run);
    CREATE INDEX bolide_reject_of_text ON bolide_reject(text) WHERE text IS NOT NULL;
    CREATE INDEX bolide_reject_around ON bolide_reject(around) WHERE around IS NOT NULL;
    -- Texts that refused records have, each once: the records, and as JSON what they stood in, which is the names of a
    -- row's columns or the keys that wildcards matched.
    CREATE TABLE bolide_reject_text(
      id     INTEGER PRIMARY KEY,
      digest INTEGER NOT NULL,
      text   TEXT    NOT NULL
    ) STRICT;
    CREATE INDEX bolide_reject_text_digest ON bolide_reject_text(digest);
    """

  /// Whether a table's statement, as SQLite keeps it, is one of these to the byte.
  static func holds(_ statement: String) -> Bool {
    // A literal's bytes end with a zero.
    [sql, rejectSQL].contains {
      strstr(UnsafeRawPointer($0.utf8Start).assumingMemoryBound(to: CChar.self), "\(statement);") != nil
    }
  }

  /// Makes the tables in an empty file.
  package static func create(_ db: Database) throws {
    try db.runAll(sql)
    try db.runAll(rejectSQL)
    for trigger in triggers.values { try db.run(trigger) }
    try db.run(
      "INSERT INTO bolide_store VALUES (?, ?, \(TextFolding.version), '', randomblob(16))",
      .text(randomWord(length: 6)),
      .text(timestamp()))
    try db.run("PRAGMA application_id = \(applicationID)")
    try db.run("PRAGMA user_version = \(format)")
  }
}
