"""Texts that are made to break quotes: in pipelines, predicates, arguments and metrics."""
import json, re
from . import ground, models

# What stands beside a quote and forms one character with it, and what means something to SQL, a shell or a terminal.
ALPHABET = [
  "'", "'", "'", '"', "`", "\\", ";", "--", "/*", "*/", "(", ")", "[", "]", "%", "_", "?", "$a", ":b", "@c", " ",
  "OR 1=1", "x", "\xe9",
  "\u0d4e", "\u0600", "\u0605", "\u06dd", "\u070f", "\U000110bd", "\u0301", "\u0300", "\u0303", "\u20e3", "\u093f",
  "\ufe0f", "\ufe0e", "\u200d", "\u200c", "\U0001f3fb", "\U000e0061", "\U0001f468", "\U0001f1e6", "\u1100", "\u1161",
  "\r\n", "\n", "\t", "\u2028", "\ufeff",
]
USERS = """bolide: 1
name: users
store: u.sqlite
entity: U
key: id
attributes: { id: integer64, name: string, more: { type: string, default: "" } }
"""
# Each would read, change or make what no predicate may.
ESCAPES = (
  "id IN (SELECT id FROM Quake)", "1; DELETE FROM Quake", "1) --", "id = 'a' UNION SELECT 1", "EXISTS (SELECT 1)",
  "(SELECT count(*) FROM bolide_run) > 0", "load_extension('x')", "writefile('x', 'y')", "readfile('/etc/passwd') > 0",
  "1 RETURNING *", "id = ?1", "zeroblob(2000000000) > 0", "id MATCH 'x'", "fts5(id)", "json_each(id)", "\"id", "'id",
  "id COLLATE nothing = 'a'", "/* id", "ATTACH 'x' AS y", "PRAGMA user_version", "count(*) > 0",
  "row_number() OVER () > 0", "main.Quake.id = 'a'", "bolide_run.run = 1", "sqlite_schema.sql = 'a'",
  "CASE WHEN 1 THEN (SELECT 1) END", "(" * 5000 + "1" + ")" * 5000,
)


ROWS = 1000


def hostile(dice, length=8):
  return "".join(dice.choice(ALPHABET) for _ in range(dice.randrange(1, length)))


def quoted(text):
  return "'" + text.replace("'", "''") + "'"


def filled(suite, name, texts):
  """A box whose store has a row for each text."""
  box = ground.box(suite, name, "calm")
  box.own |= {f"work/u.sqlite{ending}" for ending in ("", "-wal", "-shm", "-bolide")}
  box.write("u.yaml", USERS)
  box.write("u.json", json.dumps([{"id": n, "name": text} for n, text in enumerate(texts)]))
  box.run("import", "u.yaml", "u.json")
  return box


def stored(box, table="U", column="name", where="1"):
  db = box.sql("u.sqlite")
  try:
    return [row[0] for row in db.execute(f'SELECT "{column}" FROM "{table}" WHERE {where} ORDER BY rowid')]
  finally:
    db.close()


def predicates(suite, name):
  """A quoted literal finds its text and nothing else, and what matches nothing deletes nothing: a thousand texts."""
  texts = []
  box = ground.box(suite, name, "calm")
  dice = box.dice
  ground.remove(box)
  while len(texts) < ROWS:
    text = hostile(dice)
    if text not in texts:
      texts.append(text)
  box = filled(suite, name, texts)
  if stored(box) != texts:
    box.problem("the store does not hold the texts as they came")
    return box
  # Half of the literals are of texts that are in no row.
  others = [hostile(dice, 9) + "#" for _ in range(ROWS)]
  for place in range(0, ROWS, 50):
    wanted = texts[place:place + 50]
    result = box.run("fetch", "u.sqlite", "U", "--only", "name", "--where",
                     "name IN (" + ", ".join(map(quoted, wanted + others[place:place + 50])) + ")")
    found = [json.loads(line)["name"] for line in result.out.decode().splitlines()] if not result.status else None
    if found != wanted:
      box.problem(f"{len(found or [])} of 50 texts are found by their literals (status {result.status})")
  for text in others[:8]:
    box.run("delete", "u.sqlite", "U", "--where", f"name = {quoted(text)}")
    if stored(box) != texts:
      box.problem(f"deleting {text!r}, which no row has, leaves {len(stored(box))} of {len(texts)} rows")
      return box
  for _ in range(8):
    text = texts.pop(dice.randrange(len(texts)))
    box.run("delete", "u.sqlite", "U", "--where", f"name = {quoted(text)}")
    if stored(box) != texts:
      box.problem(f"deleting {text!r} leaves {len(stored(box))} rows instead of {len(texts)}")
      return box
  return box


