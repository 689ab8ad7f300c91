"""A place to run the tool in, and the rules that hold for each run."""
import json, os, random, re, resource, shutil, signal, stat, subprocess, threading, time

# Stands in files that no command has any business to show.
SECRET = "hunter3-is-never-shown"
# What SQLite and the tool may leave beside a store; a journal may go, and not come.
ENDINGS = ("", "-wal", "-shm", "-bolide", "-bolide-readers")
# Inner words of a program, which are no sentence for people.
INNER = re.compile(
  r"StoreError\(|ImportError\(|PipelineError\(|Optional\(|NSError|Error Domain|DecodingError|Fatal error|"
  r"CocoaError|SQLite error|preconditionFailure|GRDB|Swift runtime|\.swift:\d|UserInfo=")
CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
ON_STDOUT, ON_STDERR = re.compile(f"[{CONTROLS}]"), re.compile(f"[{CONTROLS}\u202a-\u202e\u2066-\u2069]")


class Result:
  """How a run of the tool ended."""

  def __init__(self, words, status, out, err, seconds, usage, is_late):
    self.words, self.status, self.out, self.err = words, status, out, err
    self.seconds, self.is_late = seconds, is_late
    self.cpu = usage.ru_utime + usage.ru_stime
    self.mebibytes = usage.ru_maxrss / 1024

  @property
  def signal(self):
    """The number of the signal that ended it, or 0."""
    return -self.status if self.status < 0 else self.status - 128 if self.status > 128 else 0


