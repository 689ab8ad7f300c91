"""A command has few files, little memory, small files, or a clock that jumps."""
import resource
from .calls import STATUSES
from .ground import SCENARIOS

MIB = 1 << 20
# How much there is of each, from too little for anything to nearly enough.
LIMITS = {
  "files": (resource.RLIMIT_NOFILE, [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 24, 32]),
  "space": (resource.RLIMIT_AS, [number * MIB for number in (100, 140, 160, 180, 200, 220, 240, 260, 280, 300, 350, 400, 500)]),
  "size": (resource.RLIMIT_FSIZE, [number << 10 for number in (0, 1, 4, 16, 31, 32, 48, 64, 100, 128, 200, 256, 300, 400)]),
}


def points():
  for name in SCENARIOS:
    for kind, (_, numbers) in LIMITS.items():
      for number in numbers:
        yield name, f"{kind}:{number}"


def attempt(ground, name, point):
  """What is wrong with one command under a limit; nil when nothing is."""
  kind, number = point.split(":")
  base, words = SCENARIOS[name]
  with ground.box(base) as place:
    status, errors = ground.run(place, words, limits=(LIMITS[kind][0], int(number)))
    # Swift ends a process whose allocation fails, the loader one that it cannot load: it is killed then.
    is_killed = status is not None and kind != "size" and (status < 0 or status >= 127)
    if status not in STATUSES and not is_killed:
      return f"status {status}: {errors[:300]}"
    return ground.judge(place, name, status, errors)
