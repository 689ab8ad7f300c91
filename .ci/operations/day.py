"""What an hour is told in: what the publisher sends, what the crontab's lines say, what an operator does."""
import datetime, gzip, math, re

from . import feed, host
from .host import must, says
from .server import Answer

# The hours by their numbers: what the trouble is, and how it goes. Each yields once, the state that `status` has then: what is
# before happens at its seventh minute, what is behind is done by hand at its fortieth.
HOURS = {}
STORE = "/srv/bolide/fireballs.sqlite"
EMPTY = """Error: stdin: the input is empty; did the command before the pipe fail?
       Run the command before the pipe by itself, and check its exit status."""
CHECK = "       Check the input. If it is as it should be, import it once all the same: --accept "
UNDO = f"To undo this import: bolide revert {STORE} --run …"


def hour(number, trouble):
  def add(play):
    HOURS[number] = (trouble, play)
    return play
  return add


class Day:
  """The hours so far."""

  def __init__(self, machine, server):
    self.host, self.server = machine, server
    self.catalogue = feed.Catalogue(1100)
    # The publisher's columns; when the last good import was; the watch line's counts; and what the publisher has taken back.
    self.fields = list(feed.FIELDS)
    self.good, self.rejected, self.missing, self.hidden = None, 0, 0, set()
    self.runs, self.silent, self.said = 0, 0, []

  def begin(self, number):
    self.host.hour, self.said = number, []
    self.catalogue.advance(datetime.datetime(2026, 3, 2) + datetime.timedelta(hours=number))
    self.host.at(7)

  # The publisher

  def rows(self, change=None):
    """The catalogue's records, each changed."""
    rows = [row for row in self.catalogue.copy() if row["date"] not in self.hidden]
    if "peak" in self.fields:
      rows = [row | {"peak": "7.5"} for row in rows]
    return [change(row) if change else row for row in rows]

  def send(self, body, share=None, **how):
    """What the server answers until it is told otherwise; `share` of the body is sent."""
    self.server.answer = Answer(body, sent=None if share is None else int(len(body) * share), **how)

  def feed(self, change=None, fields=None, **how):
    """The server sends the catalogue in its usual form. Gives back its records, with those fields."""
    fields = fields or self.fields
    rows = [{name: row.get(name) for name in fields} for row in self.rows(change)]
    self.send(feed.columnar(rows, fields), **how)
    return rows

  def body(self, rows, **how):
    """Certain records in the publisher's usual form."""
    return feed.columnar(rows, self.fields, **how)

  @staticmethod
  def whole(body, share):
    """How many records are whole in a part of the publisher's form."""
    return body[:int(len(body) * share)].decode().partition('"data": ')[2].count("]")

  # The crontab

  def line(self, status, mail="", line=None, lands=(), options=""):
    """Runs the crontab's import: what it must end with, say, and leave in the store."""
    line = (line or self.host.imports).replace(" import ", f" import {options} ".replace("  ", " "))
    self.judge(self.host.cron(line), status, mail, lands)

  def judge(self, result, status, mail, lands=()):
    found, said = result
    # Whether curl has sent everything before an import ends that reads no further, is chance.
    said = re.sub(r"^curl: \(23\) .*\n?", "", said, flags=re.M).strip()
    must(found == status, f"exit {found} and not {status}:\n{said}")
    says(said, mail, f"exit {found}, and said")
    self.said.append((status, said))
    self.runs += 1
    self.silent += not said
    self.host.truth.take(lands)
    if status in (0, 3):
      self.good, self.good_truth = self.host.now, self.host.truth.copy()

  def watch(self, state, more="", minute=30):
    """The crontab's second line: silent and 0 while all is well; otherwise a table and 79, or an error."""
    self.host.at(minute, seconds=30)
    status, said = self.host.cron(self.host.watches)
    must(status == (0 if state == "ok" else 73 if state.startswith("Error") else 79), f"the watch ended with {status}:\n{said}")
    if state == "ok" or state.startswith("Error"):
      return says(said, state.removeprefix("ok"), "the watch said")
    state = state if " " in state else self.row(state)
    said = re.sub(r" {2,}", "  ", said)
    says(said, f"PIPELINE  STATE  LAST GOOD RUN  DUE  LAST CHANGE  REJECTED  MISSING  STORE\n{state}{more}", "the watch said")

  def row(self, state):
    """The pipeline in the table of the watch line."""
    seconds = (self.host.now - self.good).total_seconds()
    # The table says why.
    state += ": …" if state == "failed" else ""
    age = f"{seconds // 60:.0f} min" if seconds < 7200 else f"{seconds // 3600:.0f} h"
    return f"fireballs  {state}  {age} ago  every 26 h  … ago  {self.rejected}  {self.missing}  {STORE}"

  def too_many(self, rows):
    """What an import of these says that changes too many rows against the last good one."""
    after, before = self.host.truth.copy(), self.good_truth.rows
    after.take(rows)
    there = [date for date in map(feed.key, rows) if date in before]
    changed = sum(after.rows[date] != before[date] for date in there)
    return f"""Error: stdin: {changed} of the {len(there):,} rows that were there before have other values than after the last \
good run, which is {percent(changed, len(there))} and more than 20 %. The {len(rows)} records read are in the store.
{CHECK}max-changed. {UNDO}"""

  # An operator

  def by_hand(self, *words, status=0, says=""):
    """A command of the operator's: what it must end with and say."""
    said = self.host.run(*words, allowed=(status,))
    host.says(said, says, f"bolide {' '.join(words)} said")
    return said

  def undo(self, before, ending):
    """Runs the command that the last mail names, as somebody does who copies it from there: the store is as it was before."""
    command = re.search(r"bolide (revert \S+ --run \d+)$", self.said[-1][1])
    must(command, f"no command to undo this:\n{self.said[-1][1]}")
    self.by_hand(*command[1].replace(host.HOME, self.host.home).split(), "-v", says=ending)
    self.host.truth = before.copy()


def percent(part, whole):
  """A share as the tool has it: rounded up, so that what is too much is not the limit itself."""
  return f"{math.ceil(1000 * part / whole) / 10:.1f} %"


def packed(body):
  return gzip.compress(body, mtime=0)
