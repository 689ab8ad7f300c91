"""The tool that was built last, and the library that disturbs it."""
import os, shutil, subprocess, sys


def tool(root):
  tools = [os.path.join(root, ".build", build, "bolide") for build in ("release", "debug")]
  newest = max((path for path in tools if os.access(path, os.X_OK)), key=os.path.getmtime, default=None)
  if newest is None:
    sys.exit("there is no built tool: swift build -c release")
  return newest


def faults(root, folder):
  """Compiles Tests/Faults/io.c, which is preloaded into the tool."""
  compiler = next(filter(shutil.which, ("cc", "clang", "gcc")), None)
  if compiler is None:
    sys.exit("there is no C compiler")
  library = os.path.join(folder, "io.so")
  subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, f"{root}/Tests/Faults/io.c", "-ldl", "-pthread"], check=True)
  return library