class Box:
  """A folder of its own for one try: the store in `work`, and around it what nobody may touch."""

  def __init__(self, suite, folder, name):
    self.suite, self.folder = suite, folder
    self.work = os.path.join(folder, "work")
    self.problems, self.runs = [], []
    # What a command may write: the store, what SQLite keeps beside a database that it reads, and what was asked for.
    self.own = {os.path.join("work", "s.sqlite" + ending) for ending in ENDINGS}
    self.own |= {"work/other.sqlite-wal", "work/other.sqlite-shm"}
    self.own |= {f"work/out.sqlite{ending}" for ending in ENDINGS}
    self.dice = random.Random(f"{suite.seed} {name}")
    self.environment = {
      "PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": os.path.join(folder, "home"),
      "TMPDIR": os.path.join(folder, "tmp"), "SWIFT_BACKTRACE": "enable=no",
    }

  def path(self, *names):
    return os.path.join(self.work, *names)

  def write(self, name, text):
    """Writes a file of the working folder, and returns its name."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    with open(self.path(name), "wb") as file:
      file.write(data)
    return name

  def sql(self, name="s.sqlite"):
    return self.suite.sql(self.path(name))

  def remove_store(self, *endings):
    """Takes the store's files away, or those with certain endings."""
    for ending in endings or ENDINGS:
      if os.path.lexists(self.path("s.sqlite" + ending)):
        os.remove(self.path("s.sqlite" + ending))

  def problem(self, text):
    self.problems.append(text)

  # A run

  def start(self, *words, user=None, stdin=subprocess.DEVNULL, output=None, memory=4 << 30):
    """Starts the tool; its output goes to files beside the working folder."""
    def limits():
      resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
      resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
      resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    names = [os.path.join(self.folder, "out", name) for name in ("stdout", "stderr")]
    with open(names[0], "wb") as out, open(names[1], "wb") as err:
      return subprocess.Popen(
        [self.suite.tool, *words], cwd=self.work, env=self.environment, stdin=stdin, stdout=output or out,
        stderr=err, start_new_session=True, preexec_fn=limits, user=user, group=user,
        extra_groups=None if user is None else [])

  def finish(self, process, words, limit=None, since=None, term=None):
    """Waits for a run's end, kills what does not come to one, and judges what it said.

    After `term` seconds, where they are given, a run is asked to end, and has two more for that.
    """
    limit = term + 2 if term else limit or self.suite.limit
    since = since or time.monotonic()
    late = threading.Event()
    def end():
      late.set()
      try:
        os.killpg(process.pid, signal.SIGKILL)
      except ProcessLookupError:
        late.clear()
    timers = [threading.Timer(limit, end)]
    if term:
      timers.append(threading.Timer(term, process.send_signal, (signal.SIGTERM,)))
    for timer in timers:
      timer.start()
    _, status, usage = os.wait4(process.pid, 0)
    for timer in timers:
      timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    texts = []
    for name in ("stdout", "stderr"):
      with open(os.path.join(self.folder, "out", name), "rb") as file:
        texts.append(file.read(64 << 20))
    result = Result(words, process.returncode, *texts, time.monotonic() - since, usage, late.is_set())
    self.runs.append(result)
    if not (term and result.signal == signal.SIGTERM):
      self.judge(result, limit)
    return result

  def run(self, *words, limit=None, term=None, **options):
    """Runs the tool to its end under the rules that hold for every command."""
    before = self.state()
    since = time.monotonic()
    result = self.finish(self.start(*words, **options), words, limit, since, term)
    self.compare(before, words, result)
    return result

  def judge(self, result, limit):
    command = " ".join(w if len(w) < 80 else w[:80] + "…" for w in result.words)
    err = result.err.decode("utf-8", "backslashreplace")
    def problem(text):
      self.problem(f"{text}  [{command!r}]")
    if result.is_late:
      return problem(f"still at work after {limit:g} s")
    if result.signal:
      return problem(f"ended by {signal.Signals(result.signal).name}")
    if result.status not in self.suite.statuses:
      problem(f"status {result.status} is not documented")
    first = err.split("\n")[0][:160]
    if result.status == 70:
      problem(f"status 70, a mistake in the program: {first}")
    if result.status not in (0, 3, 79) and not err and not result.out:
      problem(f"status {result.status} without a word")
    if inner := INNER.search(err):
      problem(f"stderr has {inner[0]!r}: {first}")
    if len(err) > 8192:
      problem(f"{len(err)} bytes on stderr: {first}")
    # SQL and metrics have their texts as they are: they are for programs.
    out = "" if result.words[0] == "schema" or "prometheus" in result.words else result.out.decode("utf-8", "replace")
    for name, text, pattern in (("stdout", out, ON_STDOUT), ("stderr", err, ON_STDERR)):
      if found := pattern.search(text):
        problem(f"a control character on {name}: {text[max(0, found.start() - 20):found.end() + 20]!r}")
    if result.status == 0 and is_json(result.words):
      for number, line in enumerate(result.out.split(b"\n")[:-1]):
        try:
          json.loads(line.decode(), object_pairs_hook=once)
        except ValueError as error:
          problem(f"line {number + 1} is no JSON object that says each thing once ({error}): {line[:160]}")
          break
    if SECRET.encode() in result.out + result.err:
      problem("shows what stands in another file")

  # What may not change

  def state(self):
    """What can be told of every file, by its path, without opening what is not regular."""
    found = {}
    for folder, folders, names in os.walk(self.folder):
      if folder == self.folder:
        folders.remove("out")
      for name in folders + names:
        path = os.path.join(folder, name)
        found[os.path.relpath(path, self.folder)] = facts(path)
    return found

  def compare(self, before, words, result):
    """Notes each file that came, went or changed and is not the store's own."""
    after = self.state()
    for path in sorted(before.keys() | after.keys()):
      if path in self.own or before.get(path) == after.get(path):
        continue
      if path.endswith("-journal") and path not in after:
        continue
      # A run that was killed had no time to clear away.
      if path.startswith(("tmp/", "work/s.sqlite-bolide-pin-")) and (result.is_late or result.signal):
        continue
      what = "was made" if path not in before else "is gone" if path not in after else "was changed"
      details = ", ".join(
        f"{key} {before[path].get(key)} -> {after[path].get(key)}" for key in before[path]
        if before[path].get(key) != after[path].get(key)) if what == "was changed" else ""
      self.problem(f"{path} {what} {details[:160]}  [{' '.join(words)[:120]!r}]")


def is_json(words):
  """Whether a command prints a line of JSON for each thing."""
  if {"--count", "--sqlite", "prometheus", "table"} & set(words):
    return False
  return words[0] in ("fetch", "diff", "changes", "snapshot", "missing") or bool({"--json", "ndjson"} & set(words))


def once(pairs):
  """An object whose keys come once each: a text that is not quoted could say a second thing."""
  keys = [key for key, _ in pairs]
  if len(keys) != len(set(keys)):
    raise ValueError("a key comes twice")
  return dict(pairs)


def facts(path):
  """A file's kind, mode, owner and number, and where it is regular its time and size."""
  status = os.lstat(path)
  found = {
    "mode": oct(status.st_mode), "owner": (status.st_uid, status.st_gid), "inode": status.st_ino,
  }
  if stat.S_ISLNK(status.st_mode):
    found["target"] = os.readlink(path)
  elif stat.S_ISREG(status.st_mode):
    found["time"], found["size"] = status.st_mtime_ns, status.st_size
  return found


def copy_tree(source, target):
  """Copies a folder as it is, with hard links, devices and the like made anew by whoever wants them."""
  shutil.copytree(source, target, symlinks=True)
