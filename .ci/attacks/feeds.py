"""Feeds that cost more than they weigh: processor time, memory, disk, and whether a signal is answered meanwhile."""
import glob, gzip, json, os, signal, subprocess, threading, time
from . import ground

BASE = """bolide: 1
name: bomb
store: bomb.sqlite
entity: B
key: id
max-rejects: 100%
"""
PLAIN = BASE + "attributes: { id: string, n: integer64 }\n"
MOST = 96


class Feed:
  """A feed as its beginning, what is in it again and again, and its end.

  `again` makes a piece from its number. Limits: processor seconds, memory and the store's size in MiB.
  """

  def __init__(
      self, name, rules, again, count, cpu, memory=MOST, store=64, start=b"", end=b"", brief=None, packed=False,
      endless=True):
    self.name, self.rules, self.again, self.count, self.cpu = name, rules, again, count, cpu
    self.memory, self.store, self.start, self.end = memory, store, start, end
    self.brief, self.packed, self.endless = brief or count, packed, endless

  def pieces(self, count=None):
    yield self.start
    number = 0
    while count is None or number < count:
      yield self.again(number)
      number += 1
    if count is not None:
      yield self.end


def line(value):
  return json.dumps(value).encode() + b"\n"


def named(text):
  """Records of a key each that say the same."""
  return lambda n: line({"id": f"k{n}", "n": text})


def feeds():
  patterned = BASE + "attributes: {{ id: string, n: {{ type: string, pattern: '{0}'{1} }} }}\n"
  names = lambda count, width: b"".join(b',"%s%d"' % (b"c" * width, n) for n in range(count))
  columns = lambda count, width: b'{"fields":["id","n"' + names(count, width) + b'],"data":['
  # A run ends early where its first thousand records are all refused: one is in order.
  good = line({"id": "good", "n": 1})
  after = lambda piece: lambda n: b"," + piece(n)
  children = BASE + """attributes: { id: string }
children:
  kids: { entity: Kid, inverse: b, key: [b, n], attributes: { n: integer64 } }
"""
  cells = PLAIN + "shape: csv\n"
  wild = PLAIN.replace("key: id", "key: id\nrecords: all/<when>")
  return [
    Feed("refused records of one key", PLAIN, lambda n: line({"id": "same", "n": f"x{n}"}), 40000, 5, brief=20000,
         start=good, store=128),
    Feed("ordinary records of one key, repeated-key: reject", PLAIN + "repeated-key: reject\n",
         lambda n: line({"id": f"k{n % 2}", "n": n}), 40000, 5, brief=20000, store=128),
    Feed("refused rows under 9000 long names", PLAIN + "shape: columnar\n", after(lambda n: b'["k%d","x"]' % n), 2000,
         5, start=columns(9000, 100) + b'["good",1]', end=b"]}", store=128),
    Feed("columns that nobody asks for", PLAIN + "shape: columnar\n",
         after(lambda n: b'["k%d",%d%s]' % (n, n, b",0" * 160000)), 1, 5,
         start=columns(160000, 5) + b'["good",1' + b",0" * 160000 + b"]", end=b"]}", endless=False),
    Feed("refused records under a key of a megabyte", wild, after(lambda n: line({"id": f"k{n}", "n": "x"})), 1000, 5,
         start=b'{"all":{"' + b"w" * (1 << 20) + b'":[' + good, end=b"]}}", store=128),
    Feed("refused children of one record", children, after(lambda n: b'{"n":"x%d"}' % n), 80000, 8, brief=20000,
         start=b'{"id":"a","kids":[{"n":1}', end=b"]}", store=128, memory=160, endless=False),
    Feed("a pattern with two ways for each letter", patterned.format("([a-z]+)*[0-9]", ""), named("a" * 24), 3, 5),
    Feed("a pattern as for addresses", patterned.format("([a-zA-Z0-9]+[._-]?)+@[a-z]+", ""), named("abc" * 8), 3, 5),
    Feed("a pattern behind a length", patterned.format("([a-z]+)*[0-9]", ", max-length: 10"), named("a" * 200), 999, 5),
    Feed("a pattern on a long text", patterned.format("(a|b)+", ""), named("ab" * (1 << 19)), 4, 20, memory=200),
    Feed("refused records of many keys", PLAIN, named("x"), 640000, 30, brief=160000, start=good, store=256),
    Feed("refused records of 8 KB, packed", PLAIN, named("x" * 8000), 40000, 30, brief=10000, packed=True, start=good,
         store=256),
    Feed("unknown keys of a thousand bytes", PLAIN, lambda n: line({"id": f"k{n}", "u" * 1000 + str(n % 250): 1}),
         20000, 4, brief=5000),
    Feed("blanks, packed", PLAIN, lambda n: b" " * (1 << 20), 2000, 30, brief=300, start=b"[", end=b"]", packed=True),
    Feed("brackets", PLAIN, lambda n: b"[" * (1 << 20), 64, 10, brief=8, endless=False),
    Feed("one text without an end", PLAIN, lambda n: b"x" * (1 << 20), 200, 20, brief=80, start=b'[{"id":"', end=b'"}]',
         memory=450),
    Feed("a quote without an end", cells, lambda n: b"x" * (1 << 20), 200, 20, brief=80, start=b'id,n\ngood,1\nk,"',
         memory=450),
    Feed("quotes without an end", cells, lambda n: b'k%d,"\n' % n, 200000, 8, start=b"id,n\ngood,1\n", store=128),
    Feed("a quote without an end in each line", cells, lambda n: b'"a"",%d\n' % n, 200000, 8, start=b"id,n\ngood,1\n",
         store=128),
    Feed("a million columns of cells", cells, lambda n: b"k%d,%d%s\n" % (n, n, b",0" * 1000000), 4, 8, endless=False,
         start=b"id,n" + b"".join(b",c%d" % n for n in range(1000000)) + b"\n", memory=256),
    Feed("digits without an end", PLAIN, lambda n: b"9" * (1 << 20), 80, 20, start=b'[{"id":"a","n":', end=b"}]",
         memory=450),
    Feed("ordinary records in little memory", PLAIN + "memory: 48MiB\n", named("a name of some length"), 300000, 8,
         memory=48, brief=60000, endless=False),
    Feed("long records in little memory", PLAIN + "memory: 48MiB\n", lambda n: line({"id": f"k{n}", "x": "x" * (3000 << 10)}), 20,
         8, memory=48, endless=False),
    Feed("a megabyte before the rows", PLAIN, lambda n: b"1,", 1000000, 5, start=b'{"meta":[',
         end=b'1],"data":[{"id":"a","n":1}]}', endless=False),
  ]


