"""A machine with a feed in its crontab, as the README has it, whose clock is ours: runs, mail, and copies of the store."""
import datetime, json, math, os, re, shlex, shutil, sqlite3, subprocess, time

import copies
from . import feed

ADDRESS, TOOL, HOME = "https://ssd-api.jpl.nasa.gov/fireball.api", "/usr/local/bin/bolide", "/srv/bolide"
BEGIN = datetime.datetime(2026, 3, 2, tzinfo=datetime.timezone.utc)


class Wrong(Exception):
  """Something is not as it has to be."""


def must(holds, what):
  if not holds:
    raise Wrong(what)


def says(text, wanted, what):
  """Holds a text to what is wanted, in which `…` stands for what differs from run to run."""
  pattern = ".*?".join(map(re.escape, wanted.split("…")))
  must(re.fullmatch(pattern, text), f"{what}:\n{text or '(nothing)'}\n--- and not:\n{wanted or '(nothing)'}")


def crontab(root):
  """The lines of the README's crontab without their times: the import's, and the one that watches."""
  with open(os.path.join(root, "README.md")) as file:
    lines = re.findall(r"^\d+ \* \* \* \* +(.*)$", file.read(), re.M)
  must(len(lines) == 2 and ADDRESS in lines[0] and all(TOOL in line and HOME in line for line in lines),
    "the README has other lines for cron")
  return lines


def without_nulls(rows):
  """Rows in their order. A new attribute is null in every row, and no change of one."""
  return sorted((key, {name: value for name, value in row.items() if value is not None}) for key, row in rows.items())


