"""Files' modes and owners, and another user of the same machine."""
import fcntl, os, subprocess, time
from . import ground, harness

OWNER, OTHER = 4242, 65534


def as_user(user, work):
  """Lets another user do something in a process of its own; returns a function that waits for what it says.

  `work` takes two functions: one says that it has begun, the other whether it is to end.
  """
  (read, write), (stopped, stop) = os.pipe(), os.pipe()
  child = os.fork()
  if child == 0:
    try:
      os.close(read), os.close(stop), os.set_blocking(stopped, False)
      os.setgroups([]), os.setgid(user), os.setuid(user)
      def is_over():
        try:
          return os.read(stopped, 1) == b""
        except BlockingIOError:
          return False
      os.write(write, work(lambda: os.write(write, b"."), is_over).encode())
    finally:
      os._exit(0)
  os.close(write), os.close(stopped)
  os.read(read, 1)
  def said():
    os.close(stop)
    os.waitpid(child, 0)
    with os.fdopen(read) as file:
      return file.read()
  return said


def given(box, owner=OWNER):
  """Gives a box to a user."""
  for folder, folders, names in os.walk(box.folder):
    for path in (folder, *(os.path.join(folder, name) for name in names)):
      os.chown(path, owner, owner, follow_symlinks=False)


def mode(box, name):
  return os.stat(box.path(name)).st_mode & 0o777


def expect_mode(box, name, wanted):
  if (found := mode(box, name)) != wanted:
    box.problem(f"the mode of {name} is {found:o} instead of {wanted:o}")


def polled(suite, name):
  """Nobody else can open a new store, not for a moment."""
  box = ground.box(suite, name, "calm")
  given(box)
  os.chmod(box.work, 0o755)
  names = set(os.listdir(box.work))
  for turn in range(10):
    def poll(begins, is_over, folder=box.work):
      kept = set()
      begins()
      while not is_over():
        for name in os.listdir(folder):
          if name not in names and name not in kept:
            try:
              os.open(os.path.join(folder, name), os.O_RDONLY)
              kept.add(name)
            except OSError:
              pass
      return " ".join(sorted(kept))
    said = as_user(OTHER, poll)
    box.finish(box.start("import", "notes.yaml", "notes.json", "--store", "new.sqlite", user=OWNER), ("import",))
    opened = said().split()
    if opened:
      box.problem(f"another user could open {' and '.join(opened)} (turn {turn})")
      break
    expect_mode(box, "new.sqlite", 0o600)
    for ending in harness.ENDINGS:
      if os.path.exists(box.path("new.sqlite" + ending)):
        os.remove(box.path("new.sqlite" + ending))
  return box