def source(feed, path, count):
  with (gzip.open if feed.packed else open)(path, "wb") as file:
    for piece in feed.pieces(count):
      file.write(piece)
  return os.path.getsize(path)


def weighed(feed):
  def attempt(suite, name):
    box = new_box(suite, name, feed)
    count = feed.brief if suite.is_brief else feed.count
    size = source(feed, box.path("feed"), count)
    result = box.run("import", "bomb.yaml", "feed", limit=feed.cpu * 6 + 20)
    if result.is_late or result.signal:
      return box
    files = [file for file in os.listdir(box.work) if file.startswith("bomb.sqlite")]
    store = sum(os.path.getsize(box.path(file)) for file in files) / (1 << 20)
    found = (f"{count} pieces, {size / (1 << 20):.2f} MiB: {result.cpu:.1f} s, {result.mebibytes:.0f} MiB of memory, "
             f"{store:.0f} MiB of store")
    if result.status not in (0, 3, 65):
      box.problem(f"status {result.status}: {result.err[:160]}")
    for what, value, most in (
      ("s of processor time", result.cpu, feed.cpu), ("MiB of memory", result.mebibytes, feed.memory),
      ("MiB of store", store, feed.store),
    ):
      if value > most:
        box.problem(f"{value:.1f} {what} instead of at most {most}: {found}")
    return box
  return attempt


def new_box(suite, name, feed):
  box = ground.box(suite, name, "calm")
  box.own |= {f"work/bomb.sqlite{ending}" for ending in ("", "-wal", "-shm", "-bolide")}
  box.write("bomb.yaml", feed.rules)
  return box


def queued(process):
  """The seconds that each thread has been ready to run while others ran: a busy machine is not the tool's."""
  waits = {}
  for path in glob.glob(f"/proc/{process}/task/*/schedstat"):
    try:
      with open(path) as file:
        waits[path] = int(file.read().split()[1]) / 1e9
    except (OSError, IndexError):  # The thread has ended.
      pass
  return waits