def pipeline(suite, name):
  """One text in every place of a pipeline where any text may stand: it is kept as it is, and is nothing else."""
  box = ground.box(suite, name, "calm")
  box.own |= {f"work/u.sqlite{ending}" for ending in ("", "-wal", "-shm", "-bolide")}
  number = name.rsplit(" ", 1)[1]
  known = [
    "\u0d4e'); " + models.SQL, "it'\u0301s", "5'\u20e3 pipe", "'\u200d); " + models.SQL, 'a\u0d4e",evil="1',
    "a\r\nb_total 1", "a\\"]
  text = known[int(number)] if int(number) < len(known) else hostile(box.dice, 12).lstrip("\ufeff")
  # A name that begins or ends with blanks is another matter.
  name_text = "n" + text + "n"
  say = lambda value: json.dumps(value, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\ufeff", "\\ufeff")
  box.write("t.yaml", f"""bolide: 1
name: {say(name_text)}
author: {say(name_text)}
store: u.sqlite
entity: U
key: id
check: [{say(f"literal IS NULL OR literal = {quoted(text)}")}]
attributes:
  id: {{ type: integer64, description: {say(text)} }}
  name: {{ type: string, one-of: [{say(text)}, other], default: {say(text)} }}
  gone: {{ type: string, missing: [{say(text)}] }}
  literal: {{ type: string, value: {say(quoted(text))} }}
  ownerName: {{ type: string, transient: true, value: {say(quoted(text))} }}
link: {{ owner: {{ to: {{ title: {say(quoted(text))} }} }} }}
entities:
  Owner:
    key: title
    attributes:
      title: string
      all: {{ derived: us.@count, where: {say(f"name = {quoted(text)}")} }}
      none: {{ derived: us.@count, where: {say(f"name <> {quoted(text)}")} }}
    relationships: {{ us: {{ to-many: U, inverse: owner, on-delete: nullify }} }}
    fetched:
      same: {{ entity: U, where: {say(f"name = {quoted(text)}")} }}
      asked: {{ entity: U, where: "name = $FETCHED_PROPERTY.x", info: {{ x: {say(text)} }} }}
""")
  box.write("t.json", json.dumps([{"id": 1, "name": text, "gone": text}, {"id": 2, "gone": "here"}]))
  checked = box.run("check", "t.yaml")
  for words in (("import", "t.yaml", "t.json", "--dry-run"), ("import", "t.yaml", "t.json")):
    imported = box.run(*words)
    if imported.status != checked.status:
      box.problem(f"check ends with {checked.status}, {' '.join(words)} with {imported.status}: "
                  f"{imported.err.decode('utf-8', 'replace')[:200]!r} for {text!r}")
  if checked.status:
    box.problem(f"check refuses {text!r}: {checked.err.decode('utf-8', 'replace')[:200]!r}")
    return box
  if imported.status not in (0, 3):
    return box
  db = box.sql("u.sqlite")
  kept = db.execute("SELECT name, gone, literal FROM U ORDER BY id").fetchall()
  if kept != [(text, None, text), (text, "here", text)]:
    box.problem(f"{text!r} is kept as {kept}")
  owners = db.execute('SELECT title, "all", "none" FROM Owner').fetchall()
  if owners != [(text, 2, 0)]:
    box.problem(f"the owner of {text!r} is {owners}")
  db.close()
  for words in (("verify",), ("schema",), ("changes", "--author", name_text, "--count")):
    if (result := box.run(words[0], "u.sqlite", *words[1:])).status:
      box.problem(f"{words[0]} ends with {result.status}: {result.err[:200]}")
  for words in (("--with", "same"), ("--with", "asked")):
    result = box.run("fetch", "u.sqlite", "Owner", *words)
    if not result.status and len(json.loads(result.out)[words[1]]) != 2:
      box.problem(f"{words[1]} finds others than the two of {text!r}")
  # A reader's name, a run's and the store's path are labels.
  box.run("readers", "u.sqlite", "add", name_text, "--from", "now")
  metrics(box, box.run("status", "--format", "prometheus", "u.sqlite").out.decode(), name_text)
  return box


def names(suite, name):
  """A text as the name of an entity, an attribute or a relationship: refused by `check`, or taken by all commands."""
  box = ground.box(suite, name, "calm")
  box.own |= {f"work/u.sqlite{ending}" for ending in ("", "-wal", "-shm", "-bolide")}
  # A slash is a path in the record.
  text = (box.dice.choice(("", "a", "sqlite_", "bolide_")) + hostile(box.dice, 6)).replace("/", "|")
  entity, attribute = (text, "id") if " entity " in name else ("U", text)
  box.write("t.yaml", "bolide: 1\nstore: u.sqlite\n" + "".join(f"{key}: {json.dumps(value)}\n" for key, value in {
    "entity": entity, "key": attribute, "attributes": {attribute: "integer64", "plain": "string"}}.items()))
  box.write("t.json", json.dumps([{attribute: 1, "plain": "x"}]))
  checked = box.run("check", "t.yaml")
  imported = box.run("import", "t.yaml", "t.json")
  if checked.status != imported.status:
    box.problem(f"check ends with {checked.status}, import with {imported.status} for {text!r}: {imported.err[:200]}")
  if imported.status == 0:
    for words in (("verify", "u.sqlite"), ("fetch", "u.sqlite", entity), ("schema", "u.sqlite")):
      if (result := box.run(*words)).status:
        box.problem(f"{words[0]} ends with {result.status} for {text!r}: {result.err[:200]}")
    metrics(box, box.run("status", "--format", "prometheus", "u.sqlite").out.decode(), "t")
  return box


SAMPLE = re.compile(r'([a-z_]+)\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*)\} (-?[0-9.e+-]+|NaN|[+-]Inf)')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\\n]|\\[\\"n])*)"')
KNOWN = {"store", "pipeline", "became", "entity", "reader"}


def metrics(box, text, pipeline):
  """Parses metrics as strictly as their format is written: each line, each label, and the pipeline's own name."""
  seen = set()
  # Some readers of the format end a line at a carriage return too: it is written as a blank.
  pipeline = pipeline.replace("\r", " ")
  for line in text.split("\n")[:-1]:
    if line.startswith("# "):
      continue
    match = SAMPLE.fullmatch(line)
    if not match or not match[1].startswith("bolide_"):
      return box.problem(f"no line of metrics: {line[:160]!r}")
    labels = {key: re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], value)
              for key, value in LABEL.findall(match[2])}
    if strange := labels.keys() - KNOWN:
      return box.problem(f"a label that is not the tool's: {strange} in {line[:160]!r}")
    seen.add(labels.get("pipeline"))
  if seen - {None, pipeline} or pipeline not in seen:
    box.problem(f"metrics of {seen - {None}} instead of {pipeline!r}")


