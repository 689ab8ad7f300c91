"""Hostile models: what a store says that it holds."""
import copy, json, os
from .kinds import Kind, wrong

# Characters that form one with a quote beside them, before and behind it.
PREPEND, COMBINING = ("\u0d4e", "\u0600"), ("\u0301", "\u20e3", "\ufe0f", "\u200d")
CHARS = ",".join(str(ord(letter)) for letter in "../sibling/pwned.sqlite")
STEAL = ",".join(str(ord(letter)) for letter in "../sibling/passwords.sqlite")
SQL = (f"ATTACH char({CHARS}) AS pwn; ATTACH char({STEAL}) AS v; "
       "INSERT INTO Region(name) SELECT p FROM passwords; DELETE FROM passwords; --")


def model(box, change):
  """Changes the newest model of the store by a function of its JSON, or puts a text in its place."""
  db = box.sql()
  version, text = db.execute("SELECT version, model FROM bolide_model ORDER BY version DESC LIMIT 1").fetchone()
  if callable(change):
    parsed = json.loads(text)
    changed = change(parsed)
    text = json.dumps(parsed if changed is None else changed, ensure_ascii=False)
  else:
    text = change
  if isinstance(text, str):
    text = text.encode("utf-8", "surrogatepass")
  db.execute("UPDATE bolide_model SET model = CAST(? AS TEXT) WHERE version = ?", (text, version))
  db.close()


def entity(parsed, name):
  return next(each for each in parsed["entities"] if each["name"] == name)


def attribute(parsed, owner, name):
  return next(each for each in entity(parsed, owner)["attributes"] if each["name"] == name)


def fetched(parsed, **keys):
  entity(parsed, "Region")["fetched"][0].update(keys)


def plain(name, like):
  new = copy.deepcopy(like)
  new["name"] = name
  return new


def wide(parsed, count):
  quake = entity(parsed, "Quake")
  like = attribute(parsed, "Quake", "magnitude")
  quake["attributes"] += [plain(f"wide{n}", like) for n in range(count)]


