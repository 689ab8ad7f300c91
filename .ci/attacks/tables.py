"""Hostile schemas: views, virtual tables, triggers and expressions in a store, and files that are no store."""
import sqlite3
from . import beside, ground
from .kinds import Kind, refused

ENDLESS = "(WITH RECURSIVE e(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM e) SELECT count(*) FROM e)"
ENTITY_TABLES = ("Region", "Quake", "Wave", "Label_quakes")


def script(text):
  """Makes a store hostile by SQL alone."""
  def make(box):
    db = box.sql()
    db.executescript(text)
    db.close()
  return make


def edit_schema(box, *statements):
  """Changes the schema's own table, which SQLite then takes as it is."""
  db = box.sql()
  db.execute("PRAGMA writable_schema = ON")
  for statement in statements:
    db.execute(*statement) if isinstance(statement, tuple) else db.execute(statement)
  version = db.execute("PRAGMA schema_version").fetchone()[0]
  db.execute(f"PRAGMA schema_version = {version + 1}")
  db.close()


def schema(*statements):
  return lambda box: edit_schema(box, *statements)


def replaced(table, sql):
  """Puts something else in the place of a table; {0} in the SQL is where its rows are now."""
  def make(box):
    db = box.sql()
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute(f'CREATE TABLE kept AS SELECT * FROM "{table}"')
    db.execute(f'DROP TABLE "{table}"')
    columns = ", ".join(f'"{row[1]}"' for row in db.execute("PRAGMA table_info(kept)"))
    db.execute(sql.format(table=f'"{table}"', columns=columns))
    db.close()
  return make


VIEW = "CREATE VIEW {table} AS SELECT * FROM kept"
ENDLESS_VIEW = "CREATE VIEW {table} AS SELECT * FROM kept WHERE 0 < " + ENDLESS
VIRTUAL = "CREATE VIRTUAL TABLE {table} USING fts5({columns})"
PLAIN = "CREATE TABLE {table}({columns})"


def unchanged(box, call, result):
  """A command that reads leaves the rows as they were where other triggers would run."""
  if call.writes:
    return
  now = rows(box)
  if now != box.rows:
    tables = sorted(name for name in now.keys() | box.rows.keys() if now.get(name) != box.rows.get(name))
    box.problem(f"reading changed {', '.join(tables)}  [{call.name!r}]")


def unfired(box, call, result):
  """Reading sets off no trigger of the user's: none of what they do is done."""
  now = rows(box)
  # An edit that is only tried settles first what other programs have left.
  if call.writes or call.tries:
    return
  if (now.get("Label") != box.rows.get("Label") or
      len(now.get("bolide_change", ())) < len(box.rows.get("bolide_change", ()))):
    box.problem(f"reading has set off a trigger  [{call.name!r}]")


def trusted(box, call, result):
  """Whoever reads is not locked out by an index of the user's; whoever writes is told what lets its triggers run."""
  if result.status in beside.fine(call):
    return
  # Who reads history, or moves in it, writes no object.
  if call.command in ("changes", "snapshot", "readers") or not call.writes and not call.tries:
    box.problem(f"status {result.status} for one who reads: {result.err[:160]}  [{call.name!r}]")
  elif b"--trust-schema" not in result.err:
    box.problem(f"does not name --trust-schema: {result.err[:160]}  [{call.name!r}]")
  else:
    again = box.run(*call.on("s.sqlite", box.suite.token), "--trust-schema")
    if again.status not in beside.fine(call):
      box.problem(f"status {again.status} with --trust-schema: {again.err[:160]}  [{call.name!r}]")


def rows(box):
  """Each table's rows, virtual ones left out."""
  db = box.sql()
  try:
    names = [
      name for name, in db.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' "
        "AND name <> 'bolide_dirty'"
      )
    ]
    return {name: sorted(map(repr, db.execute(f'SELECT * FROM "{name}"'))) for name in names}
  except sqlite3.Error as error:
    return {"error": str(error)}
  finally:
    db.close()


def guarded(make):
  """Remembers the rows that a reading command has to leave."""
  def both(box):
    make(box)
    box.rows = rows(box)
  return both


