"""The tool that was built last."""
import os, sys


def tool(root):
  tools = [os.path.join(root, ".build", build, "bolide") for build in ("release", "debug")]
  newest = max((path for path in tools if os.access(path, os.X_OK)), key=os.path.getmtime, default=None)
  if newest is None:
    sys.exit("there is no built tool: swift build -c release")
  return newest
