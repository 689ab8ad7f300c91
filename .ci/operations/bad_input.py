"""The hours of a publisher who sends what nobody can read, or not all of it, or nothing."""
import json, os, re, signal, zlib

from . import feed
from .day import EMPTY, STORE, hour, packed

AGAIN = "       Fetch the input again and run the same command: no row is duplicated."
REPAIR = "       Repair the input, or fetch it again, and run the same command: no row is duplicated."
PACKED = "       Fetch the file again and run the same command: no row is duplicated."


@hour(1, "the first import")
def first(day):
  # The pipeline is there since yesterday, and has not run.
  day.watch(f"fireballs  overdue  never  every 26 h  never  0  {STORE}")
  day.host.at(7)
  day.line(0, lands=day.feed())
  day.host.begin_readers()
  yield "ok"


@hour(2, "nothing new but one, and one corrected")
def same(day):
  day.line(0, lands=day.feed())
  yield "ok"


@hour(3, "two new, and two corrected")
def revised(day):
  day.catalogue.advance(day.host.now.replace(tzinfo=None))
  row = day.catalogue.rows[400]
  before, row["vel"] = row["vel"], "11.5"
  day.line(0, lands=day.feed())
  yield "ok"
  before = "null" if before is None else float(before)
  day.by_hand("log", day.host.store, "Fireball", feed.key(row), says=f"""\
{{"tx":1,"at":"2026-03-02T01:07:…Z","author":"fireballs","run":1,"kind":"insert",…}}
{{"tx":3,"at":"2026-03-02T03:07:…Z","author":"fireballs","run":3,"kind":"update","id":…,\
"changes":{{"velocity":{{"old":{before},"new":11.5}}}}}}""")


@hour(4, "no bytes, and status 200")
def no_bytes(day):
  day.send(b"")
  day.line(66, EMPTY)
  yield "failed"


@hour(5, "a page of HTML, and status 200")
def page(day):
  day.send(b"<!DOCTYPE html><html><body>We will be back soon</body></html>")
  day.line(65, """Error: stdin:1:1: found an HTML or XML page; expected records.
       The input may be an error page: check its URL.""")
  yield "failed"


@hour(6, "status 502")
def gateway(day):
  day.send(b"bad gateway", status=502)
  day.line(66, "curl: (22) The requested URL returned error: 502\n" + EMPTY)
  yield "failed"


@hour(7, "the connection is closed")
def closed(day):
  day.server.answer = None
  day.line(66, "curl: (52) Empty reply from server\n" + EMPTY)
  yield "failed"


def cut(day, error, share, line=None, **how):
  rows = day.feed(share=share, **how)
  body = day.server.answer.body
  count = day.whole(body, share)
  end = int(len(body) * share)
  day.line(65, f"""curl: ({error}) …
Error: stdin:1:{end + 1}: the input ends inside record {count + 1} (byte {end}). The {count} records before it are in the store.
{AGAIN}""", line, lands=rows[:count])
  return rows


@hour(8, "half of it comes")
def half(day):
  rows = cut(day, 18, 0.5)
  yield "failed"
  day.feed()
  day.line(0, lands=rows)


@hour(9, "it comes to a halt, until curl gives up")
def halt(day):
  cut(day, 28, 0.7, day.host.imports.replace("--max-time 600", "--max-time 2"), waits=True)
  yield "failed"
  day.server.answer.may_go_on.set()


@hour(10, "packed with gzip, unasked")
def zipped(day):
  rows = day.feed()
  day.send(packed(day.server.answer.body))
  day.line(0, lands=rows)
  yield "ok"