def kinds(suite):
  db = suite.sql(f"{suite.folder}/ground/calm/work/s.sqlite")
  tables = ground.own_tables(db)
  triggers = [name for name, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")]
  db.close()
  found = []

  def add(name, make, expect=None, base="pending", after=None, endless=False):
    found.append(Kind(f"schema: {name}", make, expect, base, after=after, endless=endless))

  for table in (*tables, *ENTITY_TABLES):
    add(f"view in place of {table}", replaced(table, VIEW), refused)
    add(f"endless view in place of {table}", replaced(table, ENDLESS_VIEW), refused)
    add(f"FTS5 in place of {table}", replaced(table, VIRTUAL), refused)
    add(f"no {table}", script(f'PRAGMA foreign_keys = OFF; DROP TABLE "{table}"'))
    add(f"{table} without types", replaced(table, PLAIN))
    add(f"{table} with one column", replaced(table, "CREATE TABLE {table}(x)"))
    for event in ("INSERT", "UPDATE", "DELETE"):
      own = table in tables
      add(f"endless trigger on {event} of {table}", guarded(script(
        f'CREATE TRIGGER trap AFTER {event} ON "{table}" BEGIN SELECT {ENDLESS}; END')),
        refused if own else None, after=unchanged if own else unfired, endless=not own)
      add(f"foreign trigger on {event} of {table}", guarded(script(
        f"CREATE TRIGGER spy BEFORE {event} ON \"{table}\" BEGIN UPDATE Label SET name = name || '!'; END")),
        refused if own else None, after=unchanged if own else unfired)
  for table in ENTITY_TABLES:
    add(f"trigger on {table} refuses", guarded(script(
      f"CREATE TRIGGER no BEFORE UPDATE ON \"{table}\" BEGIN SELECT RAISE(ABORT, 'no\n\x1b[31m'); END")), after=unfired)
    add(f"trigger on {table} rolls back", guarded(script(
      f"CREATE TRIGGER no BEFORE UPDATE ON \"{table}\" BEGIN SELECT RAISE(ROLLBACK, 'no'); END")), after=unfired)
    add(
      f"index that never ends on {table}",
      schema(
        (
          "INSERT INTO sqlite_schema SELECT 'index', 'slow', tbl_name, rootpage, ? FROM sqlite_schema "
          "WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL LIMIT 1",
          (f'CREATE INDEX slow ON "{table}"({ENDLESS})', table))))
    add(f"index on a function of {table}", script(
      f'CREATE INDEX slow ON "{table}"(length(printf(\'%.*c\', 200000000, \'x\')))'))
    # No handler ends a function before it is done: who writes waits for it, a few times a row, which the page of trust says.
    add(f"generated column in {table}", script(
      f'ALTER TABLE "{table}" ADD COLUMN made TEXT AS (printf(\'%.*c\', 20000000, \'x\'))'))
    add(f"CHECK that never ends on {table}", schema(
      ("UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ?) WHERE name = ?",
       (", CHECK (length(replace(printf('%.*c', 300000000, 'x'), 'x', 'yy')) > 0)) STRICT", table))))
    add(
      f"CHECK with a subquery on {table}",
      schema(
        (
          "UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ?) WHERE name = ?",
          (f", CHECK ({ENDLESS} > 0)) STRICT", table))))
    add(f"DEFAULT with a function on {table}", schema(
      ("UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ?) WHERE name = ?",
       (", more TEXT DEFAULT (load_extension('x'))) STRICT", table))))
  for trigger in triggers:
    short = trigger[:60]
    add(f"endless {short}", guarded(schema(
      ("UPDATE sqlite_schema SET sql = substr(sql, 1, instr(sql, 'BEGIN') + 4) || ? WHERE name = ?",
       (f" SELECT {ENDLESS}; END", trigger)))))
  add("no triggers", script("".join(f'DROP TRIGGER "{name}";' for name in triggers)))
  add(
    "trigger that calls itself",
    guarded(
      script(
        "CREATE TRIGGER again AFTER UPDATE ON Region BEGIN UPDATE Region SET name = name || 'x'; "
        "END; PRAGMA recursive_triggers = ON")),
    after=unfired)
  add(
    "trigger that empties history",
    guarded(
      script(
        "CREATE TRIGGER wipe AFTER UPDATE ON Quake BEGIN DELETE FROM bolide_change; DELETE FROM bolide_transaction; END"
      )),
    after=unfired)
  add("FTS5 beside, kept by triggers", script(
    "CREATE VIRTUAL TABLE find USING fts5(id); CREATE TRIGGER find_in AFTER INSERT ON Quake BEGIN "
    "INSERT INTO find VALUES (NEW.id); END; CREATE TRIGGER find_out AFTER UPDATE ON Quake BEGIN "
    "INSERT INTO find VALUES (NEW.id); END"), after=trusted)
  add("views, tables and an index of the user", script(
    "CREATE VIEW mine AS SELECT * FROM Quake; CREATE TABLE notes(a); CREATE INDEX byTime ON Quake(at); "
    "CREATE VIRTUAL TABLE words USING fts5(a)"), beside.fine)
  add("endless view of the user", script(f"CREATE VIEW mine AS SELECT {ENDLESS}"), beside.fine)
  for module in ("dbstat", "no_such_module", "rtree(a, b, c)", "fts5vocab(x, 'row')"):
    add(f"{module} in place of bolide_run", lambda box, module=module: (
      script("DROP TABLE bolide_run")(box), edit_schema(box, (
        "INSERT INTO sqlite_schema VALUES ('table', 'bolide_run', 'bolide_run', 0, ?)",
        (f"CREATE VIRTUAL TABLE bolide_run USING {module}",)))), refused)
  for title, sql in (
    ("garbage", "CREATE GARBAGE"), ("SQL behind it", "CREATE TABLE Region(a); DROP TABLE Quake"), ("null", None),
    ("U+0000", "CREATE TABLE Region(a\0b)"),
  ):
    add(f"schema text of Region is {title}", schema(("UPDATE sqlite_schema SET sql = ? WHERE name = 'Region'", (sql,))))
  add(
    "root page of Region is another's",
    schema(
      "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'bolide_run') "
      "WHERE name = 'Region'"
    ))
  add("root page of Region is far away", schema("UPDATE sqlite_schema SET rootpage = 2000000000 WHERE name = 'Region'"))
  add("root page of Region is below 0", schema("UPDATE sqlite_schema SET rootpage = -1 WHERE name = 'Region'"))
  found.extend(files())
  return found


def files():
  """Files that are no store, and stores that SQLite keeps otherwise."""
  found = []

  def add(name, make, expect=None):
    found.append(Kind(f"file: {name}", make, expect, "calm"))

  for mark in (0, 1, -1, 2**31 - 1):
    add(f"application_id {mark}", script(f"PRAGMA application_id = {mark}"), lambda call: {73})
  for version in (0, 1, 3, -1, 2**31 - 1, -2**31):
    add(f"user_version {version}", script(f"PRAGMA user_version = {version}"), lambda call: {73})
  add("user_version 2**31 - 1 and no tables", lambda box: box.write("s.sqlite", b""))

  def rebuilt(*pragmas):
    """The store's content in a file of another form."""
    def make(box):
      db = box.sql()
      statements = [sql for sql, in db.execute(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY type = 'trigger'")]
      data = {}
      for name, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        data[name] = db.execute(f'SELECT * FROM "{name}"').fetchall()
      db.close()
      box.remove_store()
      db = box.sql()
      for pragma in (*pragmas, "application_id = 0x426f6c64", "user_version = 2", "foreign_keys = OFF"):
        db.execute(f"PRAGMA {pragma}")
      for sql in [sql for sql in statements if "TRIGGER" not in sql[:20]]:
        db.execute(sql)
      db.execute("DELETE FROM sqlite_sequence")
      for name, values in data.items():
        if values:
          db.executemany(f'INSERT INTO "{name}" VALUES ({",".join("?" * len(values[0]))})', values)
      for sql in [sql for sql in statements if "TRIGGER" in sql[:20]]:
        db.execute(sql)
      db.close()
    return make

  for title, pragmas in (
    ("UTF-16", ["encoding = 'UTF-16le'"]), ("UTF-16, big end first", ["encoding = 'UTF-16be'"]),
    ("pages of 512 bytes", ["page_size = 512"]), ("pages of 64 KiB", ["page_size = 65536"]),
    ("a journal that is no WAL", ["journal_mode = DELETE"]), ("auto_vacuum", ["auto_vacuum = FULL"]),
  ):
    add(f"store with {title}", rebuilt(*pragmas))
  for title, data in (
    ("empty", b""), ("one byte", b"S"), ("a header alone", b"SQLite format 3\0" + b"\x40\0\x02\x02" + b"\0" * 80),
    ("text", b"not a database\n" * 4000), ("zeros", b"\0" * 65536),
  ):
    add(title, lambda box, data=data: box.write("s.sqlite", data))
  for table in ("bolide_change", "bolide_transaction", "bolide_run", "bolide_reject", "bolide_model", "Quake",
                "Region"):
    for value in ("9223372036854775807", "-9223372036854775808", "'text'", "x'00ff'", "9e999", "NULL", "0"):
      add(f"sqlite_sequence of {table} is {value}", script(
        f"UPDATE sqlite_sequence SET seq = {value} WHERE name = '{table}'"))
  add("sqlite_sequence empty", script("DELETE FROM sqlite_sequence"))
  add("sqlite_sequence twice", script("INSERT INTO sqlite_sequence SELECT name, seq + 1000 FROM sqlite_sequence"))
  return found