def held(suite, name):
  """Who may only read a store cannot hold up its imports by the tool's lock."""
  box = ground.box(suite, name, "calm")
  given(box)
  os.chmod(box.path("s.sqlite"), 0o644)
  # The tool has a chance to see the store's new mode.
  box.run("import", "q.yaml", "again.json", user=OWNER)
  def hold(begins, is_over):
    for name in os.listdir(box.work):
      try:
        fcntl.flock(os.open(box.path(name), os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
      except OSError:
        pass
    begins()
    while not is_over():
      time.sleep(0.01)
    return ""
  said = as_user(OTHER, hold)
  result = box.run("import", "q.yaml", "second.json", "--lock-wait", "1s", user=OWNER)
  said()
  if result.status not in (0, 3):
    box.problem(f"another user stops imports: status {result.status}: {result.err[:160]}")
  return box


def foreign(suite, name):
  """Who may read a store, and not the file beside it, still gets an answer, with a line that says so."""
  box = ground.box(suite, name, "calm")
  given(box)
  command = name.rsplit(" ", 1)[1]
  os.chmod(box.path("s.sqlite"), 0o644)
  os.chmod(box.path("s.sqlite-bolide"), 0o600)
  words = {"fetch": ("fetch", "s.sqlite", "Region"), "changes": ("changes", "s.sqlite", "--since", suite.token)}
  result = box.run(*words.get(command, (command, "s.sqlite")), user=OTHER)
  if result.status != 0 or not result.out:
    box.problem(f"{command} as another user ends with {result.status}: {result.err[:160]}")
  elif command in ("fetch", "changes", "token") and not result.err:
    box.problem(f"{command} does not say that the file beside the store could not be read")
  return box


def part_file(suite, name):
  """A link under the name that a part file might have is not written through."""
  box = ground.box(suite, name, "calm")
  before = box.state()
  script = ('for name in "$2.bolide-$$" "$2-$$" "$2.part" "$2.tmp" "$2.new" "$2.$$" ".$2.$$" "$2-bolide"; do '
            'ln -s ../sibling/precious.txt "$name"; done; exec "$1" snapshot s.sqlite --sqlite "$2"')
  subprocess.run(
    ["sh", "-c", script, "sh", suite.tool, "out.sqlite"],
    cwd=box.work,
    env=box.environment,
    capture_output=True,
    timeout=30)
  precious = os.path.join(box.folder, "sibling", "precious.txt")
  if harness.facts(precious) != before["sibling/precious.txt"]:
    box.problem("a snapshot was written through a link beside it")
  return box


def snapshot_modes(suite, name):
  """A snapshot's file is no more open than its store, and one that it replaces keeps its mode."""
  box = ground.box(suite, name, "calm")
  os.umask(0o022)
  box.run("snapshot", "s.sqlite", "--sqlite", "out.sqlite")
  expect_mode(box, "out.sqlite", 0o600)
  for old in (0o600, 0o640, 0o644):
    os.chmod(box.path("out.sqlite"), old)
    box.run("snapshot", "s.sqlite", "--sqlite", "out.sqlite")
    expect_mode(box, "out.sqlite", old)
  os.chmod(box.path("out.sqlite"), 0o600)
  os.chmod(box.path("s.sqlite"), 0o644)
  box.run("snapshot", "s.sqlite", "--sqlite", "out.sqlite")
  expect_mode(box, "out.sqlite", 0o600)
  return box


def snapshot_link(suite, name):
  """A snapshot takes a link's place, or what it leads to is as it was."""
  box = ground.box(suite, name, "calm")
  os.symlink("../sibling/precious.txt", box.path("out.sqlite"))
  box.run("snapshot", "s.sqlite", "--sqlite", "out.sqlite")
  return box


def as_root(suite, name):
  """What root makes beside a user's store is the user's."""
  box = ground.box(suite, name, "calm")
  given(box)
  os.remove(box.path("s.sqlite-bolide"))
  box.run("import", "q.yaml", "again.json")
  box.run("snapshot", "s.sqlite", "--sqlite", "out.sqlite")
  for file in sorted(os.listdir(box.work)):
    if (file.startswith("s.sqlite") or file == "out.sqlite") and (owner := os.stat(box.path(file)).st_uid) != OWNER:
      box.problem(f"{file} belongs to {owner} instead of {OWNER}, the store's owner")
  # The user can go on.
  result = box.run("import", "q.yaml", "first.json", user=OWNER)
  if result.status not in (0, 3):
    box.problem(f"the store's owner ends with {result.status} afterwards: {result.err[:160]}")
  return box


def no_folder(suite, name):
  """An empty TMPDIR is no folder: what must be kept aside is kept where every user may."""
  box = ground.box(suite, name, "calm")
  given(box)
  box.environment["TMPDIR"] = ""
  # Rows before their names are kept aside.
  rows = ",".join(f'["n{n}","r1","t"]' for n in range(20000))
  box.write("late.json", '{"data":[' + rows + '],"fields":["id","place","text"]}')
  given(box)
  result = box.run("import", "notes.yaml", "late.json", "--store", "s2.sqlite", "--dry-run", user=OWNER)
  if result.status != 0:
    box.problem(f"status {result.status}: {result.err[:160]}")
  return box


def killed(suite, name):
  """A first import that is killed leaves no store, or one that can be gone on with."""
  box = ground.box(suite, name, "calm")
  for _ in range(15):
    process = box.start("import", "notes.yaml", "notes.json", "--store", "new.sqlite")
    time.sleep(box.dice.random() * 0.05)
    process.kill()
    process.wait()
    if os.path.exists(box.path("new.sqlite")):
      db = box.sql("new.sqlite")
      mark = db.execute("PRAGMA application_id").fetchone()[0]
      db.close()
      if mark != 0x426f6c64:
        box.problem("a killed import left a file that is no store")
        return box
      expect_mode(box, "new.sqlite", 0o600)
      for ending in harness.ENDINGS:
        if os.path.exists(box.path("new.sqlite" + ending)):
          os.remove(box.path("new.sqlite" + ending))
  result = box.finish(box.start("import", "notes.yaml", "notes.json", "--store", "new.sqlite"), ("import",))
  if result.status:
    box.problem(f"the import afterwards ends with {result.status}")
  return box


def tries(suite):
  found = [("users: part file", "users: a link under a part file's name", part_file),
           ("users: snapshot's mode", "users: a snapshot's mode", snapshot_modes),
           ("users: snapshot over a link", "users: a snapshot over a link", snapshot_link),
           ("users: killed first import", "users: a first import is killed", killed)]
  if os.geteuid():
    for name in ("another user polls", "another user holds the lock", "another user reads", "root in a user's folder",
                 "an empty TMPDIR"):
      suite.skip(f"users: {name}", "only root can act as another user")
    return found
  found += [
    ("users: polled", "users: another user polls for a new store", polled),
    ("users: held", "users: another user holds the lock", held),
    ("users: root", "users: root in a user's folder", as_root), ("users: TMPDIR", "users: an empty TMPDIR", no_folder)
  ]
  found += [("users: foreign", f"users: another user's {command}", foreign)
            for command in ("status", "fetch", "changes", "token", "snapshot", "schema", "rejects")]
  return found
