"""What the scenarios stand on: stores in certain states, commands on them, and what must come out in the end."""
import concurrent.futures, contextlib, json, os, resource, shutil, sqlite3, subprocess, sys, threading

import built
from attacks import commands

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

PIPELINE = """bolide: 1
store: s.sqlite
entity: Quake
key: id
index: [magnitude]
feed: full
attributes:
  id: string
  magnitude: double
  size: { type: integer16 }
  place: { type: string, transient: true }
  gauge: { type: string, transient: true }
  changed: { derived: now() }
  where: { derived: "canonical:(region.name)" }
  tagCount: { derived: tags.@count }
link:
  region: { to: { name: place } }
  sensor: { to: { code: gauge } }
children:
  parts:
    entity: Part
    inverse: quake
    key: [quake, n]
    attributes: { n: integer64, text: string, holeCount: { derived: holes.@count } }
    children:
      holes:
        entity: Hole
        inverse: part
        key: [part, m]
        attributes: { m: integer64, of: { type: string, from: ../../id }, width: double }
  tags:
    entity: Tag
    inverse: quakes
    many-to-many: true
    when: always
    key: word
    attributes: { word: { type: string, from: . }, quakeCount: { derived: quakes.@count } }
entities:
  Region:
    key: name
    attributes:
      name: string
      quakeCount: { derived: quakes.@count }
      total: { derived: quakes.magnitude.@sum }
      mean: { derived: quakes.magnitude.@average }
      largest: { derived: quakes.magnitude.@max }
      strong: { derived: quakes.@count, where: magnitude > 5 }
    relationships:
      quakes: { to-many: Quake, inverse: region }
  Sensor:
    key: code
    attributes:
      code: string
      last: { derived: quake.id }
    relationships:
      quake: { has-one: Quake, inverse: sensor }
"""


def records(count, step=0):
  return [{
    "id": f"q{n}", "magnitude": (n * 37 + step * (n % 3 == 0)) % 90 / 8, "size": n % 100, "place": f"r{n % 5}",
    "parts": [{
      "n": part, "text": f"{n}.{part}.{step * (n % 5 == 0)}",
      "holes": [{"m": hole, "width": (n + step * (n % 11 == 0)) / 8} for hole in range(part + 1)],
    } for part in range(n % 3)],
    "tags": [f"t{(n + step * (n % 7 == 0)) % 6}", f"t{n % 4}"][:n % 3],
  } | ({"gauge": f"s{n}"} if n % 4 == 0 else {}) for n in range(count)]