def arguments(suite, name):
  """What is wrong on the command line is said without what a terminal would take for its own."""
  box = ground.box(suite, name, "calm")
  command = name.rsplit(" ", 1)[1]
  evil = "x\x1b[31m\r\n\u202e"
  for words in ((f"--{evil}",), ("s.sqlite", evil, evil, evil), ("s.sqlite", "Quake", f"--limit={evil}"), (evil,),
                ("s.sqlite", "--format", evil), ("s.sqlite", "--since", evil), ("s.sqlite", "Quake", "--at", evil),
                ("s.sqlite", "Quake", "--where", evil), ("s.sqlite", "--reader", evil),
                ("s.sqlite", "--lock-wait", evil)):
    box.run(command, *words)
  return box


def escapes(suite, name):
  """A predicate that asks for more than attributes is refused, and nothing is done."""
  box = ground.box(suite, name, "calm")
  text = ESCAPES[int(name.rsplit(" ", 1)[1])]
  def count():
    db = box.sql()
    try:
      return db.execute("SELECT count(*) FROM Quake").fetchone()[0]
    finally:
      db.close()
  before = count()
  for words in (("fetch",), ("delete",), ("fetch", "--count")):
    result = box.run(words[0], "s.sqlite", "Quake", *words[1:], "--where", text)
    if count() != before:
      box.problem(f"rows are gone after {text[:60]!r}")
    if result.status not in (0, 64, 65, 78):
      box.problem(f"status {result.status} for {text[:60]!r}: {result.err[:160]}")
  return box


def tries(suite):
  found = [("texts: quoted literals", f"texts: {ROWS} literals {n}", predicates) for n in range(8)]
  found += [("texts: in a pipeline", f"texts: in a pipeline {n}", pipeline) for n in range(200)]
  found += [("texts: as names", f"texts: as an {what} name {n}", names)
            for n in range(150) for what in ("entity", "attribute")]
  found += [("texts: arguments", f"texts: arguments of {command}", arguments)
            for command in suite.names if command not in ("help", "bench")]
  found += [("texts: predicates", f"texts: predicate {n}", escapes) for n in range(len(ESCAPES))]
  return found