@hour(11, "gzip, cut")
def zipped_half(day):
  rows = day.feed()
  body = packed(day.server.answer.body)
  body = body[:len(body) // 2]
  day.send(body)
  # How many records are whole in a part of a packed stream, another reader of gzip says.
  count = zlib.decompressobj(31).decompress(body).decode().partition('"data": ')[2].count("]")
  day.line(65, f"""Error: stdin: the gzip data is truncated after byte {len(body)}. The {count} records read are in the store.
{PACKED}""", lands=rows[:count])
  yield "failed"


@hour(12, "gzip, without its last three bytes")
def zipped_short(day):
  rows = day.feed()
  body = packed(day.server.answer.body)[:-3]
  day.send(body)
  day.line(65, f"""Error: stdin: the gzip data is truncated after byte {len(body)}. The {len(rows)} records read are in the store.
{PACKED}""", lands=rows)
  yield "failed"


@hour(13, "gzip, whose checksum is another one's")
def zipped_wrong(day):
  rows = day.feed()
  body = bytearray(packed(day.server.answer.body))
  body[-8] ^= 16
  day.send(bytes(body))
  day.line(65, f"""\
Error: stdin: the checksum of the gzip data that begins at byte 0 is wrong. The {len(rows)} records read are in the store.
{PACKED}""", lands=rows)
  yield "failed"


@hour(14, "two imports at once, and kill -9 for the one at work")
def twice(day):
  rows = day.feed(share=0.6, waits=True)
  answer = day.server.answer
  first = day.host.start(day.host.imports)
  process = day.host.at_work()
  day.send(answer.body)
  day.line(75, f"""\
Error: {STORE}: the pipeline fireballs (process {process}, since 2026-03-02T14:07:…Z) is running on this store.
       Run the command again when it has finished.""")
  day.line(75, options="-q")
  os.kill(process, signal.SIGKILL)
  answer.may_go_on.set()
  day.judge(day.host.finish(first), 137, "Killed")
  yield "killed"
  day.line(0, lands=rows)


@hour(19, "the key's column is renamed")
def key_renamed(day):
  fields = ["time"] + feed.FIELDS[1:]
  day.feed(lambda row: row | {"time": row["date"]}, fields)
  day.line(65, f"""Error: stdin: the key column 'date' is missing; the columns are {", ".join(fields)}.
       If the feed has renamed the column, set its new name with `from:` in the pipeline.""")
  yield "failed"


@hour(31, "an error as an object, and status 200")
def error_object(day):
  day.send(b'{"code": "400", "message": "invalid value", "moreInfo": "https://ssd-api.jpl.nasa.gov/doc/"}')
  day.line(65, """Error: stdin: there are no rows; the input is an object with the keys 'code', 'message', 'moreInfo'.
       The input may be an error message of the server: check it.""")
  yield "failed"


@hour(32, "its count says forty more")
def miscounted(day):
  rows = day.feed()
  count = len(rows)
  day.send(day.body(rows, count=count + 40))
  day.line(65, f"""\
Error: stdin: the feed's `count` is {count + 40}, but {count} records were read. The {count} records read are in the store.
{AGAIN} If `count` is the total of several pages, set `count: total` in the pipeline.""", lands=rows)
  yield "failed"


@hour(33, "more behind its end")
def trailing(day):
  rows = day.feed()
  body = day.server.answer.body
  day.send(body + b"]\n")
  day.line(65, f"""Error: stdin:1:{len(body) + 1}: found ']' after the end of the document; expected nothing more. \
The {len(rows)} records before it are in the store.
{REPAIR}""", lands=rows)
  yield "failed"


@hour(35, "UTF-16")
def wide(day):
  day.feed()
  day.send(day.server.answer.body.decode().encode("utf-16"))
  day.line(65, """Error: stdin:1:1: found UTF-16; expected UTF-8.
       Convert the input first: iconv -f UTF-16 -t UTF-8""")
  yield "failed"


@hour(36, "NaN for a number")
def not_a_number(day):
  rows = day.rows()
  rows[5]["vel"] = float("nan")
  body = day.body(rows)
  day.send(body)
  day.line(65, f"""Error: stdin:1:{body.index(b"NaN") + 1}: found a word that is not true, false or null; expected a value. \
The 5 records before it are in the store.
{REPAIR}""", lands=rows[:5])
  yield "failed"


@hour(39, "a row is too short")
def short(day):
  odd_row(day, lambda row: row[:-1])
  yield "failed"


@hour(40, "a row is too long")
def long(day):
  odd_row(day, lambda row: row + ["5"])
  yield "failed"


def odd_row(day, change):
  """One row has another number of values than there are names: the others land."""
  rows, names = day.feed(), len(day.fields)
  body = json.loads(day.server.answer.body)
  body["data"][2] = change(body["data"][2])
  day.send(json.dumps(body).encode())
  # The lists before it are the names, the data, and two rows.
  place = [match.start() for match in re.finditer(rb"\[", day.server.answer.body)][4] + 1
  day.line(65, f"""stdin:1:{place}: record 3: the row has {len(body["data"][2])} values, and there are {names} names
fireballs: {len(rows)} read = … + 1 rejected · … s · token …""", lands=rows[:2] + rows[3:])
  day.rejected += 1
