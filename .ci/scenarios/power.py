"""The power goes: what was synced is there, and of the rest what chance leaves, torn at a sector's or a page's edge."""
import os, random, re, struct
from .ground import SCENARIOS

HEAD = struct.Struct("<cQQH")
TOKEN = re.compile(r"\bb1-[0-9a-z]+-[0-9]+-[0-9a-z]+\b")
SIZES = (512, 4096)


def steps(ground, name):
  """What a scenario did to its files, in order: (kind, path, offset, bytes), paths within its folder."""
  base, words = SCENARIOS[name]
  record = os.path.join(ground.folder, "record")
  with ground.box(base) as place:
    status, errors = ground.run(place, words, RECORD=record)
    assert status in (0, 3), f"{name}, recorded: {status} {errors}"
  with open(record, "rb") as file:
    data = file.read()
  os.remove(record)
  found, at = [], 0
  def inner(path):
    path = os.path.normpath(os.path.join(place, path.decode()))
    return os.path.relpath(path, place) if path.startswith(place) else None
  while at < len(data):
    kind, offset, size, length = HEAD.unpack_from(data, at)
    at += HEAD.size
    path = inner(data[at:at + length])
    at += length
    # A sync and a change of size bring no bytes; a write and a move bring all of them.
    given = data[at:at + size]
    at += size
    if kind in b"RL":
      given = inner(given)
    # A dry run's copy is in a folder of its own, and goes with it.
    if path is not None and "/" not in path:
      found.append((kind.decode(), path, offset, given))
  return found


class Disk:
  """Files by their names, and what a device holds of them for sure."""

  def __init__(self, folder):
    self.inodes, self.names, self.durable_names, self.open_names = {}, {}, {}, []
    for name in os.listdir(folder):
      with open(os.path.join(folder, name), "rb") as file:
        data = file.read()
      self.inodes[len(self.inodes)] = {"durable": bytearray(data), "open": []}
      self.names[name] = len(self.inodes) - 1
    self.durable_names = dict(self.names)

  def apply(self, kind, path, offset, given):
    if kind in "CE" and path not in self.names:
      self.inodes[len(self.inodes)] = {"durable": bytearray(), "open": []}
      self.rename(path, len(self.inodes) - 1)
    elif kind == "E":
      self.inodes[self.names[path]]["open"].append((None, 0))
    elif kind == "W" and path in self.names:
      self.inodes[self.names[path]]["open"].append((offset, given))
    elif kind == "T" and path in self.names:
      self.inodes[self.names[path]]["open"].append((None, offset))
    elif kind == "S" and path == ".":
      self.durable_names, self.open_names = dict(self.names), []
    elif kind == "S" and path in self.names:
      inode = self.inodes[self.names[path]]
      for change in inode["open"]:
        self.write(inode["durable"], *change)
      inode["open"] = []
    elif kind == "R":
      inode = self.names.get(given)
      if given is not None:
        self.rename(given, None)
      self.rename(path, inode)
    elif kind == "L":
      self.rename(path, self.names.get(given))
    elif kind == "U":
      self.rename(path, None)

  def rename(self, name, inode):
    """A change of a name, to nothing or to a file."""
    self.change(self.names, name, inode)
    self.open_names.append((name, inode))

  @staticmethod
  def change(names, name, inode):
    if inode is None:
      names.pop(name, None)
    else:
      names[name] = inode

  @staticmethod
  def write(data, offset, given):
    """A change of a file: bytes at an offset, or without an offset its new size."""
    if offset is None:
      size = given
      del data[size:]
      data.extend(bytes(size - len(data)))
    else:
      data.extend(bytes(max(0, offset - len(data))))
      data[offset:offset + len(given)] = given

  def after(self, dice):
    """The files that a power cut leaves, by name."""
    names = dict(self.durable_names)
    # Names change in the order of a journal: a beginning of what is not yet synced is there.
    for name, inode in self.open_names[:dice.randint(0, len(self.open_names))]:
      self.change(names, name, inode)
    share = dice.choice((0, 0.5, 0.9, 1))
    files = {}
    for name, inode in names.items():
      data = bytearray(self.inodes[inode]["durable"])
      for offset, given in self.inodes[inode]["open"]:
        if dice.random() >= share:
          continue
        if offset is not None and dice.random() < 0.3:
          self.tear(data, offset, given, dice)
        else:
          self.write(data, offset, given)
      files[name] = bytes(data)
    return files

  def tear(self, data, offset, given, dice):
    size, at = dice.choice(SIZES), 0
    while at < len(given):
      end = min(len(given), at + size - (offset + at) % size)
      if dice.random() < 0.5:
        self.write(data, offset + at, given[at:end])
      at = end


class Cuts:
  """Scenarios that were recorded once, and the points at which the power goes."""

  def __init__(self, ground):
    self.ground, self.recorded = ground, {}
    for name in SCENARIOS:
      if name == "delivery":
        # Its command's own file is not recorded.
        continue
      self.recorded[name] = steps(ground, name)

  def points(self, rounds):
    for name, found in self.recorded.items():
      for number in range(len(found) + 1):
        for round in range(rounds):
          yield name, f"cut:{number}:{round}"

  def attempt(self, name, point):
    """What is wrong where the power goes after so many steps; nil when nothing is."""
    ground = self.ground
    number = int(point.split(":")[1])
    base, words = SCENARIOS[name]
    with ground.box(base) as place:
      disk = Disk(os.path.join(ground.folder, "states", base))
      # What was printed is out of the machine, and stays.
      said = b""
      for step in self.recorded[name][:number]:
        if step[1] == "out":
          said += step[3] if step[0] == "W" else b""
        else:
          disk.apply(*step)
      files = disk.after(random.Random(f"{name} {point}"))
      for file in os.listdir(place):
        os.remove(os.path.join(place, file))
      for file, data in files.items():
        if not file.endswith("-shm") and file != "out":
          with open(os.path.join(place, file), "wb") as to:
            to.write(data)
      for token in TOKEN.findall(said.decode("utf-8", "replace"))[-1:]:
        status, errors = ground.run(place, f"changes s.sqlite --since {token}")
        if status != 0:
          return f"the printed token {token} ends with {status}: {errors[:300]}"
      return ground.again(place, name, f"{number} of {len(self.recorded[name])} steps")
