"""Pipelines and arguments that are out of all proportion: refused by name, or harmless."""
import os
from . import ground

PLAIN = """bolide: 1
name: s
store: u.sqlite
entity: U
key: id
attributes:
  id: integer64
  d:  date
  n:  double
"""
# A number of each kind that a clock, a counter or a text cannot hold.
SETTINGS = [
  f"{key}: {value}" for key, values in {
    "max-age": ("1e300d", "99999999999999y", "-1d", "0s", "1e-300s", "nand", "9223372036854775807s"),
    "lock-wait": ("1e300s", "99999999999y", "-1s", "9223372036854775808s"),
    "wal-limit": ("99999999999GiB", "1e300GiB", "-1", "0"),
    "max-rejects": ("1e300%", "-1", "9223372036854775808", "101%", "nan%"),
    "chunk-rows": ("0", "-1", "9223372036854775807", "1e9"),
    "history":
      (
        "{ keep: 1e300y }", "{ transactions: 9223372036854775807 }", "{ cap: 1e300 GB }",
        "{ hold-for-readers: 99999999999999y }"),
    "name": ('""', '"\\0"', '"\\x1b[31m"', "'" + "n" * 100000 + "'"),
    "author": ('"\\0"', '"\\x1b[31m\\n"'),
    "store": ('""', '"\\0"'),
    "records": ("a/" * 3000 + "b", '"\\0"', "<a>/<a>"),
    "index":
      (
        '""', '"\\0"', "[]", "[[]]", "[nothing]", "[id]", "[[d, d]]", "[D, d]", "{ d: n }", "[[[d]]]", "[bolide_id]", "[~]",
        '["d); DROP TABLE U; --"]', "[d, [d], n, [n], [d, n], [n, d]]", "[" + "[d, n, id], " * 3000 + "d]",
        "[[" + "d, " * 3000 + "n]]", "&a [[*a]]"),
    "missing":
      (
        '""', '[""]', '"\\0"', "[]", "{}", "[[a]]", "[7]", "~", "[~]", "7", '"\\x1b[31m"', "'" + "x" * 100000 + "'",
        "[" + ", ".join(f"t{n}" for n in range(20000)) + "]", "[7, 7]", '["2026-01-01"]'),
    "gone":
      ("delete", "delete\nfeed: window") + tuple(
        f"{value}\nfeed: full" for value in (
          "delete", "drop", "{ mark: d }", "{ mark: id }", "{ mark: nothing }", "{ mark: D }", "{ mark: [d] }", '{ mark: "\\0" }',
          '{ mark: "" }', "{}", "[keep, delete]", "{ mark: d, keep: d }", "{ mark: n }")),
    "max-missing":
      ("5%",) + tuple(
        f"{value}\nfeed: full" for value in ("1e300%", "-1%", "101%", "nan%", "0%", "1e-300%", "%", "5", '"\\0"')),
    "max-changed": ("1e300%", "-1%", "101%", "nan%", "0%", "1e-300%", "inf%", "5", '"5%\\0"', "[5%]"),
    "min-records":
      ("-1", "0", "1.5", "1e300", "1e3", "nan", "9223372036854775807", "9223372036854775808", "0x7", '"\\0"', "[1]"),
    "commit":
      ("chunk", "file", "Chunk", '""', '"\\0"', "[chunk]", "{ chunk: 1 }", "7", "~", "chunk\natomic: true", "chunk\nchunk-rows: 1"),
    "sort": ("key", "none", "id", "Key", '""', '"\\0"', "[key]", "{ key: d }", "7", "~", "key\nstop-on-reject: true", "key\nchunk-rows: 1"),
    "on-new-field": ("add", "fail", "Fail", '""', '"\\0"', "[add, fail]", "{ add: x }", "7", "~"),
    "on-absent-field": ("fail", "add", "Fail", '""', '"\\0"', "[fail]", "{ fail: d }", "7", "~"),
    "children":
      (
        "{}", "[]", "~", "{ c: {} }", "{ c: ~ }", "{ c: { children: {} } }",
        "&a { c: { entity: C, inverse: u, key: [u, k], children: *a } }", '{ "\\0": { entity: C, inverse: u } }',
        "{ c: { entity: U, inverse: u, key: [u, k], attributes: { k: string } } }"),
  }.items() for value in values
]
# How a date may be said to be written.
DATES = [f"{key}: {value}" for key, values in {
  "format":
    (
      '""', '"\\0"', "y" * 3000, '"' + "yyyy-" * 3000 + '"', '"\'"', '"\'\'\'"', '"yyyy\'\'"', "dd", "yyyyMMddyyyyMMdd",
      "MM/dd/yy", '"dd.MM.yyyy HH:mm\\0"', "yyyy-MM-dd-zzzz", '"yyyy-MM-dd %n%s"', "[dd, MM]", "{}", "~", "7", "day-First",
      '"ÿÿÿÿ-MM-dd"', '"yyyy-MM-dd\'' + "x" * 20000 + '\'"'),
  "zone":
    (
      '""', '"\\0"', '"Europe/Berlin\\0"', "/etc/passwd", "../../../etc/passwd", "Europe/../Europe/Berlin", "posixrules",
      "right/UTC", "localtime", "/etc/localtime", '"EST5EDT,M3.2.0,M11.1.0"', '":/etc/passwd"', '"UTC+99:99"', "GMT+1e9",
      '"+99:99"', '"-00:00"', "~", "7", "[UTC]", "{}", "Europe", "europe/berlin", "Z" * 100000, "zone.tab", '"\\x1b[31m"',
      "Factory"),
}.items() for value in values]


