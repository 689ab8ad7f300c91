"""Stores with damaged pages: whatever a disk, or somebody, has done to the bytes."""
import os, sqlite3, time
from . import commands, ground


def damage(box):
  """Changes bytes or pages of the store's file, and says how."""
  dice, path = box.dice, box.path("s.sqlite")
  with open(path, "rb") as file:
    data = bytearray(file.read())
  size = 16384
  pages = len(data) // size
  way = dice.choice(
    ("bits", "bits", "bytes", "bytes", "bytes", "header", "page of noise", "page of zeros", "page of another", "cut"))
  if way == "bits":
    for _ in range(dice.randrange(1, 30)):
      data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
  elif way == "bytes":
    # Where the cells and their pointers lie: a page is mostly empty.
    for _ in range(dice.randrange(1, 20)):
      page = dice.randrange(pages) * size
      data[page + dice.choice((dice.randrange(120), size - 1 - dice.randrange(1500)))] = dice.randrange(256)
  elif way == "header":
    data[dice.randrange(16, 100)] = dice.randrange(256)
  elif way == "cut":
    del data[dice.randrange(len(data)):]
  else:
    page = dice.randrange(pages) * size
    other = dice.randrange(pages) * size
    data[page:page + size] = (
      dice.randbytes(size) if way == "page of noise" else bytes(size) if way == "page of zeros" else data[other:other +
                                                                                                          size])
  with open(path, "wb") as file:
    file.write(data)
  return way


def is_sound(path):
  """Whether SQLite's own check finds nothing; None when it comes to no end."""
  copy = path + "-copy"
  with open(path, "rb") as source, open(copy, "wb") as target:
    target.write(source.read())
  end = time.monotonic() + 5
  db = sqlite3.connect(copy)
  db.text_factory = bytes
  db.set_progress_handler(lambda: time.monotonic() > end, 100000)
  try:
    return db.execute("PRAGMA integrity_check").fetchall() == [(b"ok",)]
  except sqlite3.OperationalError as error:
    return None if "interrupted" in str(error) else False
  # Of an error that is no UTF-8 either nothing is left to say.
  except (sqlite3.Error, MemoryError, ValueError):
    return False
  finally:
    db.close()
    for ending in ("", "-wal", "-shm", "-journal"):
      if os.path.exists(copy + ending):
        os.remove(copy + ending)


def attempt(suite, name, call):
  box = ground.box(suite, name, box_of(name))
  way = damage(box)
  sound = is_sound(box.path("s.sqlite")) if call.command == "verify" else None
  result = box.run(*call.on("s.sqlite", suite.token))
  if sound is False and result.status == 0:
    box.problem(f"finds nothing where SQLite's own check does ({way})  [{call.name!r}]")
  return box


def box_of(name):
  return "pending" if name.endswith("pending") else "calm"


def tries(suite, count=4000):
  """Each command in turn, on a store that is damaged in a way of its own."""
  calls = [call for calls in commands.CALLS.values() for call in calls]
  calls.append(calls[[call.name for call in calls].index("verify")])
  found = []
  for number in range(count):
    call, base = calls[number % len(calls)], ("calm", "pending")[number // len(calls) % 2]
    found.append(("pages: damaged", f"pages: {number} × {call.name}, {base}",
                  lambda suite, name, call=call: attempt(suite, name, call)))
  return found
