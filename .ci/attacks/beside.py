"""Hostile files beside a store, other folders for temporary files, and paths that are more than paths."""
import os, shutil, struct
from .harness import ENDINGS, facts
from .kinds import Kind

MAGIC = bytes.fromhex("d9d505f920a163d7")
# These need the file beside the store to answer, or must write it.
NEEDS = {"changes", "token", "snapshot", "import"}


def journal(box, name, super_journal=None):
  """A rollback journal as an interrupted transaction leaves it, that names a super-journal if one is given."""
  with open(box.path(name), "rb") as file:
    page = file.read(100)
    size = struct.unpack(">H", page[16:18])[0]
    size = 65536 if size == 1 else size
    file.seek(0)
    page, length = file.read(size), os.path.getsize(box.path(name))
  nonce, sector = 12345, 512
  data = MAGIC + struct.pack(">IIIII", 1, nonce, length // size, sector, size)
  data += b"\0" * (sector - len(data))
  total = nonce
  for place in range(size - 200, 0, -200):
    total += page[place]
  data += struct.pack(">I", 1) + page + struct.pack(">I", total & 0xffffffff)
  if super_journal is not None:
    text = super_journal.encode()
    data += struct.pack(">I", (1 << 30) // size + 1) + text
    data += struct.pack(">II", len(text), sum(c - 256 if c > 127 else c for c in text) & 0xffffffff) + MAGIC
  with open(box.path(name + "-journal"), "wb") as file:
    file.write(data)


def refuses_writing(call):
  """A writer refuses; whoever only reads may answer."""
  return {65, 73, 74, 75, 78} if call.writes else None


def said(box, call, result):
  """A file that is in the way is said, also where the answer does not need it."""
  if result.status == 0 and not result.err and call.command in ("status", "fetch"):
    box.problem(f"nothing is said of the file beside the store  [{call.name!r}]")


def side(call):
  """Which statuses a file that is not to be written allows."""
  if call.command in ("status", "fetch"):
    return {0, 79} if call.command == "status" else {0}
  # A trial leaves the store as it is.
  return {73} if call.command in NEEDS and "--dry-run" not in call.words else {0, 3, 73}


def linked(target, ending="-bolide"):
  def make(box):
    box.remove_store(ending)
    os.symlink(target.format(folder=box.folder), box.path("s.sqlite" + ending))
  return make


def replaced_by(function, ending="-bolide"):
  def make(box):
    box.remove_store(ending)
    function(box, box.path("s.sqlite" + ending))
  return make


def written(data, ending):
  return replaced_by(lambda box, path: box.write(os.path.basename(path), data), ending)


def foreign_log(box):
  """The write-ahead log of another database, beside a store."""
  db = box.suite.sql(box.path("log.sqlite"))
  db.execute("PRAGMA journal_mode = WAL")
  db.execute("PRAGMA page_size = 16384")
  db.execute("CREATE TABLE Region(evil)")
  db.execute("INSERT INTO Region VALUES ('evil')")
  shutil.copy(box.path("log.sqlite-wal"), box.path("s.sqlite-wal"))
  db.close()
  os.remove(box.path("log.sqlite"))


def fine(call):
  """What went wrong before is refused again."""
  return {65} if "--replay" in call.words else {0, 3}


def noted(box):
  box.before = facts(box.path("s.sqlite"))


def unwritten(box, call, result):
  """Who reads a store in which nothing is to be done does not write it."""
  if not call.writes and facts(box.path("s.sqlite")) != box.before:
    box.problem(f"reading has written the store  [{call.name!r}]")


def linked_store(box):
  box.own |= {"work/real" + ending for ending in ENDINGS}
  os.rename(box.path("s.sqlite"), box.path("real"))
  os.symlink("real", box.path("s.sqlite"))


def device(major, minor):
  return lambda box, path: os.mknod(path, 0o666 | 0o020000, os.makedev(major, minor))


def owned(box, path):
  with open(path, "w") as file:
    file.write(" " * 63 + "\n")
  os.chown(path, 4242, 4242)
  os.chmod(path, 0o666)


def kinds(suite):
  found = []

  def add(name, make, expect=None, base="calm", after=None, environment=None, store="s.sqlite"):
    found.append(Kind(f"beside: {name}", make, expect, base, environment, store, after))

  # What is in order is not refused, and left alone by whoever reads.
  add("nothing, pending", lambda box: None, fine, "pending")
  add("nothing, calm", noted, fine, "calm", unwritten)
  for base in ("calm", "pending"):
    # With changes to be sealed a fetch would have to write the file, and reads what is committed instead.
    for title, target in (
      ("a text", "canary.txt"),
      ("a database", "../sibling/passwords.sqlite"),
      ("what is not there", "../sibling/new.txt"),
      ("another store", "other.sqlite"),
      ("the store", "s.sqlite"),
      ("itself", "s.sqlite-bolide"),
      ("/dev/null", "/dev/null"),
      ("a fifo", "fifo"),
      ("a whole path", "{folder}/sibling/precious.txt"),
    ):
      def make(box, target=target):
        os.mkfifo(box.path("fifo"))
        linked(target)(box)
      add(f"-bolide is a link to {title}, {base}", make, side, base, said)
    for title, function in (
      ("a hard link", lambda box, path: os.link(box.path("canary.txt"), path)),
      ("a hard link to another's file", lambda box, path: os.link(box.path("../sibling/precious.txt"), path)),
      ("a fifo", lambda box, path: os.mkfifo(path)), ("a folder", lambda box, path: os.mkdir(path)),
    ):
      add(f"-bolide is {title}, {base}", replaced_by(function), side, base, said)
    if os.geteuid() == 0:
      add(f"-bolide is a device, {base}", replaced_by(device(1, 5)), side, base, said)
      add(f"-bolide is another user's, {base}", replaced_by(owned), side, base, said)
  if os.geteuid() != 0:
    suite.skip("beside: -bolide is a device or another user's", "only root can make these")
  for title, data in (
    ("ESC", b"\x1b[31m\x07" * 8 + b"\n1 \x1b]0;x\x07 \x1b[2J\nError: forged\n"),
    ("ten megabytes", b"x" * (10 << 20)),
    ("U+0000", b"\0" * 200),
    ("a process that lives", b" " * 63 + b"\n1 2026-01-01T00:00:00Z \x1b[31mquakes\n"),
    ("an end of Int32", b" " * 63 + b"\n-2147483648 x y\n"),
    ("a token of the far future", b"b1-%s-9223372036854775807-x".ljust(63) + b"\n"),
    ("nothing", b""),
    ("half a line", b"b1-"),
    ("a token beyond numbers", b"b1-x-99999999999999999999999-x".ljust(63) + b"\n"),
    ("no UTF-8", b"\xff\xfe" * 32),
  ):
    add(f"-bolide has {title}", written(data, "-bolide"))

  def named_by(target):
    def make(box):
      journal(box, "s.sqlite", target.format(folder=box.folder))
      # As it is after a restart: nobody has the log open.
      box.remove_store("-wal", "-shm")
    return make

  for title, target in (
    ("a text in the folder", "canary.txt"),
    ("a file of a sibling folder", "../sibling/precious.txt"),
    ("a file by its whole path", "{folder}/sibling/precious.txt"),
    ("a database", "canary.sqlite"),
    ("the store", "s.sqlite"),
    ("another store", "other.sqlite"),
    ("what is not there", "gone.txt"),
    ("a long name", "x" * 4000),
  ):
    there = title not in ("what is not there", "a long name")
    add(f"-journal names {title} as its super-journal", named_by(target), refuses_writing if there else None)
  add("-journal without a super-journal", lambda box: journal(box, "s.sqlite"))
  add(
    "-journal beside what a fetched property names",
    lambda box: journal(box, "other.sqlite", "../sibling/precious.txt"))
  for ending in ("-journal", "-wal", "-shm"):
    for title, data in (("nothing", b""), ("garbage", bytes(range(256)) * 300),
                        ("zeros", b"\0" * 70000), ("a header alone", b"\x37\x7f\x06\x82\0\x2d\xe2\x18" + b"\0" * 24)):
      add(f"{ending} has {title}", written(data, ending))
    for title, target in (("a text", "canary.txt"), ("a file of a sibling folder", "../sibling/precious.txt"),
                          ("what is not there", "../sibling/new.txt"), ("a database", "../sibling/passwords.sqlite")):
      add(f"{ending} is a link to {title}", linked(target, ending))
    add(f"{ending} is a fifo", replaced_by(lambda box, path: os.mkfifo(path), ending))
    add(f"{ending} is a folder", replaced_by(lambda box, path: os.mkdir(path), ending))
    add(f"{ending} is a hard link", replaced_by(lambda box, path: os.link(box.path("canary.txt"), path), ending))
  add("-wal of another database", foreign_log)
  add("the store is a link", linked_store)
  for title, value in (
    ("nothing", ""),
    ("what is not there", "/no/such/folder"),
    ("a text", "canary.txt"),
    ("a sibling folder by a link", "away"),
    ("with ESC", "\x1b[31m"),
    ("the root", "/"),
    ("a relative path", "../tmp"),
  ):
    if title == "a sibling folder by a link":
      add(f"TMPDIR is {title}", lambda box: os.symlink("../tmp", box.path("away")), environment={"TMPDIR": value})
    else:
      add(f"TMPDIR is {title}", lambda box: None, environment={"TMPDIR": value})
  for columns in ("-9223372036854775808", "9223372036854775807", "0", "x", ""):
    add(f"COLUMNS is {columns or 'nothing'}", lambda box: None, environment={"COLUMNS": columns})
  for path in (
      "file:s.sqlite?mode=memory",
      "file:s.sqlite",
      "file:///dev/null",
      ":memory:",
      "",
      "/dev/null",
      "/dev/zero",
      ".",
      "fifo",
      "\x1b[31m.sqlite",
      "no/such/s.sqlite",
      "s.sqlite/x",
      "canary.txt",
      "x" * 5000,
      "s.sqlite?immutable=1",
      "canary.sqlite",
      "../sibling/passwords.sqlite",
  ):
    add(
      f"the path {path[:40]!r}",
      lambda box: os.mkfifo(box.path("fifo")),
      lambda call: None if makes(call) else {64, 65, 66, 73, 74},
      store=path,
      after=made_there)
  return found


def makes(call):
  """Whether a call makes a store that is not there."""
  return call.command == "import"


def made_there(box, call, result):
  """An import that says that it went well has made its owner's store, at the very path it was told."""
  path = box.path(box.store)
  if result.status in (0, 3) and "--dry-run" not in call.words and "--replay" not in call.words:
    if not os.path.isfile(path):
      box.problem(f"says that it went well, and there is no store  [{call.name!r}]")
    elif os.stat(path).st_mode & 0o077:
      box.problem(f"the new store's mode is {os.stat(path).st_mode & 0o777:o}  [{call.name!r}]")
