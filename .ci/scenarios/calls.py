"""Each call of the system, each allocation of SQLite's, each reading of the clock fails: once, from then on, for a while."""
import signal
from .ground import SCENARIOS

# What a call may fail with; 0 is a write of half.
ERRORS = {
  "open": (5, 13, 24, 28), "read": (5, 4), "write": (5, 28, 122, 4, 0), "truncate": (5,), "sync": (5, 28), "rename": (5, 28),
  "link": (5, 31), "unlink": (5, 13), "map": (12,), "lock": (5, 37), "thread": (11,), "process": (11, 12), "memory": (12,),
  "clock": (-86400, 86400),
}
# What a fault may end with: refused, no input, the store cannot be opened, input or output, later, history not whole.
STATUSES = {0, 3, 66, 73, 74, 75, 80}


def modes(kind, number, error):
  if error in (0, 4, 37):
    return ("once",)
  # A process that can have no thread says so as it begins. Later on Dispatch waits for one, once a second.
  if kind == "thread" and number > 1:
    return ("once", "3")
  # A disk that is full has room again after a while.
  return ("once", "on", "9") if (kind, error) == ("write", 28) else ("once", "on")


def points(ground, of):
  """Every fault of certain kinds, in every scenario."""
  for name in SCENARIOS:
    for kind in of:
      for number in range(1, ground.counts[name][kind] + 1):
        for error in ERRORS[kind]:
          for mode in modes(kind, number, error):
            yield name, f"{kind}:{number}:{mode}:{error}"


def attempt(ground, name, fault):
  """What is wrong with one fault; nil when nothing is."""
  base, words = SCENARIOS[name]
  with ground.box(base) as place:
    status, errors = ground.run(place, words, fault=fault)
    if fault.startswith("memory") and is_without_memory(status, errors):
      return ground.again(place, name, "no memory")
    if status is None and fault.startswith("lock"):
      return ground.again(place, name, "a wait for the lock that was cut off")
    if status not in STATUSES:
      return f"status {status}: {errors[:300]}"
    if status and errors.count("Error:") != 1 and not (status == 3 and not errors):
      return f"status {status} with other than one sentence: {errors[:300]}"
    # What it said is done, and all of it was said. Where a command that reads may not write, whatever the reason, a note
    # says what is left for the next one.
    lines = len(ground.text(place).splitlines())
    if status in (0, 3) and "The next command that writes" not in errors and lines != ground.lines[name]:
      return f"status {status} and {lines} lines instead of {ground.lines[name]}"
    return ground.judge(place, name, status, errors)


def is_without_memory(status, errors):
  """Ends that no other fault has: an expression that could not be compiled is refused with the reason, and a reader whose
  transaction cannot even be taken back is ended, as Swift ends a process without memory. So is one that opens
  a connection for which SQLite has no memory to take GRDB's own collations and functions: GRDB takes that for its mistake. The
  same end with a statement (` - while executing`) would be ours."""
  return (status == 78 and "out of memory" in errors
    or status == -signal.SIGILL and ("transaction has been left opened" in errors
      or "GRDB/Utils.swift" in errors and "SQLite error 7: out of memory\n" in errors))


def is_slow(fault):
  """Whether little is to be done but to wait: SQLite tries a lock for ten seconds, several times over."""
  kind, _, mode, *_ = fault.split(":") + [""]
  return kind == "lock" and mode == "on"