# What stands before the command (a state that is built once), and the command; `TOKEN` is that of the first import.
SCENARIOS = {
  "first import": ("nothing", "import p.yaml feed.json --chunk-rows 40 --lock-wait 1s --json"),
  "first import, atomic": ("nothing", "import p.yaml feed.json --chunk-rows 40 --atomic --lock-wait 1s --json"),
  "first import of two files in shared transactions":
    ("nothing", "import p.yaml feed.json later.json --commit chunk --chunk-rows 70 --lock-wait 1s --json"),
  "first import, sorted": ("nothing", "import p.yaml feed.json later.json --sort key --chunk-rows 40 --lock-wait 1s --json"),
  "same import": ("calm", "import p.yaml feed.json --force --lock-wait 1s --json"),
  "revised import": ("calm", "import p.yaml later.json --chunk-rows 40 --lock-wait 1s --json"),
  "revised import, atomic": ("calm", "import p.yaml later.json --atomic --lock-wait 1s --json"),
  "import of what others wrote": ("pending", "import p.yaml later.json --lock-wait 1s --json"),
  "import with another index": ("calm", "import other.yaml later.json --chunk-rows 40 --lock-wait 1s --json"),
  "spooled rows": ("calm", "import p.yaml late.json --lock-wait 1s --json"),
  "replay": ("refused", "import wide.yaml --replay --lock-wait 1s --json"),
  "token": ("pending", "token s.sqlite"),
  "changes": ("pending", "changes s.sqlite --since 1"),
  "delivery": ("pending", "changes s.sqlite --reader map -- sh -c 'cat >> taken'"),
  "snapshot": ("pending", "snapshot s.sqlite"),
  "snapshot as a file": ("pending", "snapshot s.sqlite --sqlite plain.sqlite"),
  "fetch": ("pending", "fetch s.sqlite Quake --with region"),
  "fetch of groups": ("pending", "fetch s.sqlite Quake --group-by region.name --aggregate 'count,sum(magnitude)'"),
  "diff": ("pending", "diff s.sqlite Quake --since TOKEN --sort -magnitude"),
  "status": ("pending", "status s.sqlite"),
  "report": ("pending", "report s.sqlite --output page.html"),
  "runs": ("pending", "runs s.sqlite"),
  "log": ("pending", "log s.sqlite Quake q3"),
  "prune": ("calm", "prune s.sqlite --keep-transactions 0"),
  "migrate": ("calm", "migrate s.sqlite wide.yaml --lock-wait 1s"),
  "rebuild": ("pending", "verify s.sqlite --rebuild"),
  "link": ("calm", "link s.sqlite Quake region --where \"id = 'q3'\" --to name=r1"),
  "link, many to many": ("calm", "link s.sqlite Quake tags --where \"id = 'q3'\" --to word=t5"),
  "revert": ("calm", "revert s.sqlite --run 1"),
  "erase": ("calm", "erase s.sqlite Quake q3"),
  "copy": ("backed up", "copy copy.sqlite s.sqlite Quake --where 'magnitude > 5'"),
  "delete": ("calm", "delete s.sqlite Quake --where \"id = 'q3'\""),
  "missing": ("fewer", "missing s.sqlite p.yaml --delete --guard 100%"),
  "backup": ("pending", "backup s.sqlite copy.sqlite"),
  "restore": ("backed up", "restore copy.sqlite s.sqlite --lock-wait 1s"),
  "readers": ("pending", "readers s.sqlite reset map --from now"),
  "erased rejects": ("refused", "rejects s.sqlite --erase"),
  "dry run": ("calm", "import p.yaml later.json --dry-run --lock-wait 1s --json"),
}

TABLES = {
  "Quake": """SELECT id, magnitude, size, "where", tagCount, Region.name, code FROM Quake
    LEFT JOIN Region ON Region.bolide_id = region_id LEFT JOIN Sensor ON Sensor.bolide_id = sensor_id ORDER BY id""",
  "Region": "SELECT name, quakeCount, total, mean, largest, strong FROM Region ORDER BY name",
  "Sensor": "SELECT code, last FROM Sensor ORDER BY code",
  "Part": "SELECT id, n, text, holeCount FROM Part JOIN Quake ON Quake.bolide_id = quake_id ORDER BY id, n",
  "Hole": """SELECT id, n, m, of, width FROM Hole JOIN Part ON Part.bolide_id = part_id
    JOIN Quake ON Quake.bolide_id = quake_id ORDER BY id, n, m""",
  "Tag": "SELECT word, quakeCount FROM Tag ORDER BY word",
  "links": """SELECT id, word FROM Quake_tags JOIN Quake ON Quake.bolide_id = quakes_id
    JOIN Tag ON Tag.bolide_id = tags_id ORDER BY id, word""",
  "indexes": "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name",
}


