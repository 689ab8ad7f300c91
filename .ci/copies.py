"""A copy of a store that follows its history."""
import json

# Takes changes or a snapshot into a copy; what is not complete is not taken. Whose tool was killed may still be at work beside
# the next one, and come behind it: what the copy has already is passed over.
APPLY = """
import json, sqlite3, sys, time
copy = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
copy.execute("BEGIN IMMEDIATE")
copy.execute("CREATE TABLE IF NOT EXISTS copy(entity, id, row, PRIMARY KEY (entity, id))")
copy.execute("CREATE TABLE IF NOT EXISTS place(token)")
number = lambda token: int(token.split("-")[2])
place = copy.execute("SELECT token FROM place").fetchone()
done = number(place[0]) if place else -1
whole, last, pending = False, 0, []
for line in sys.stdin:
  if not line.endswith("\\n"): break
  line = json.loads(line)
  whole = "commit" in line or "end" in line
  if "commit" in line:
    assert line["tx"] > last, "the numbers do not rise"
    last = line["tx"]
  if whole:
    now = number(line["token"])
    if now > done or "end" in line and now == done:
      for statement in pending: copy.execute(*statement)
      copy.execute("DELETE FROM place")
      copy.execute("INSERT INTO place VALUES (?)", (line["token"],))
      done = now
    pending = []
  elif "entity" not in line:
    pending = [("DELETE FROM copy", ())]
  elif line.get("kind") == "delete" or line["values"] is None:
    pending.append(("DELETE FROM copy WHERE entity = ? AND id = ?", (line["entity"], line["id"])))
  else:
    pending.append(("REPLACE INTO copy VALUES (?, ?, ?)", (line["entity"], line["id"], json.dumps(line["values"]))))
if len(sys.argv) > 2: time.sleep(float(sys.argv[2]))
copy.execute("COMMIT" if whole else "ROLLBACK")
sys.exit(0 if whole else 1)
"""


def take(lines, held):
  """Takes the lines of `changes --values`, or of a snapshot, into a copy: the rows by entity and id."""
  for line in map(json.loads, lines):
    if "entity" not in line:
      continue
    if line.get("kind") == "delete" or line["values"] is None:
      held.pop((line["entity"], line["id"]), None)
    else:
      held[line["entity"], line["id"]] = line["values"]
  return held
