"""The folders that every try begins with: a store with something of everything, and what lies around it."""
import json, os, shutil, sqlite3, subprocess
from . import harness

NOTES = """bolide: 1
name: notes
store: other.sqlite
entity: Note
key: id
attributes: {{ id: string, place: string, text: string{more} }}
"""
QUAKES = """bolide: 1
name: quakes
store: s.sqlite
entity: Quake
feed: full
key: id
unique: code
index: [magnitude, [region, at]]
max-rejects: 50%
attributes:
  id:        string
  code:      {{ type: integer64, required: true }}
  magnitude: {{ type: double, min: 0, description: "as felt" }}
  felt:      {{ type: decimal, scale: 2 }}
  at:        date
  tags:      json
  place:     {{ type: string, transient: true }}
  regionName: {{ derived: region.name }}
{more}link:
  region: {{ to: {{ name: place }} }}
children:
  waves:
    entity: Wave
    inverse: quake
    key: [quake, number]
    attributes: {{ number: integer64, size: double }}
  labels:
    entity: Label
    inverse: quakes
    many-to-many: true
    key: name
    attributes: {{ name: {{ type: string, from: . }}, uses: {{ derived: quakes.@count }} }}
entities:
  Region:
    key: name
    attributes:
      name:   string
      count:  {{ derived: quakes.@count }}
      total:  {{ derived: quakes.magnitude.@sum }}
      strong: {{ derived: quakes.@count, where: magnitude > 5 }}
      mean:   {{ derived: quakes.magnitude.@average }}
      plain:  {{ derived: "canonical:(name)" }}
      moved:  {{ derived: now() }}
    relationships:
      quakes: {{ to-many: Quake, inverse: region, on-delete: nullify }}
    fetched:
      notes: {{ entity: Note, store: other.sqlite, where: place = $FETCH_SOURCE.name }}
"""


def quakes(numbers, shift=0):
  return json.dumps([{
    "id": f"q{n}", "code": n, "magnitude": (n + shift) % 90 / 10, "felt": "1.25",
    "at": f"2026-01-{n % 28 + 1:02}T00:00:00Z", "tags": {"n": n}, "place": f"r{n % 5}",
    "waves": [{"number": 1, "size": n / 7}], "labels": [f"l{n % 3}"],
  } for n in numbers] + [{"id": "bad", "code": "x"}, {"id": "bad2", "code": 1.5}])


def plain(path, rows):
  """A database that has nothing to do with the tool."""
  db = sqlite3.connect(path)
  db.execute("CREATE TABLE passwords(p)")
  db.executemany("INSERT INTO passwords VALUES (?)", rows)
  db.commit()
  db.close()


def build(suite):
  """Makes the folders `calm` and `pending`: in the second, other programs have written what is not sealed yet."""
  base = os.path.join(suite.folder, "ground", "calm")
  for name in ("work", "sibling", "home", "tmp", "out"):
    os.makedirs(os.path.join(base, name))
  work = os.path.join(base, "work")
  files = {
    "work/q.yaml": QUAKES.format(more=""), "work/more.yaml": QUAKES.format(more="  extra: integer64\n"),
    "work/notes.yaml": NOTES.format(more=""), "work/first.json": quakes(range(40)),
    "work/second.json": quakes(range(3, 42)), "work/again.json": quakes(range(2, 44), 7),
    "work/canary.txt": "stays as it is\n", "sibling/precious.txt": "precious\n", "home/canary.txt": "at home\n",
    "home/.sqliterc": ".print is read\n",
    "work/notes.json": json.dumps([{"id": f"n{n}", "place": f"r{n % 5}", "text": "open"} for n in range(9)]),
    "work/private.json": json.dumps([{"id": f"p{n}", "place": f"r{n % 5}", "text": harness.SECRET} for n in range(9)]),
  }
  for name, text in files.items():
    with open(os.path.join(base, name), "w") as file:
      file.write(text)

  def run(*words):
    result = subprocess.run([suite.tool, *words], cwd=work, capture_output=True, text=True, timeout=60)
    if result.returncode not in (0, 3):
      raise SystemExit(f"the ground cannot be laid: {' '.join(words)}: {result.returncode}: {result.stderr}")
    return result.stdout.strip()

  run("import", "notes.yaml", "notes.json")
  run("import", "notes.yaml", "private.json", "--store", "../sibling/private.sqlite")
  os.remove(os.path.join(work, "private.json"))
  run("import", "q.yaml", "first.json")
  suite.token = run("token", "s.sqlite")
  run("readers", "s.sqlite", "add", "map", "--from", "beginning")
  run("import", "q.yaml", "second.json")
  plain(os.path.join(work, "canary.sqlite"), [(harness.SECRET,)])
  plain(os.path.join(base, "sibling", "passwords.sqlite"), [(harness.SECRET,)])
  pending = os.path.join(suite.folder, "ground", "pending")
  harness.copy_tree(base, pending)
  db = suite.sql(os.path.join(pending, "work", "s.sqlite"))
  db.executescript("""
    INSERT INTO Region(name) VALUES ('foreign');
    UPDATE Quake SET magnitude = magnitude + 1 WHERE bolide_id % 3 = 0;
    DELETE FROM Quake WHERE id = 'q9';
    INSERT INTO Quake(id, code, magnitude, region_id) VALUES ('f1', 9001, 7.5, 1), ('f2', 9002, 3.25, 2);
  """)
  db.close()


def entities():
  """The entities' tables."""
  return ["Quake", "Region", "Wave", "Label", "Label_quakes"]


def own_tables(db):
  """The tool's own tables in a store."""
  return [name for name, in db.execute(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'bolide!_%' ESCAPE '!' "
    "AND name NOT LIKE 'bolide!_replaced!_%' ESCAPE '!' ORDER BY name")]


def box(suite, name, base):
  """A fresh copy of a folder for one try."""
  suite.number += 1
  folder = os.path.join(suite.folder, f"try-{suite.number}")
  harness.copy_tree(os.path.join(suite.folder, "ground", base), folder)
  return harness.Box(suite, folder, name)


def remove(box):
  for folder, folders, _ in os.walk(box.folder):
    for name in folders:
      path = os.path.join(folder, name)
      if not os.path.islink(path):
        os.chmod(path, 0o700)
  shutil.rmtree(box.folder, ignore_errors=True)