def stopped(feed):
  def attempt(suite, name):
    """While the feed goes on for ever, the first TERM ends the import within two seconds."""
    box = new_box(suite, name, feed)
    ends, begins = os.pipe()
    process = box.start("import", "bomb.yaml", "-", stdin=ends)
    os.close(ends)
    def pour():
      try:
        for piece in feed.pieces(None if feed.endless else 5 * feed.count):
          while piece:
            piece = piece[os.write(begins, piece):]
        time.sleep(30)
      except OSError:
        pass
    pourer = threading.Thread(target=pour, daemon=True)
    pourer.start()
    time.sleep(box.dice.choice((1, 2, 3)))
    sent, before = time.monotonic(), queued(process.pid)
    process.send_signal(signal.SIGTERM)
    others = 0
    while process.poll() is None and time.monotonic() - sent < suite.limit:
      others = max(others, *(wait - before.get(task, 0) for task, wait in queued(process.pid).items()), 0)
      time.sleep(0.02)
    seconds = time.monotonic() - sent - others
    if process.poll() is None:
      process.kill()
      process.wait()
    os.close(begins)
    if seconds > 2:
      box.problem(f"{seconds:.1f} s until TERM was answered, and {others:.1f} s in which others ran")
    elif process.returncode not in (143, -signal.SIGTERM) and process.returncode not in suite.statuses:
      box.problem(f"status {process.returncode} after TERM")
    return box
  return attempt


BOMBS = (
  "length(replace(printf('%.*c', 30000, 'x'), 'x', printf('%.*c', 30000, 'y')))", "length(zeroblob(1000000000))",
  "length(hex(zeroblob(400000000)))", "length(replace(hex(zeroblob(20000)), '00', hex(zeroblob(20000))))",
  "length(printf('%1000000000d', 1))", "length(randomblob(900000000))",
  "instr(zeroblob(900000), zeroblob(450000) || x'01')", "printf('%.*c', 900000, 'a') LIKE '%a%a%a%a%a%a%a%a%a%b'",
  "length(quote(zeroblob(400000000)))", "group_concat('x', 'y')",
  "x'" + "00" * 500000 + "' > 0", "1" + " + 1" * 100000,
)


def expression(text, words):
  def attempt(suite, name):
    """An expression or a predicate has a limit of time and of what it makes."""
    box = ground.box(suite, name, "calm")
    box.own |= {f"work/bomb.sqlite{ending}" for ending in ("", "-wal", "-shm", "-bolide")}
    number = "{ type: integer64, value: " + json.dumps(text) + " }"
    box.write("bomb.yaml", BASE + "attributes: { id: string, n: " + number + " }\n")
    box.write("feed", '[{"id":"a"}]')
    result = box.run(*words, *(("--where", text) if words[0] in ("fetch", "delete") else ()))
    if result.mebibytes > 400:
      box.problem(f"{result.mebibytes:.0f} MiB of memory for {text[:60]}")
    return box
  return attempt


def sketched(suite, name):
  """`init` looks at names it has seen without comparing each with all."""
  box = ground.box(suite, name, "calm")
  box.write("feed", "".join(json.dumps({f"k{n % 1500}": n}) + "\n" for n in range(60000)))
  result = box.run("init", "feed", limit=60)
  if result.cpu > 2:
    box.problem(f"{result.cpu:.1f} s of processor time for 60000 records of 1500 names")
  return box


def tries(suite):
  found = [("feeds: weighed", f"feeds: {feed.name}", weighed(feed)) for feed in feeds()]
  found += [("feeds: TERM", f"feeds: TERM while {feed.name}", stopped(feed)) for feed in feeds()]
  for number, text in enumerate(BOMBS):
    if len(text) < 200:
      for words in (("check", "bomb.yaml"), ("import", "bomb.yaml", "feed")):
        found.append(("feeds: expressions", f"feeds: {words[0]} with expression {number}", expression(text, words)))
    if len(text) < 100000:
      for words in (("fetch", "s.sqlite", "Quake", "--count"), ("delete", "s.sqlite", "Quake", "--dry-run")):
        found.append(("feeds: expressions", f"feeds: {words[0]} with predicate {number}", expression(text, words)))
  found.append(("feeds: init", "feeds: init with many names", sketched))
  return found
