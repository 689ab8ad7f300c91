"""The hours in which a feed is well-formed and wrong, or its store is not where or what it was; and what an operator does."""
import datetime, os

from . import feed
from .day import CHECK, STORE, UNDO, hour, percent

NEW = """fireballs: the feed has a new field '{}', a text; the pipeline does not use it
To import a new field, add an attribute to the pipeline, or set `on-new-field: add`."""


@hour(15, "a column is added")
def added(day):
  day.line(0, NEW.format("mag"), lands=with_magnitude(day))
  yield "ok"


@hour(16, "the column is still there")
def still_there(day):
  day.line(0, lands=with_magnitude(day))
  yield "ok"


def with_magnitude(day):
  return day.feed(lambda row: row | {"mag": "1.5"}, feed.FIELDS + ["mag"])


def renamed(day):
  """The publisher calls the velocity by another name: what the store takes of it while the pipeline has the old one."""
  fields = ["velocity" if name == "vel" else name for name in feed.FIELDS]
  return day.feed(lambda row: row | {"velocity": row["vel"]}, fields)


ABSENT = ("fireballs: no record has the field 'vel' of the attribute velocity; it was last in an input on 2026-03-02T16:07:…Z. "
  "If the feed has renamed it, set the new name with `from:`; if it is gone for good, accept that once: --accept on-absent-field")
RENAMED = ("       If the feed has renamed the field, set its new name with `from:` in the pipeline. If it is gone for good, "
  "import the input once all the same: --accept on-absent-field")


@hour(17, "a column is renamed")
def velocity_renamed(day):
  day.line(0, NEW.format("velocity") + "\n" + ABSENT, lands=renamed(day))
  yield "ok"


@hour(18, "the column has still its other name")
def velocity_gone(day):
  rows = renamed(day)
  day.line(0, ABSENT, lands=rows)
  yield "ok"
  # Told twice is enough: from now on it fails, and then the pipeline follows.
  day.host.edit("on-absent-field: warn", "on-absent-field: fail")
  day.line(65, f"""Error: stdin: the field 'vel' of the attribute velocity is in none of the {len(rows):,} records; \
it was last in an input on 2026-03-02T16:07:…Z.
{RENAMED}""")
  day.host.edit("from: vel,", "from: velocity,")
  day.line(0, lands=[row | {"vel": row["velocity"]} for row in rows])


@hour(20, "the column has its old name again")
def velocity_again(day):
  rows = day.feed()
  day.line(65, f"""Error: stdin: the field 'velocity' of the attribute velocity is in none of the {len(rows):,} records; \
it was last in an input on 2026-03-02T18:40:…Z.
{RENAMED}""")
  yield "failed"
  day.host.edit("from: velocity,", "from: vel,")
  day.line(0, lands=rows)


@hour(21, "a unit in the numbers of a column")
def unit(day):
  rows = day.feed(lambda row: row | {"alt": row["alt"] and f"{row['alt']} km"})
  good = [row for row in rows if row["alt"] is None]
  day.rejected = len(rows) - len(good)
  day.line(65, f"""stdin:1:…: record …: altitude: expected a number such as 12.8 (and {day.rejected - 1} more like it)
List them: bolide rejects /srv/bolide/fireballs.sqlite. To import them again, once the pipeline fits: --replay
fireballs: {len(rows)} read = … + {day.rejected} rejected · … s…""", lands=good)
  yield "failed"
  # From now on the store says which fireballs the catalogue has taken back.
  day.host.edit("max-missing: 5%", "max-missing: 5%\ngone: { mark: goneAt }")
  day.host.edit("attributes:\n  date: ", "attributes:\n  goneAt:       date\n  date: ")


