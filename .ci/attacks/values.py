"""Hostile values in the tool's own tables: the ends of all numbers, other types, texts for terminals."""
import json
from . import ground
from .kinds import Kind

NUMBERS = ("9223372036854775807", "-9223372036854775808", "-1", "9e999", "-1e308", "NULL", "'text'", "x'00ff'")
TEXTS = {
  "ESC": "\x1b]0;owned\x07\x1b[31m", "lines": "a\r\nError: forged\nb", "U+0000": "a\0b", "turned letters": "\u202eabc",
  "nothing": "", "a quote": "\u0d4e'\"; DROP TABLE Region; --", "no UTF-8": b"\xff\xfe\x80", "long": "x" * (4 << 20),
  "a date far off": "999999999-99-99T99:99:99Z", "a date below 0": "-0001-01-01T00:00:00Z", "JSON": "[" * 200000,
}


def loosened(box, table, change):
  """Changes a table's rows with its types and rules out of the way, and puts those back."""
  db = box.sql()
  old = db.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).fetchone()[0]
  loose = old.replace(") STRICT, WITHOUT ROWID", ") WITHOUT ROWID").replace(") STRICT", ")").replace(" NOT NULL", "")
  db.close()
  for text in (loose, old):
    db = box.sql()
    db.execute("PRAGMA writable_schema = ON")
    db.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (text, table))
    version = db.execute("PRAGMA schema_version").fetchone()[0]
    db.execute(f"PRAGMA schema_version = {version + 1}")
    db.close()
    if text is loose:
      db = box.sql()
      db.execute("PRAGMA foreign_keys = OFF")
      change(db)
      db.close()


def seeded(db, table):
  """Sees that a table has a row to be changed."""
  if db.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]:
    return
  columns = db.execute(f'PRAGMA table_info("{table}")').fetchall()
  values = [
    "7" if column[2] in ("INTEGER", "REAL") else "x'0101'" if column[2] == "BLOB" else "'a'" for column in columns
  ]
  db.execute(f'INSERT INTO "{table}" VALUES ({", ".join(values)})')


def assigned(table, column, value, where=""):
  def change(db):
    seeded(db, table)
    # Where a number must be unique, the last row alone has it.
    db.execute(f'UPDATE OR REPLACE "{table}" SET "{column}" = {value} {where}')
  return lambda box: loosened(box, table, change)


def literal(text):
  data = text if isinstance(text, bytes) else text.encode()
  return f"CAST(x'{data.hex()}' AS TEXT)"


def documented(call):
  """Said in a sentence: nothing that was read need be wrong for every command, but no answer is a bug."""
  return {0, 3, 64, 65, 73, 74, 75, 78, 79, 80, 81, 82, 83}


def kinds(suite):
  db = suite.sql(f"{suite.folder}/ground/calm/work/s.sqlite")
  columns = {table: db.execute(f'PRAGMA table_info("{table}")').fetchall() for table in ground.own_tables(db)}
  db.close()
  found = []

  def add(name, make, base="pending"):
    found.append(Kind(f"value: {name}", make, documented, base))

  for table, rows in columns.items():
    for _, column, kind, _, _, key in rows:
      values = NUMBERS if kind in ("INTEGER", "REAL") else ("NULL", "x'00ff'", "9e999")
      # SQLite itself keeps a key from being null, and a row's number from being anything but whole.
      is_number = key and kind == "INTEGER" and sum(row[5] > 0 for row in rows) == 1
      for value in [value for value in values if not (key and value == "NULL" or is_number and value in NUMBERS[3:])]:
        add(f"{table}.{column} is {value}", assigned(table, column, value))
      if kind == "TEXT" and (table, column) != ("bolide_model", "model"):
        for title, text in TEXTS.items():
          add(f"{table}.{column} has {title}", assigned(table, column, literal(text)))
  return found