def kinds():
  found = []

  def add(name, change, expect=wrong, base="pending"):
    found.append(Kind(f"model: {name}", lambda box: model(box, change), expect, base))

  def constraint(text):
    return lambda parsed: entity(parsed, "Quake").update(uniquenessConstraints=[[text]])

  for mark in PREPEND:
    add(f"SQL in a constraint, U+{ord(mark):04X} before the quote", constraint(f"{mark}\" ON Quake(id); {SQL}"))
  for mark in COMBINING:
    add(f"SQL in a constraint, U+{ord(mark):04X} behind the quote", constraint(f"\"{mark} ON Quake(id); {SQL}"))
  add("SQL in a constraint, plainly", constraint(f'id" ON Quake(id); {SQL}'))
  for mark, place in ((PREPEND[0], "before"), (COMBINING[0], "behind")):
    for quote in "'\"`[":
      text = (mark + quote if place == "before" else quote + mark) + f"); {SQL}"
      add(f"entity's name with {quote} {place} U+{ord(mark):04X}",
          lambda parsed, text=text: entity(parsed, "Region").update(name=text), None)
      add(f"attribute's name with {quote} {place} U+{ord(mark):04X}",
          lambda parsed, text=text: attribute(parsed, "Quake", "tags").update(name=text), None)
    # Such a description is a text like any other.
    text = (mark + "'" if place == "before" else "'" + mark) + f"); {SQL}"
    add(f"description with ' {place} U+{ord(mark):04X}",
        lambda parsed, text=text: attribute(parsed, "Quake", "magnitude").update(description=text), None)
    add(f"fetched property's name with ' {place} U+{ord(mark):04X}",
        lambda parsed, text=text: fetched(parsed, name=text), None)
    add(f"fetched property's predicate with ' {place} U+{ord(mark):04X}",
        lambda parsed, text=text: fetched(parsed, predicate=f"place = '{text}"), None)
    add(f"fetched property's info with ' {place} U+{ord(mark):04X}",
        lambda parsed, text=text: fetched(parsed, predicate="place = $FETCHED_PROPERTY.x",
                                          userInfo={"x": {"text": {"_0": text}}}), None)
  for title, name in (
    ("U+0000", "a\0b"), ("a surrogate", "a\ud800b"), ("nothing", ""), ("ESC", "a\x1b[31mb"), ("a line's end", "a\r\nb"),
    ("turned letters", "a\u202eb"), ("a megabyte", "n" * (1 << 20)),
  ):
    expect = wrong if title in ("U+0000", "nothing") else None
    add(f"entity's name has {title}", lambda parsed, name=name: entity(parsed, "Region").update(name=name), expect)
    add(f"attribute's name has {title}",
        lambda parsed, name=name: attribute(parsed, "Quake", "tags").update(name=name), expect)
  for name in ("bolide_change", "sqlite_schema", "sqlite_\u0301x", "bolide_\u0301x", "SQLITE_stat1", "Bolide_Model"):
    add(f"entity is called {name}", lambda parsed, name=name: entity(parsed, "Label").update(name=name))
  for name in ("bolide_id", "rowid", "ROWID", "oid", "bolide_x", "_rowid_", "region_id"):
    add(f"attribute is called {name}",
        lambda parsed, name=name: attribute(parsed, "Quake", "tags").update(name=name),
        None if "row" in name.lower() or name == "oid" else wrong)
  add("entity without a table", lambda p: p["entities"].append(plain("Nowhere", entity(p, "Wave"))))
  add("entity twice", lambda p: p["entities"].append(entity(p, "Region")))
  add("entity twice but for case", lambda p: p["entities"].append(plain("rEGION", entity(p, "Region"))))
  add("attribute without a column",
      lambda p: entity(p, "Quake")["attributes"].append(plain("nowhere", attribute(p, "Quake", "tags"))), None)
  add("attribute twice",
      lambda p: entity(p, "Quake")["attributes"].append(attribute(p, "Quake", "tags")))
  add("no entity", lambda p: p.update(entities=[]), None)
  add("entity left out", lambda p: p["entities"].remove(entity(p, "Region")))
  add("no key", lambda p: entity(p, "Quake").update(key=[]))
  add("key of nothing", lambda p: entity(p, "Quake").update(key=["nothing"]))
  add("key twice", lambda p: entity(p, "Quake").update(key=["id", "id"]))
  # What reads no key does not meet it.
  add("key of a nullable", lambda p: entity(p, "Quake").update(key=["magnitude"]), None)
  add("constraint of nothing", lambda p: entity(p, "Quake").update(uniquenessConstraints=[[]]))
  add("index of nothing", lambda p: entity(p, "Quake").update(index=[[]]))
  add("index on what is not there", lambda p: entity(p, "Quake").update(index=[["magnitude", "nothing"]]))
  add("index on a to-many relationship", lambda p: entity(p, "Region").update(index=[["quakes"]]))
  add("index that the store has not", lambda p: entity(p, "Quake").update(index=[["magnitude", "felt"]]), None)
  add("SQL in an index", lambda p: entity(p, "Quake").update(index=[[f'id" ON Quake(id); {SQL}']]))
  add("relationship to nowhere", lambda p: entity(p, "Quake")["relationships"][0].update(destination="Nowhere"))
  add(
    "inverse of nothing",
    lambda p: [r.update(inverse="nothing") for r in entity(p, "Region")["relationships"]] and None)
  add(
    "to-many is its own inverse",
    lambda p: [r.update(inverse=r["name"], destination="Region")
               for r in entity(p, "Region")["relationships"]] and None)
  add("to-many without an inverse",
      lambda p: [r.pop("inverse", 0) for r in entity(p, "Region")["relationships"]] and None)

  def derive(owner, name, path):
    def change(parsed):
      attribute(parsed, owner, name)["derivation"] = {"copy": {"path": path}}
    return change

  add("derived from itself", derive("Quake", "regionName", ["regionName"]))

  def cycle(parsed):
    derive("Quake", "regionName", ["region", "plain"])(parsed)
    attribute(parsed, "Region", "plain")["derivation"] = {"copy": {"path": ["name2"]}}
    entity(parsed, "Region")["attributes"].append(plain("name2", attribute(parsed, "Region", "plain")))
  add("derived from each other", cycle)
  add("derived over nothing", derive("Quake", "regionName", ["nothing", "name"]))
  add("derived along no path", derive("Quake", "regionName", []))
  add("derived along 5000 hops", derive("Quake", "regionName", ["region"] * 5000 + ["name"]))
  for title, text in (
    ("SQL", f"1); {SQL}"),
    ("a subquery", "(SELECT count(*) FROM bolide_run)"),
    ("deep", "(" * 20000 + "1" + ")" * 20000),
    ("long", "magnitude > " + " + ".join(["1"] * 200000)),
    ("random", "random() > 0"),
    ("an open quote", "'"),
    ("a billion bytes", "length(zeroblob(1000000000)) > 0"),
    ("a quote that hides", f"'{PREPEND[0]}'); {SQL}'"),
  ):
    def change(parsed, text=text):
      attribute(parsed, "Region", "strong")["derivation"]["aggregate"]["_0"]["filter"] = text
    add(f"aggregate's filter: {title}", change)
    add(f"fetched predicate: {title}", lambda parsed, text=text: fetched(parsed, predicate=text), None)
  for title, path in (
    ("in a sibling folder", "../sibling/private.sqlite"), ("by a whole path", "{folder}/sibling/private.sqlite"),
    ("over a link", "link.sqlite"), ("over a linked folder", "linked/private.sqlite"), ("in /etc", "/etc/passwd"),
    ("that never ends", "/dev/zero"), ("that is a fifo", "fifo"), ("that is a folder", "."),
    ("in memory", "file:x?mode=memory"), ("as a URI", "file:../sibling/private.sqlite?mode=rw"),
    ("with U+0000", "other.sqlite\0/../../sibling/private.sqlite"), ("called nothing", ""),
    ("that is no store", "canary.sqlite"), ("with SQL", f"\u0d4e'; {SQL}"), ("with ESC", "\x1b[31m.sqlite"),
  ):
    def make(box, path=path):
      os.symlink("../sibling/private.sqlite", box.path("link.sqlite"))
      os.symlink("../sibling", box.path("linked"))
      os.mkfifo(box.path("fifo"))
      model(box, lambda parsed: fetched(parsed, store=path.format(folder=box.folder)))
    found.append(Kind(f"model: fetched store {title}", make, None, "calm"))
  for limit in (-1, 0, 2**63 - 1, -2**63):
    add(f"fetched limit {limit}", lambda parsed, limit=limit: fetched(parsed, limit=limit), None)
  add("fetched sort by SQL", lambda p: fetched(p, sort=[f"id; {SQL}"]), None)
  add("fetched with itself", lambda p: fetched(p, store="s.sqlite", destination="Region", predicate=None), None)
  for count in (1990, 20000):
    add(f"{count} attributes", lambda parsed, count=count: wide(parsed, count), None if count < 2000 else wrong)
  add("scale beyond reason", lambda p: attribute(p, "Quake", "felt").update(type={"decimal": {"scale": 2**62}}))
  add("scale below 0", lambda p: attribute(p, "Quake", "felt").update(type={"decimal": {"scale": -5}}))
  add("default of another type",
      lambda p: attribute(p, "Quake", "magnitude").update(defaultValue={"text": {"_0": "'"}}))
  add("least above most",
      lambda p: attribute(p, "Quake", "magnitude").update(minimum={"real": {"_0": 9}}, maximum={"real": {"_0": 1}}))
  add("pattern that explodes", lambda p: attribute(p, "Quake", "regionName").update(pattern="([a-z]+)*[0-9]"), None)
  add("pattern that is none", lambda p: attribute(p, "Quake", "id").update(pattern="(["))
  add("length below 0", lambda p: attribute(p, "Quake", "id").update(maximumLength=-2**63))
  add(
    "renames of SQL", lambda p: p.update(renames=[{
      "entity": "Quake",
      "property": "tags",
      "was": f"\u0d4e'; {SQL}"
    }]), None)
  add(
    "dropped numbers at the end", lambda p: p.update(
      dropped=
      [{
        "property": n,
        "entity": 2**63 - 1,
        "name": "\x1b[31m'",
        "isDerived": True
      } for n in (2**63 - 1, -2**63, 0)]), None)
  for title, text in (
    ("broken", '{"entities":['),
    ("empty", ""),
    ("a list", "[]"),
    ("a number", "1e999"),
    ("null", "null"),
    ("no UTF-8", b"\xff\xfe{"),
    ("deep", '{"entities":' * 100000),
    ("brackets", "[" * 1000000),
    ("wrong types", '{"entities":[{"name":1,"attributes":{},"key":"id"}]}'),
    ("huge", '{"entities":[' + " " * (32 << 20) + "]}"),
    ("numbers", '{"entities":[' + ",".join(["1e308"] * 100000) + "]}"),
    ("keys twice", '{"entities":[],"entities":[{}]}'),
  ):
    add(f"JSON: {title}", text, None if title in ("huge", "keys twice") else wrong)
  return found
