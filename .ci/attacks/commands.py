"""Every command of the tool, as its help lists them, and how each is called here."""
import re, subprocess


class Call:
  """One way to call a command. `S` stands for the store, `TOKEN` for a token of its beginning."""

  def __init__(self, words, writes=False):
    self.words, self.writes = words.split(" "), writes
    self.command = self.words[0]
    # An edit that is tried and taken back: it fires triggers, as the edit does.
    self.tries = "--dry-run" in self.words or self.command in ("revert", "erase") and "--plan" in self.words
    self.name = words.replace(" S", "", 1)

  def on(self, store, token):
    places = {"S": store, "TOKEN": token}
    return [places.get(word, word) for word in self.words]


def reads(*calls):
  return [Call(words) for words in calls]


def writes(*calls):
  return [Call(words, writes=True) for words in calls]


CALLS = {
  "status":
    reads("status S", "status --json S", "status --format prometheus S"),
  "report":
    reads("report S", "report S --show-values", "report S --map none"),
  "runs":
    reads("runs S", "runs S --format table"),
  "log":
    reads("log S Quake q1", "log S Region --id 1 --derived --format table"),
  "fetch":
    reads(
      "fetch S Quake --with region --where magnitude>1", "fetch S Region --where any(quakes,magnitude>1)",
      "fetch S Region --with notes", "fetch S Region --sort -total",
      "fetch S Quake --group-by region.name --aggregate count,sum(magnitude)", "fetch S Quake --distinct --only size",
      "fetch S Quake --format table", "fetch S Quake --count", "fetch S Quake --at TOKEN"),
  "diff":
    reads(
      "diff S Quake --since TOKEN --sort -magnitude --only id,region.name", "diff S Region --since TOKEN --until TOKEN",
      "diff S Quake --since TOKEN --sections region.name --sort -magnitude"),
  "changes":
    reads(
      "changes S --since TOKEN --values --previous", "changes S --since TOKEN --net --count",
      "changes S --since TOKEN --ids", "changes S --since TOKEN --transactions") +
    writes("changes S --reader map -- cat"),
  "token":
    reads("token S"),
  "snapshot":
    reads("snapshot S", "snapshot S Region --sqlite out.sqlite") + writes("snapshot S --reader map -- cat"),
  "backup":
    reads("backup S out.sqlite"),
  "copy":
    reads("copy S out.sqlite Quake --where magnitude>1", "copy S out.sqlite Region --all --dry-run"),
  "restore":
    writes("restore S out.sqlite"),
  "rejects":
    reads("rejects S", "rejects S --format ndjson"),
  "schema":
    reads("schema S"),
  "verify":
    reads("verify S") + writes("verify S --rebuild"),
  "readers":
    reads("readers S") +
    writes("readers S add new --from now", "readers S ack map TOKEN", "readers S reset map", "readers S drop map"),
  "missing":
    reads("missing S q.yaml") + writes("missing S q.yaml --merge", "missing S q.yaml --delete --guard 100%"),
  "migrate":
    reads("migrate S q.yaml --plan") + writes("migrate S more.yaml"),
  "prune":
    writes("prune S --keep-transactions 1", "prune S --keep-transactions 1 --vacuum"),
  "link":
    reads("link S Quake region --where id='q1' --to name=r1 --dry-run") +
    writes("link S Quake region --where id='q1' --to name=r1"),
  "revert":
    reads("revert S --run 1 --plan", "revert S --to TOKEN --plan") +
    writes("revert S --run 1", "revert S --run 1 --force", "revert S --to TOKEN"),
  "erase":
    reads("erase S Quake q1 --plan") + writes("erase S Quake q1", "erase S Region --id 1"),
  "delete":
    reads("delete S Region --where name='r0' --dry-run") + writes("delete S Region --where name='r0'"),
  "import":
    reads("import q.yaml again.json --store S --lock-wait 1s --dry-run") + writes(
      "import q.yaml again.json --store S --lock-wait 1s", "import q.yaml again.json --store S --lock-wait 1s --atomic",
      "import q.yaml --store S --lock-wait 1s --replay", "import more.yaml again.json --store S --lock-wait 1s"),
}
# These take no store.
STORELESS = {"init", "check", "generate", "bench", "help"}


def listed(tool):
  """The commands and the exit statuses that the tool's help names."""
  text = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout
  commands = text[text.index("SUBCOMMANDS:"):].split("\n")[1:]
  names = [match[1] for line in commands if (match := re.match(r"  ([a-z-]+)\b", line))]
  table = text[text.index("EXIT STATUS:"):text.index("128+n")]
  statuses = {int(number) for number in re.findall(r"^  (\d+) ", table, re.MULTILINE)}
  return names, statuses


def unknown(names):
  """The commands that no call here tries, so that a new one is not forgotten."""
  return sorted(set(names) - CALLS.keys() - STORELESS) + sorted(CALLS.keys() - set(names))