class Ground:
  def __init__(self, folder):
    self.folder = folder
    self.preload = built.faults(root, folder)
    # A build may go on meanwhile.
    self.tool = shutil.copy(built.tool(root), os.path.join(folder, "bolide"))
    self.numbers, self.lock = iter(range(1, 1 << 40)), threading.Lock()
    self.ends, self.lines, self.counts = {}, {}, {}
    self.check()
    self.build()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
      list(pool.map(self.end, SCENARIOS))

  def check(self):
    """A new command has a scenario here."""
    names, _ = commands.listed(self.tool)
    # A schema is read as any command reads it.
    left = set(names) - commands.STORELESS - {"schema"} - {words.split()[0] for _, words in SCENARIOS.values()}
    if left:
      sys.exit(f"no scenario has the commands {', '.join(sorted(left))}")

  # A run

  def start(self, place, words, limits=None, **fault):
    """Starts a command line of the tool in a folder; with `fault`, the library of faults is loaded into it, and no other."""
    if "TOKEN" in words:
      words = words.replace("TOKEN", self.text(place, "/token").strip())
    def limited():
      resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
      if limits:
        resource.setrlimit(limits[0], (limits[1], limits[1]))
    fault = {f"FAULT_{name}" if name != "fault" else "FAULT": str(value) for name, value in fault.items()}
    if fault:
      fault |= {"FAULT_ROOT": place, "LD_PRELOAD": self.preload}
    assigned = "".join(f"{name}='{value}' " for name, value in fault.items())
    with open(os.path.join(place, "out"), "wb") as out, open(place + ".err", "wb") as err:
      return subprocess.Popen(
        ["/bin/sh", "-c", f'{assigned}exec "$0" {words}', self.tool], cwd=place, stdin=subprocess.DEVNULL, stdout=out,
        stderr=err, env=os.environ | {"TMPDIR": place, "SWIFT_BACKTRACE": "enable=no"}, preexec_fn=limited)

  def run(self, place, words, limit=60, limits=None, **fault):
    """A command's status, or nil after the limit, in seconds; and what it said."""
    process = self.start(place, words, limits, **fault)
    try:
      return process.wait(limit), self.text(place + ".err", "")
    except subprocess.TimeoutExpired:
      process.kill()
      process.wait()
      return None, f"still at work after {limit} s"

  @staticmethod
  def text(path, name="/out"):
    with open(path + name, encoding="utf-8", errors="replace") as file:
      return file.read()

  def good(self, place, words, allowed=(0,)):
    status, errors = self.run(place, words)
    assert status in allowed, f"{words} ends with {status}: {errors[:300]}{self.text(place)[:300]}"

  # States

  def build(self):
    """The states that scenarios begin with."""
    def make(name, base=None):
      place = os.path.join(self.folder, "states", name)
      shutil.copytree(os.path.join(self.folder, "states", base), place) if base else os.makedirs(place)
      return place
    place = make("nothing")
    def write(name, text):
      with open(os.path.join(place, name), "w") as file:
        file.write(text)
    write("p.yaml", PIPELINE)
    write("wide.yaml", PIPELINE.replace("integer16", "integer32").replace("bolide: 1", "bolide: 1\nname: p"))
    write("other.yaml", PIPELINE.replace("[magnitude]", "[[size, magnitude]]").replace("bolide: 1", "bolide: 1\nname: p"))
    write("feed.json", json.dumps(records(150)))
    write("later.json", json.dumps(records(170, 1)))
    write("fewer.json", json.dumps(records(120)))
    write("wrong.json", json.dumps(records(150) + [{"id": "w", "size": 70000, "place": "r1"}]))
    names = ["id", "magnitude", "size", "place", "gauge"]
    write("late.json", json.dumps({
      "data": [[record.get(name) for name in names] for record in records(160, 2)], "fields": names}))
    place = make("calm", "nothing")
    self.good(place, "import p.yaml feed.json")
    self.good(place, "readers s.sqlite add map --from beginning")
    self.good(place, "token s.sqlite")
    write("token", self.text(place))
    place = make("pending", "calm")
    db = sqlite3.connect(os.path.join(place, "s.sqlite"), isolation_level=None)
    db.execute("UPDATE Quake SET magnitude = magnitude + 1 WHERE bolide_id % 4 = 0")
    db.execute("DELETE FROM Quake WHERE bolide_id % 10 = 1")
    db.close()
    place = make("refused", "calm")
    self.good(place, "import p.yaml wrong.json --max-rejects 1", (3,))
    place = make("fewer", "calm")
    self.good(place, "import p.yaml fewer.json")
    place = make("backed up", "calm")
    self.good(place, "backup s.sqlite copy.sqlite")
    self.good(place, "import p.yaml later.json")

  @contextlib.contextmanager
  def box(self, base):
    """A folder of its own with a state in it; what a command says to people goes beside it, and is not disturbed."""
    with self.lock:
      place = os.path.join(self.folder, "boxes", str(next(self.numbers)))
    shutil.copytree(os.path.join(self.folder, "states", base), place)
    try:
      yield place
    finally:
      shutil.rmtree(place, ignore_errors=True)

  # Ends

  def state(self, place):
    """Rows with derived values, what net history says, and the readers; times and the places' names left out."""
    # This settles what other programs have left, and `verify` sees it.
    self.good(place, "changes s.sqlite --from oldest --net --format ndjson")
    lines = map(json.loads, self.text(place).splitlines())
    found = {"net": sorted(f"{line['kind']} {line['entity']} {line['key']}" for line in lines if "kind" in line)}
    self.good(place, "verify s.sqlite")
    self.good(place, "readers s.sqlite --format ndjson")
    found["readers"] = sorted((line["reader"], line["state"]) for line in map(json.loads, self.text(place).splitlines()))
    db = sqlite3.connect(os.path.join(place, "s.sqlite"))
    try:
      assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
      for name, query in TABLES.items():
        found[name] = db.execute(query).fetchall()
      found["lost"] = db.execute("SELECT count(*) FROM bolide_lost").fetchall()
      found["rejects"] = db.execute("SELECT count(*) FROM bolide_reject").fetchall()
    finally:
      db.close()
    return found

  def end(self, name):
    """Runs a scenario undisturbed, and keeps what it ends in, and how many calls of each kind it made."""
    base, words = SCENARIOS[name]
    with self.box(base) as place, self.box(base) as untouched:
      status, errors = self.run(place, words, COUNT=place + ".count")
      assert status in (0, 3), f"{name}, undisturbed: {status} {errors}"
      self.lines[name] = len(self.text(place).splitlines())
      with open(place + ".count") as file:
        self.counts[name] = {kind: int(count) for kind, count in map(str.split, file)}
      # A dry run writes nothing: its end is its beginning.
      self.ends[name] = self.state(untouched if name == "dry run" else place)

  def difference(self, place, name):
    """How a place differs from the undisturbed end of a scenario; nil where it does not."""
    state = self.state(place)
    for part, wanted in self.ends[name].items():
      # Net history begins elsewhere when a prune, or a restore, is done in two goes.
      if state[part] != wanted and not (part == "net" and name in ("prune", "restore")):
        pairs = [pair for pair in zip(state[part], wanted) if pair[0] != pair[1]][:2]
        return f"{part} differs: {len(state[part])} for {len(wanted)}, such as {pairs}"[:400]
    return None

  def judge(self, place, name, status, errors=""):
    """What is wrong with where a disturbed command has led, by its own word or once it runs undisturbed; nil when nothing is."""
    if status in (0, 3):
      wrong = self.difference(place, name)
      return wrong and f"status {status}, and {wrong}"
    return self.again(place, name, f"{status} ({errors.strip()[:200]})")

  def again(self, place, name, after):
    """Runs a scenario's command undisturbed where it was disturbed: what is wrong with the end, or nil."""
    status, errors = self.run(place, SCENARIOS[name][1])
    # Of what was erased to its end nothing is left that has the key.
    if status not in (0, 3) and (name, status) != ("erase", 64):
      return f"after {after}, undisturbed: {status} {errors[:300]}"
    wrong = self.difference(place, name)
    return wrong and f"after {after}, and again undisturbed: {wrong}"