class Host:
  def __init__(self, folder, root, tool, preload, url):
    self.folder, self.preload, self.url = folder, preload, url
    self.home = os.path.join(folder, "srv", "bolide")
    self.store = os.path.join(self.home, "fireballs.sqlite")
    self.pipeline = os.path.join(self.home, "pipelines", "fireballs.yaml")
    self.bolide, self.pid = os.path.join(folder, "bin", "bolide"), os.path.join(folder, "pid")
    self.tool = shutil.copy(tool, os.path.join(folder, "bolide"))
    os.makedirs(os.path.dirname(self.pipeline))
    os.makedirs(os.path.dirname(self.bolide))
    self.imports, self.watches = map(self.here, crontab(root))
    with open(os.path.join(root, "pipelines", "fireballs.yaml")) as file:
      self.write_pipeline(file.read())
    self.mirror, self.copy, self.truth = {}, {}, feed.Truth()
    self.token = os.path.join(folder, "token")
    self.hour, self.now = 0, BEGIN

  def here(self, text):
    """A line of the crontab for this machine's paths."""
    return text.replace(ADDRESS, self.url).replace(TOOL, self.bolide).replace(HOME, self.home)

  def there(self, text):
    """What was said here, as it would be said there."""
    return text.replace(self.home, HOME).replace(self.url, ADDRESS)

  # The pipeline

  def write_pipeline(self, text):
    with open(self.pipeline, "w") as file:
      file.write(text)
    self.pipeline_text = text

  def edit(self, old, new):
    """Edits the pipeline as somebody with an editor would."""
    must(self.pipeline_text.count(old) == 1, f"the shipped pipeline has not once {old!r}")
    self.write_pipeline(self.pipeline_text.replace(old, new))

  # The clock

  def at(self, minute, seconds=0):
    """Sets the clock that the tool sees; that of curl, and whatever counts seconds that pass, are left alone."""
    self.now = BEGIN + datetime.timedelta(hours=self.hour, minutes=minute, seconds=seconds)
    # The clock is moved by whole seconds: it is at most one late.
    offset = math.ceil((self.now - datetime.datetime.now(datetime.timezone.utc)).total_seconds())
    with open(self.bolide + ".new", "w") as file:
      file.write(f"#!/bin/sh\necho $$ > {self.pid}-$1\n"
        f"FAULT=clock:1:on:{offset} LD_PRELOAD={self.preload} exec {self.tool} \"$@\"\n")
    os.chmod(self.bolide + ".new", 0o755)
    os.rename(self.bolide + ".new", self.bolide)

  # Runs

  def start(self, line):
    """Starts a line as cron does: with next to no environment; what it says on either output is the mail."""
    return subprocess.Popen(
      ["/bin/sh", "-c", line], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
      env={"PATH": "/usr/bin:/bin", "SHELL": "/bin/sh", "LOGNAME": "bolide", "HOME": self.folder})

  def finish(self, process, limit=60):
    """A line's status as a shell counts it, and its mail."""
    try:
      said, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
      process.kill()
      raise Wrong(f"still at work after {limit} s: {process.args[-1]}")
    status = process.returncode
    return 128 - status if status < 0 else status, self.there(said.decode("utf-8", "replace")).strip()

  def cron(self, line):
    return self.finish(self.start(line))

  def run(self, *words, allowed=(0,)):
    """Runs the tool as somebody at a terminal's other end does, and gives back what it printed."""
    status, said = self.cron(shlex.join([self.bolide, *words]))
    must(status in allowed, f"bolide {' '.join(words)} ended with {status}:\n{said}")
    return said

  def at_work(self):
    """Waits until an import is at work, and gives back its process."""
    end = time.monotonic() + 30
    while json.loads(self.run("status", self.store, "--json", allowed=(0, 79)))["pipelines"][0]["state"] != "running":
      must(time.monotonic() < end, "the import does not begin")
      time.sleep(0.02)
    with open(self.pid + "-import") as file:
      return int(file.read())

  # Who reads

  def begin_readers(self):
    """Two copies begin with what is there: one of a reader with a name, one that keeps its token in a file."""
    self.run("readers", self.store, "add", "mirror", "--from", "beginning")
    self.begin_copy()

  def begin_copy(self):
    self.copy = {}
    self.follow(self.copy, self.run("snapshot", self.store))

  def begin_mirror(self):
    self.mirror = {}
    copies.take(self.run("snapshot", self.store, "--reader", "mirror", "--", "cat").splitlines(), self.mirror)

  def follow(self, held, said):
    lines = said.splitlines()
    copies.take(lines, held)
    if lines:
      with open(self.token, "w") as file:
        file.write(json.loads(lines[-1])["token"])

  def read(self):
    """Both copies take what is new."""
    copies.take(self.run("changes", self.store, "--values", "--reader", "mirror", "--", "cat").splitlines(), self.mirror)
    with open(self.token) as file:
      self.follow(self.copy, self.run("changes", self.store, "--values", "--since", file.read()))

  # What must hold after every hour

  def check(self):
    said = self.run("verify", self.store)
    must(not said, f"verify: {said}")
    db = sqlite3.connect(f"file:{self.store}?mode=ro", uri=True)
    try:
      names = {row[1] for row in db.execute("PRAGMA table_info(Fireball)")}
      # Some the pipeline gets later; a time is known to the minute.
      columns = ", ".join(name if name in names else "NULL" for name in feed.COLUMNS)
      columns = columns.replace("goneAt", "substr(goneAt, 1, 16)")
      rows = db.execute(
        f"SELECT {columns}, g.year FROM Fireball f LEFT JOIN FireballGroup g ON g.bolide_id = f.group_id ORDER BY date").fetchall()
      self.compare("the rows", rows, self.truth.fireballs())
      groups = db.execute("SELECT year, fireballCount, totalImpactEnergy FROM FireballGroup ORDER BY year").fetchall()
      self.compare("the counts and sums", groups, self.truth.groups())
      must(db.execute("PRAGMA integrity_check").fetchall() == [("ok",)], "the file is damaged")
    finally:
      db.close()
    self.read()
    now = copies.take(self.run("snapshot", self.store).splitlines(), {})
    for name, held in (("the named reader's mirror", self.mirror), ("the copy with a token in a file", self.copy)):
      self.compare(name, *map(without_nulls, (held, now)))

  @staticmethod
  def compare(what, found, wanted):
    if found != wanted:
      pairs = [pair for pair in zip(found, wanted) if pair[0] != pair[1]][:2]
      raise Wrong(f"{what} differ: {len(found)} for {len(wanted)}, such as {pairs}")
