"""Each command gets signals: at a call that is chosen, or at a moment that chance chooses, once and twice."""
import random, signal, time
from .ground import SCENARIOS

# Calls at which a signal tells apart what was done; what reads only is left to chance.
AT = ("open", "write", "sync", "truncate", "rename", "link", "unlink")
NUMBERS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
ENDS = {0, 3, 74, 75} | {128 + number for number in NUMBERS} | {-number for number in NUMBERS}


def points(ground, rounds):
  """Every signal at every call, and so many rounds of signals by chance for each command."""
  for name in SCENARIOS:
    for kind in AT:
      for number in range(1, ground.counts[name][kind] + 1):
        for one in NUMBERS:
          yield name, f"{kind}:{number}:signal:{int(one)}"
    for round in range(rounds):
      for story in ("kill", "term term", "int int", "stop cont", "stop term cont", "stop kill", "hup", "term kill"):
        yield name, f"chance:{round}:{story}"


def attempt(ground, name, point):
  """What is wrong with one command that got signals; nil when nothing is."""
  base, words = SCENARIOS[name]
  with ground.box(base) as place:
    if point.startswith("chance"):
      status, errors = by_chance(ground, place, name, point)
    else:
      status, errors = ground.run(place, words, fault=point)
    if status not in ENDS:
      return f"status {status}: {errors[:300]}"
    return ground.judge(place, name, status)


def by_chance(ground, place, name, point):
  dice = random.Random(f"{name} {point}")
  process = ground.start(place, SCENARIOS[name][1])
  for word in point.split(":")[2].split():
    time.sleep(dice.random() ** 2 * 0.12)
    if process.poll() is None:
      process.send_signal(getattr(signal, f"SIG{word.upper()}"))
  return process.wait(60), ground.text(place + ".err", "")