def nested(depth, field="", lists=1, names="c{}", entities="C{}", back="b{}", more="", key="k"):
  """The key `children` with lists in each other, so many beside each other."""
  text = ""
  for n in reversed(range(depth)):
    own = key if more else f"{back.format(n)}, {key}"
    text = (f"{{ {names.format(n)}: {{ entity: {entities.format(n)}, inverse: {back.format(n)}, {more}key: [{own}], "
      f"attributes: {{ k: integer64, f: {{ type: integer64{field} }} }}{', children: ' + text if text else ''} }} }}")
  beside = "".join(
    f", w{n}: {{ entity: W{n}, inverse: v{n}, key: [v{n}, k], attributes: {{ k: integer64 }} }}" for n in range(lists - 1))
  return f"children: {text[:-2]}{beside} }}"


# Lists in lists: deep, wide, and leading to what is not there.
NESTED = {
  "3 deep": nested(3), "30 deep": nested(30), "100 deep": nested(100), "3000 deep": nested(3000), "300 wide": nested(2, lists=300),
  "many to many": nested(3, more="many-to-many: true, "), "far out": nested(3, ", from: " + "../" * 3000 + "id"),
  "out of the record": nested(2, ", from: ../../../id"), "an outer number": nested(3, ", from: ../k"),
  "the holder itself": nested(2, ", from: .."), "the record itself": nested(2, ", from: ../../"),
  "in and out": nested(2, ", from: x/../../k"), "an outer list": nested(3, ", from: ../c1"),
  "an outer wildcard": nested(2, ", from: ../<x>"), "one relationship": nested(3, names="c"), "one inverse": nested(3, back="b"),
  "one entity": nested(3, entities="C"), "the record's entity": nested(2, entities="U"), "a list's own key": nested(3, names="k"),
  "the inverse alone": nested(3, key=""), "an inverse that is a key": nested(3, back="k"),
}

# The time of day in whatever branch: a value computed today would be another tomorrow.
CLOCKS = (
  "julianday('now') - julianday(d)",
  "iif(d IS NULL, NULL, julianday('now') - julianday(d))",
  "CASE WHEN d IS NOT NULL THEN date() END",
  "coalesce(n, strftime('%s'))",
  "CASE WHEN n > 5 THEN time('now') END",
  "strftime('%s', 'now', '-4 seconds')",
  "datetime('Now')",
  "unixepoch()",
  "strftime('%s', 'n' || 'ow')",
  "date(lower('NOW'))",
  "CURRENT_TIMESTAMP",
  "iif(d IS NULL, NULL, CURRENT_DATE)",
  "iif(d IS NULL, NULL, random())",
  "datetime(d, 'localtime')",
)
NUMBERS = (
  "-1", "0", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e300d", "1e300", "-1s",
  "99999999999999999y", "nan", "inf", "")
