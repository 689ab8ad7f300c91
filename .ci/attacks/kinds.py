"""A kind of hostile store, and every command on it."""
import os
from . import commands, ground, harness


class Kind:
  """One kind: its name, how it is made, and which statuses a call may end with.

  `expect` is a function of a call, to a set of statuses, or to None where any that is documented will do. What is
  `endless` may go on in a command that writes, as its user's triggers do what they do, until a signal ends it.
  """

  def __init__(
      self, name, make, expect=None, base="pending", environment=None, store="s.sqlite", after=None, endless=False):
    self.name, self.make, self.expect, self.base = name, make, expect, base
    self.environment, self.store, self.after = environment or {}, store, after
    self.endless = endless

  def run(self, suite, name, call):
    box = ground.box(suite, name, self.base)
    try:
      self.make(box)
    except Exception as error:
      raise RuntimeError(f"{name}: the kind cannot be made: {error}") from error
    box.environment.update(self.environment)
    box.store = self.store
    box.own |= {os.path.normpath(os.path.join("work", self.store + ending)) for ending in harness.ENDINGS if self.store}
    term = 3 if self.endless and (call.writes or call.tries) else None
    result = box.run(*call.on(self.store, suite.token), term=term)
    allowed = self.expect(call) if self.expect else None
    # What is wrong in any case has been said.
    is_said = result.is_late or result.signal or result.status == 70
    if allowed is not None and not is_said and result.status not in allowed:
      first = result.err.decode("utf-8", "replace").split("\n")[0][:160]
      box.problem(
        f"status {result.status} instead of {' or '.join(map(str, sorted(allowed)))}: {first}  [{call.name!r}]")
    if result.err.count(b"Error:") > 1:
      box.problem(f"more than one sentence: {result.err[:200]}  [{call.name!r}]")
    if self.after:
      self.after(box, call, result)
    return box


def refused(call):
  """The model or the schema is wrong, whoever asks."""
  return {78}


def wrong(call):
  """What is said of a model that no pipeline could declare. Who lists readers or refused records may not look."""
  return {64, 65, 73, 74, 78} | ({0} if call.name in ("rejects", "rejects --format ndjson", "readers") else set())


def tries(kinds, step=1):
  """Every kind with every call, or with one of `step`, others each time: a list of names and functions."""
  calls = [call for calls in commands.CALLS.values() for call in calls]
  return [
    (kind.name, f"{kind.name} × {call.name}", lambda suite, name, kind=kind, call=call: kind.run(suite, name, call))
    for number, kind in enumerate(kinds) for call in calls[number % step::step]
  ]
