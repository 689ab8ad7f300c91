"""A publisher of fireballs, and what a store must hold of what it published: no code of the tool's."""
import datetime, json, math, random

FIELDS = ["date", "energy", "impact-e", "lat", "lat-dir", "lon", "lon-dir", "alt", "vel"]
SIGNATURE = {"source": "a catalogue that is made up", "version": "1.0"}


class Catalogue:
  """What the publisher has, newest first; each hour one more, and one that is corrected."""

  def __init__(self, count, seed=22):
    self.dice = random.Random(seed)
    self.rows = []
    self.newest = datetime.datetime(2026, 3, 1, 12)
    dates = self.dice.sample(range(60, 37 * 365 * 86_400), count)
    for seconds in sorted(dates):
      self.rows.append(self.row(self.newest - datetime.timedelta(seconds=seconds)))

  def row(self, date):
    dice = self.dice
    has = lambda share: dice.random() < share
    place = has(0.7)
    return {
      "date": date.strftime("%Y-%m-%d %H:%M:%S"),
      "energy": f"{dice.uniform(1, 40):.1f}", "impact-e": f"{dice.uniform(0.05, 3):.3g}",
      "lat": f"{dice.uniform(0, 80):.1f}" if place else None, "lat-dir": dice.choice("NS") if place else None,
      "lon": f"{dice.uniform(0, 180):.1f}" if place else None, "lon-dir": dice.choice("EW") if place else None,
      "alt": f"{dice.uniform(18, 60):.1f}" if has(0.6) else None, "vel": f"{dice.uniform(10, 40):.1f}" if has(0.5) else None,
    }

  def advance(self, now):
    """An hour's work: a fireball is added, and the energy of another is put right."""
    self.rows.insert(0, self.row(now - datetime.timedelta(minutes=self.dice.randrange(20, 40))))
    self.dice.choice(self.rows[1:])["energy"] = f"{self.dice.uniform(1, 40):.1f}"

  def copy(self):
    return [dict(row) for row in self.rows]


def columnar(rows, fields=FIELDS, count=None):
  """The publisher's form: the names of the columns once, then a list for each fireball."""
  data = [[row.get(name) for name in fields] for row in rows]
  return json.dumps({"signature": SIGNATURE, "count": str(len(rows) if count is None else count), "fields": fields,
    "data": data}).encode()


class Truth:
  """What a store must hold: each date's attributes by name, and each year's count and sum."""

  def __init__(self):
    self.rows, self.years = {}, {}

  def copy(self):
    copy = Truth()
    copy.rows, copy.years = {date: dict(row) for date, row in self.rows.items()}, dict(self.years)
    return copy

  def take(self, records):
    """An import of records: what a record does not have stays, null clears."""
    for record in records:
      said = meant(record)
      date = said["date"]
      if date not in self.rows:
        self.years[date] = int(date[:4])
        self.rows[date] = dict.fromkeys(("energy", "impactEnergy", "altitude", "velocity", "latitude", "longitude"))
      self.rows[date] |= said

  def fireballs(self):
    return sorted(tuple(row.get(name) for name in COLUMNS) + (self.years[date],) for date, row in self.rows.items())

  def groups(self):
    sums = {}
    for date, row in self.rows.items():
      sums.setdefault(self.years[date], []).append(row["impactEnergy"] or 0.0)
    return sorted((year, len(some), math.fsum(some)) for year, some in sums.items())


COLUMNS = ("date", "energy", "impactEnergy", "altitude", "velocity", "latitude", "longitude", "goneAt", "peak")


def number(value):
  return None if value is None else float(value)


def key(record):
  return record["date"].replace(" ", "T") + "Z"


def meant(record):
  """A record's attributes by the shipped pipeline's names; those that it has."""
  said = {"date": key(record)}
  for field, name in (("energy", "energy"), ("impact-e", "impactEnergy"), ("alt", "altitude"), ("vel", "velocity"),
      ("peak", "peak")):
    if field in record:
      said[name] = number(record[field])
  for field, name, negative in (("lat", "latitude", "S"), ("lon", "longitude", "W")):
    value = number(record[field])
    said[name] = -value if value is not None and record[field + "-dir"] == negative else value
  return said