OPTIONS = {
  "fetch": (("s.sqlite", "Quake"), ("--limit", "--offset")),
  "diff": (("s.sqlite", "Quake", "--since", "TOKEN"), ("--limit", "--offset")),
  "changes": (("s.sqlite", "--since", "TOKEN"), ("--limit",)),
  "prune": (("s.sqlite",), ("--keep-transactions", "--older-than", "--before")),
  "rejects": (("s.sqlite",), ("--run",)),
  "missing": (("s.sqlite", "q.yaml", "--delete"), ("--guard",)),
  "migrate": (("s.sqlite", "q.yaml", "--plan"), ("--lock-wait",)),
  "import": (("q.yaml", "again.json"), ("--lock-wait", "--wal-limit", "--max-rejects", "--chunk-rows", "--connections")),
  "generate": (("fireballs", "--rows", "2"), ("--seed",)),
}
TOKENS = (
  "x", "b1-", "b1-x-1-y", "b1-x-9223372036854775807-y", "b1-x-99999999999999999999-y", "b1-x--1-y", "b1-x-1-y-1.1",
  "b1-x-1-y-9999999999999999999.1", "b2-x-1-y", "b1-\x1b[31m-1-y", "b1-x-1-y-0.9223372036854775807", "b1-x-1-y--5.-5",
  "b" * 3000, "b1-\u0661-\u0661-\u0661", "b1-x-+1-y", "b1-x-1-'; --")


def pipeline_box(suite, name, text):
  box = ground.box(suite, name, "calm")
  box.own |= {f"work/u.sqlite{ending}" for ending in ("", "-wal", "-shm", "-bolide")}
  box.write("t.yaml", text)
  box.write("t.json", '[{"id":1,"d":"2026-01-01","n":7}]')
  return box


def agreed(box):
  """`check` and `import` are of one mind; what was imported can be asked about."""
  checked, imported = box.run("check", "t.yaml"), box.run("import", "t.yaml", "t.json")
  # A record may be refused by a rule that is in order.
  if checked.status == 0 and imported.status not in (0, 3, 65) or checked.status and imported.status in (0, 3):
    box.problem(
      f"check ends with {checked.status}, import with {imported.status}: {(checked.err + imported.err)[:200]}")
  if os.path.exists(box.path("u.sqlite")):
    if os.path.getsize(box.path("u.sqlite")) == 0:
      box.problem("an empty file is left")
    for words in (("status", "u.sqlite"), ("status", "--json", "u.sqlite"), ("verify", "u.sqlite"),
                  ("import", "t.yaml", "t.json", "--force")):
      result = box.run(*words)
      if imported.status == 0 and result.status not in (0, 79):
        box.problem(f"{' '.join(words)} ends with {result.status}: {result.err[:160]}")
  return checked.status


def setting(suite, name):
  text = SETTINGS[int(name.rsplit(" ", 1)[1])]
  key = text.split(":")[0]
  kept = "".join(line + "\n" for line in PLAIN.splitlines() if not line.startswith(key + ":"))
  box = pipeline_box(suite, name, kept + text + "\n")
  agreed(box)
  return box


def date(suite, name):
  text = DATES[int(name.rsplit(" ", 1)[1])]
  box = pipeline_box(suite, name, PLAIN.replace("d:  date", f"d:  {{ type: date, {text} }}"))
  agreed(box)
  return box


def lists(suite, name):
  """Records with lists in each other, a little deeper than the pipeline's."""
  text = NESTED[name.split("lists: ", 1)[1]]
  box = pipeline_box(suite, name, f"{PLAIN}{text}\n")
  depth = min(text.count("children") + 3, 300)
  inner = "".join(f'"c{n}": [{{"k": {n}, "f": {n}, "x": {{}}, "c": [{{"k": 1, "c": []}}], ' for n in range(depth))
  box.write("t.json", f'[{{"id": 1, "d": "2026-01-01", "n": 7, {inner}"z": 0{"}]" * depth}}}]')
  agreed(box)
  return box


