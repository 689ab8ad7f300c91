"""A copy of a store that follows its history."""
import json


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