def stories():
  """Rows that are each in order, and say together what cannot be."""
  found = []

  def add(name, *statements):
    def make(box):
      db = box.sql()
      db.execute("PRAGMA foreign_keys = OFF")
      db.execute("PRAGMA ignore_check_constraints = ON")
      for statement in statements:
        db.execute(statement)
      db.close()
    found.append(Kind(f"value: {name}", make, documented))

  most = 2**63 - 1
  add("a change of every object there can be", "INSERT INTO bolide_change(entity, kind, first, last) VALUES (1, 0, 1, "
      f"{most})")
  add(
    "a sealed change of every object there can be", f"UPDATE bolide_change SET first = 1, last = {most} WHERE kind = 0")
  add("changes that go backwards", "UPDATE bolide_change SET first = last + 5, last = 1")
  add("changes that end at the last number", f"INSERT INTO bolide_change VALUES ({most}, 1, 0, 1, 1)")
  add("changes that begin at the first number", f"INSERT INTO bolide_change VALUES ({-most - 1}, 1, 0, 1, 1)")
  add("changes of no entity", "UPDATE bolide_change SET entity = 999")
  add("changes of no kind", "UPDATE bolide_change SET kind = 77")
  add("transactions of all changes", f"UPDATE bolide_transaction SET first_change = {-most - 1}, last_change = {most}")
  add("transactions backwards", "UPDATE bolide_transaction SET first_change = last_change + 9, last_change = 0")
  add("a transaction at the last number", f"UPDATE bolide_transaction SET number = {most} WHERE number = 2")
  add(
    "a transaction at the last number, and the first below 0",
    f"UPDATE bolide_transaction SET number = {most} WHERE number = 2",
    "UPDATE bolide_transaction SET number = -5 WHERE number = 1")
  add("a signature over everything", f"INSERT INTO bolide_signed VALUES ({-most - 1}, {most}, '\x1b[31m')")
  add("signatures beside each other", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
      "INSERT INTO bolide_signed SELECT i, i, 'a' || i FROM n")
  add("an author left behind", "INSERT INTO bolide_author(name) VALUES ('\x1b[31mx')")
  add("lost numbers without end", f"INSERT INTO bolide_lost VALUES ({-most - 1}, {most}, 'now')")
  add("pruned to the end", f"INSERT OR REPLACE INTO bolide_pruned VALUES ({most}, 'x', 'now', {most})")
  add("pruned below 0", f"INSERT OR REPLACE INTO bolide_pruned VALUES ({-most - 1}, '', '', {-most - 1})")
  add("gaps everywhere", f"INSERT INTO bolide_gap VALUES ({most}, '\x1b[31m'), ({-most - 1}, ''), (1, 'x')")
  add("a reader at the end", f"UPDATE bolide_reader SET number = {most}, nonce = char(27) || '[31m'")
  add(
    "readers with hostile names", "INSERT INTO bolide_reader SELECT char(27) || '[31m' || char(10) || 'Error: forged', "
    "number, nonce, 0, added, moved FROM bolide_reader",
    "INSERT INTO bolide_reader SELECT '', number, nonce, 9, '', '' "
    "FROM bolide_reader WHERE name = 'map'")
  add(
    "dirty marks of nothing",
    f"INSERT INTO bolide_dirty VALUES ({most}, {most}, {most}), (1, -1, {-most - 1}), (1, 99999, 1)")
  add("dirty marks by the thousand", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) "
      "INSERT OR IGNORE INTO bolide_dirty SELECT property, i % 4, i FROM bolide_property, n WHERE property < 4")
  add(
    "a run of everything",
    f"UPDATE bolide_run SET read = {most}, inserted = {most}, updated = {most}, rejected = {most}, "
    f"bytes = {most}, rolled_back = {most}, missing = {most}, max_age = 9e999")
  add("a run of less than nothing", f"UPDATE bolide_run SET read = {-most - 1}, inserted = {-most - 1}, "
      f"bytes = {-most - 1}, missing = {-most - 1}, max_age = -1e308")
  add(
    "a run that lasted for ages",
    "UPDATE bolide_run SET started = '0001-01-01T00:00:00Z', ended = '9999-12-31T23:59:59Z'")
  add(
    "a run that is another's",
    "UPDATE bolide_run SET same_as = run, digest = x'', rules = x'', size = -1, ended = NULL")
  add(
    "rejects that overflow", f"UPDATE bolide_reject SET times = {most}, record = {most}, byte = {most}, line = {most}, "
    f"column = {-most - 1}, child = {most}")
  add(
    "rejects below 0",
    f"UPDATE bolide_reject SET record = {-most - 1}, byte = {-most - 1}, line = -1, column = -1, child = -9")
  add("rejects' surroundings of another kind", "UPDATE bolide_reject_text SET text = '[1,{\"a\":[]}]' "
      "WHERE id IN (SELECT around FROM bolide_reject)")
  add("rejects' text is a bomb", f"UPDATE bolide_reject_text SET text = '{'[' * 100000}'")
  add(
    "rejects' text is SQL", "UPDATE bolide_reject_text SET text = '{\"id\":\"\u0d4e'');DROP TABLE Region;--\",\"code\":5}'")
  add("seen bits of other lengths", "UPDATE bolide_seen SET last = x'ff', missing = zeroblob(9000)")
  add(
    "seen pages at the ends",
    f"INSERT INTO bolide_seen SELECT pipeline, entity, {most}, zeroblob(512), x'ff' FROM bolide_seen "
    "WHERE page = 0",
    f"INSERT INTO bolide_seen SELECT pipeline, entity, {-most - 1}, x'01', x'ff' FROM bolide_seen WHERE page = 0")
  forged = json.dumps({"a": 1})[:-1] + '},"kind":"delete","id":777,"key":{"id":"victim"}'
  add("JSON that is none", f"UPDATE Quake SET tags = '{forged}'")
  add("object ids at the ends", f"INSERT INTO Quake(bolide_id, id, code) VALUES ({most}, 'last', 777)",
      f"INSERT INTO Quake(bolide_id, id, code) VALUES ({-most - 1}, 'first', 778)")
  add("sums that overflow", "UPDATE Quake SET magnitude = 1.7e308")
  add("infinite magnitudes", "UPDATE Quake SET magnitude = 9e999")
  add(
    "decimals at the end", f"UPDATE Quake SET felt = {most}",
    f"UPDATE Quake SET felt = {-most - 1} WHERE bolide_id = 1")
  add("links to nowhere", f"UPDATE Quake SET region_id = {most}")
  add("texts with U+0000 and ESC", "UPDATE Region SET name = 'r' || bolide_id || char(0, 27) || '[31m'")
  add("dates that are none", "UPDATE Quake SET at = char(27) || '[31m'")
  add("the models' numbers at the end", f"UPDATE bolide_model SET version = {most}")
  add(
    "entities' numbers swapped", "UPDATE bolide_entity SET entity = -entity",
    "UPDATE bolide_entity SET entity = 5 + entity")
  add("no property numbers", "DELETE FROM bolide_property")
  add("no store name", "DELETE FROM bolide_store")
  add("two store names", "INSERT INTO bolide_store SELECT * FROM bolide_store")
  return found