def clock(suite, name):
  text = CLOCKS[int(name.rsplit(" ", 1)[1])].replace("'", "''")
  for place in ("value", "check"):
    more = f"  m: {{ type: double, value: '{text}' }}\n" if place == "value" else f"check: ['{text}']\n"
    box = pipeline_box(suite, name, PLAIN + more)
    status = agreed(box)
    if status == 0:
      box.problem(f"{place}: {text} is taken")
    if box.problems or place == "check":
      return box
    ground.remove(box)


def large(suite, name):
  """More than SQLite can hold is said by `check`."""
  count = int(name.rsplit(" ", 2)[1])
  if "attributes" in name:
    more = "".join(f"  a{n}: integer64\n" for n in range(count))
  elif "checks" in name:
    more = "check: [" + ", ".join(f"n <> {n}" for n in range(count)) + "]\n"
  else:
    more = "entities:\n" + "".join(f"  E{n}: {{ key: k, attributes: {{ k: integer64 }} }}\n" for n in range(count))
  box = pipeline_box(suite, name, PLAIN + more)
  agreed(box)
  return box


def number(suite, name):
  """An option's number at the ends of what there is."""
  command = name.rsplit(" ", 1)[1]
  words, options = OPTIONS[command]
  box = None
  for option in options:
    for value in NUMBERS:
      if box and not box.problems:
        ground.remove(box)
      elif box:
        return box
      box = ground.box(suite, name, "calm")
      call = [suite.token if word == "TOKEN" else word for word in words]
      box.run(command, *call, f"{option}={value}")
  return box


def tokens(suite, name):
  """Whatever stands in a token's place: 64, or one of the four answers."""
  box = ground.box(suite, name, "calm")
  text = TOKENS[int(name.rsplit(" ", 1)[1])]
  for words in (("changes", "s.sqlite", "--since", text), ("fetch", "s.sqlite", "Quake", "--at", text),
                ("diff", "s.sqlite", "Quake", "--since", text),
                ("readers", "s.sqlite", "ack", "map", text), ("readers", "s.sqlite", "add", "new", "--from", text),
                ("prune", "s.sqlite", "--before", text)):
    result = box.run(*words)
    if result.status not in (64, 80, 81, 82, 83):
      box.problem(f"status {result.status} for the token {text[:60]!r}  [{' '.join(words[:3])!r}]")
  return box


def odd_file(suite, name):
  """What is no file where a file is wanted: one sentence that says so."""
  box = ground.box(suite, name, "calm")
  path = name.rsplit(" ", 1)[1]
  for words in (("check", path), ("import", path, "again.json"), ("check", "q.yaml", path),
                ("import", "q.yaml", path, "--dry-run"), ("migrate", "s.sqlite", path, "--plan"),
                ("missing", "s.sqlite", path), ("schema", path), ("init", path)):
    if path == "/dev/zero" and words[:2] in (("check", "q.yaml"),
                                             ("import", "q.yaml")) or (words[0], path) == ("init", "/dev/zero"):
      continue
    result = box.run(*words)
    if result.status == 0:
      box.problem(f"status 0 for {' '.join(words)}")
  return box


def tries(suite):
  found = [
    ("settings: in a pipeline", f"settings: {text.split(':')[0]} {n}", setting) for n, text in enumerate(SETTINGS)
  ]
  found += [("settings: how dates are written", f"settings: {text.split(':')[0]} of a date {n}", date)
            for n, text in enumerate(DATES)]
  found += [("settings: lists in lists", f"settings: lists: {what}", lists) for what in NESTED]
  found += [("settings: the time of day", f"settings: clock {n}", clock) for n in range(len(CLOCKS))]
  found += [("settings: more than fits", f"settings: a pipeline of {what}", large) for what in (
    "1900 attributes", "2001 attributes", "30000 attributes", "500 checks", "20000 checks", "300 entities")]
  found += [("settings: options' numbers", f"settings: numbers of {command}", number) for command in OPTIONS]
  found += [("settings: tokens", f"settings: token {n}", tokens) for n in range(len(TOKENS))]
  found += [
    ("settings: no files", f"settings: a file called {path}", odd_file)
    for path in ("/dev/null", "/dev/zero", ".", "no/such", "canary.sqlite", "s.sqlite/x")
  ]
  return found