@hour(22, "numbers instead of texts, and three fireballs taken back")
def numbers(day):
  numeric = ("energy", "impact-e", "lat", "lon", "alt", "vel")
  # Those whose records were not refused an hour ago: a rejected record is kept until its key is brought again.
  hidden = [row for row in day.catalogue.rows if row["alt"] is None][100:103]
  day.hidden = {row["date"] for row in hidden}
  day.line(0, lands=day.feed(lambda row: {
    name: float(value) if name in numeric and value is not None else value for name, value in row.items()}))
  # The records that were refused an hour ago have landed since.
  day.rejected, day.missing = 0, 3
  for row in hidden:
    day.host.truth.rows[feed.key(row)]["goneAt"] = "2026-03-02T22:07"
  yield "ok"
  day.by_hand("rejects", day.host.store)
  # They stay, and are listed.
  rows = "\n".join(f"Fireball  …  \"{key}\"" for key in sorted(map(feed.key, hidden)))
  day.by_hand("missing", day.host.store, "--format", "table", says=f"""ENTITY     ID  KEY                     IS NOW
{rows}
3 rows not in run …, the last complete one, which saw {len(day.catalogue.rows) - 3}""")


@hour(23, "dates with an offset, and the three are back")
def offsets(day):
  hidden = [row for row in day.catalogue.rows if row["date"] in day.hidden]
  day.hidden, day.missing = set(), 0
  def elsewhere(row):
    date = datetime.datetime.fromisoformat(row["date"]) + datetime.timedelta(hours=2)
    return row | {"date": date.isoformat() + "+02:00"}
  day.feed(elsewhere)
  day.line(0, lands=day.rows())
  for row in hidden:
    day.host.truth.rows[feed.key(row)]["goneAt"] = None
  yield "ok"


@hour(24, "dates as people write them")
def words(day):
  day.feed(lambda row: row | {"date": datetime.datetime.fromisoformat(row["date"]).strftime("%b %d %Y")})
  day.line(65, """Error: stdin: the first 1000 records were all rejected.
       The last reason: date: expected a date such as 2026-05-12 03:14:07. Check that the pipeline fits this input.""")
  day.rejected = 1000
  yield "failed"
  day.by_hand("rejects", day.host.store, "--erase", says="1000 rejected records erased")
  day.rejected = 0


@hour(25, "the key of a row is null")
def no_key(day):
  rows = day.rows()
  rows[5]["date"] = None
  day.send(day.body(rows))
  rows = rows[:5] + rows[6:]
  said = f"""stdin:1:…: record 6: date is part of the key and is null
fireballs: {len(rows) + 1} read = … + 1 rejected · … s…"""
  day.line(65, said, lands=rows)
  day.rejected += 1
  yield "failed"
  day.line(3, said, lands=rows, options="--max-rejects 1")
  day.by_hand("rejects", day.host.store, "--erase", says="1 rejected record erased")
  day.rejected = 0


@hour(26, "null in a column's every row")
def nulls(day):
  before = day.host.truth.copy()
  rows = day.feed(lambda row: row | {"vel": None})
  # The same again is refused again.
  for is_first in (True, False):
    day.line(65, day.too_many(rows), lands=rows)
    if is_first:
      yield "failed"
    day.undo(before, "Fireball: … updated, 1 deleted; FireballGroup: 1 updated · token …")


@hour(27, "every value of a column is corrected")
def corrected(day):
  for row in day.catalogue.rows:
    row["vel"] = row["vel"] and f"{float(row['vel']) + 0.5:.1f}"
  rows = day.feed()
  day.line(65, day.too_many(rows), lands=rows)
  yield "failed"
  # Whoever looks finds nothing wrong with it.
  day.by_hand("runs", day.host.store, "--limit", "2", "--format", "table", says=f"""\
RUN  PIPELINE   STARTED               TOOK    OUTCOME                READ   NEW  UPDATED  REJECTED  MISSING  INPUT
…  fireballs  2026-03-03 03:07 UTC  … s  max-changed            {len(rows):,}  2    …      0                  stdin
…  fireballs  2026-03-03 02:40 UTC  … s  max-changed, reverted  {len(rows) - 1:,}  1    …      0                  stdin""")
  day.line(0, lands=rows, options="--accept max-changed")


@hour(28, "half of the catalogue, well-formed")
def half(day):
  before = day.host.truth.copy()
  rows = day.rows()
  kept = rows[:len(rows) // 2]
  day.send(day.body(kept))
  count, all = len(rows) - len(kept), len(before.rows)
  day.line(65, f"""Error: stdin: {count} of the {all:,} rows of the last complete run are missing, which is {percent(count, all)} \
and more than 5 %. The {len(kept)} records read are in the store.
{CHECK}max-missing. {UNDO}""", lands=kept)
  yield "failed"
  day.undo(before, "Fireball: 1 updated, 1 deleted; FireballGroup: 1 updated · token …")


FEW = f"""Error: stdin: there are 0 records, fewer than the minimum of 500.
{CHECK}min-records"""


@hour(29, "a catalogue without rows")
def no_rows(day):
  day.send(day.body([]))
  day.line(65, FEW)
  yield "failed"


@hour(30, "a signature, and a count of 0")
def signature(day):
  day.send(b'{"signature": {"source": "a catalogue that is made up", "version": "1.0"}, "count": "0"}')
  day.line(65, FEW)
  yield "failed"
  day.host.edit("max-age: 26h", "max-age: 26h\non-new-field: add")


@hour(34, "a byte-order mark, and a column that the store is to add")
def marked(day):
  day.fields.append("peak")
  day.feed()
  day.send(b"\xef\xbb\xbf" + day.server.answer.body)
  day.line(0, "fireballs: the feed has a new field 'peak', a text; from the next import on the new attribute peak (double) "
    "holds it", lands=[{name: row[name] for name in feed.FIELDS} for row in day.rows()])
  yield "ok"


@hour(37, "a key comes twice")
def repeated(day):
  rows = day.rows()
  rows.append(rows[3] | {"energy": "99"})
  day.send(day.body(rows))
  day.line(0, "fireballs: 1 record has the key of another record and different values; only one counts. "
    "To choose, set `repeated-key`: last, first or reject", lands=rows)
  yield "ok"
  day.host.edit("feed: full", "repeated-key: reject\nfeed: full")
  # Told of is not enough for who keeps this catalogue.
  day.line(65, f"""stdin:1:…: record {len(rows)}: a record before this one has the same date
fireballs: {len(rows)} read = … + 1 rejected · … s · token …""", lands=rows[:-1])
  day.rejected += 1
  day.host.edit("repeated-key: reject\n", "")
  day.by_hand("backup", day.host.store, day.host.store + ".backup")


@hour(38, "the store is restored from an hour ago")
def restored(day):
  store, before = day.host.store, day.host.truth.copy()
  rows = day.feed()
  day.line(0, lands=rows)
  yield "ok"
  day.by_hand("restore", store + ".backup", store, says=f"{STORE}: restored to token …; 1 named reader starts again")
  day.host.truth = before
  # Who has seen what is no more is told so, and begins again.
  day.by_hand("changes", store, "--reader", "mirror", "--", "cat", status=81, says=f"""\
Error: {STORE}: the store was restored from a backup that lacks changes that the reader 'mirror' has read.
       Start again from a snapshot: bolide snapshot {STORE} --reader mirror -- COMMAND""")
  with open(day.host.token) as file:
    token = file.read()
  day.by_hand("changes", store, "--since", token, status=81, says=f"""\
Error: {STORE}: this store's history diverged before the token {token}.
       The store was restored or copied. Start again from a snapshot: bolide snapshot {STORE}""")
  # The last run of the store is again the one that was not good.
  day.good -= datetime.timedelta(hours=1)
  day.watch("failed", f"\n\nREADER  STATE  STORE\nmirror  diverged  {STORE}", minute=45)
  day.host.at(50)
  day.host.begin_mirror()
  day.host.begin_copy()
  day.line(0, lands=rows)
  day.rejected = 0


@hour(41, "the store is not there")
def vanished(day):
  rows = day.feed()
  missing = f"""Error: {STORE}: the store is missing; the file beside it contains its last token …
       Mount or restore it, or create a new store: bolide import --create always"""
  os.rename(day.host.store, day.host.store + ".elsewhere")
  day.line(73, missing)
  day.watch(missing, minute=20)
  os.rename(day.host.store + ".elsewhere", day.host.store)
  yield "failed"
  day.line(0, lands=rows)
  # What stands at which place of an odd row is not known, so its key did not come again.
  day.by_hand("rejects", day.host.store, "--erase", says="2 rejected records erased")
  day.rejected = 0
  # Then cron itself stands still: after 26 hours the feed is overdue.
  day.host.hour += 27
  day.watch("overdue")
