"""PostgreSQL servers of a script's own, from Debian's package `postgresql`: on a Unix socket, each in a folder of its own."""
import glob, os, shutil, subprocess, tempfile, time

PROGRAMS = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]), default=None)
# The server refuses to run as root.
AS_SERVER = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []


class Server:
  """A server; `standby_of` makes it the standby of another one."""

  def __init__(self, settings=(), standby_of=None):
    if PROGRAMS is None:
      raise SystemExit("this needs Debian's package postgresql: .ci/setup tests installs it")
    # A socket's path is short.
    self.folder = tempfile.mkdtemp(prefix="bolide-pg-", dir="/tmp")
    if AS_SERVER:
      shutil.chown(self.folder, "postgres")
    if standby_of:
      self._run("pg_basebackup", "-h", standby_of.folder, "-U", "postgres", "-D", self.data, "-R", "-c", "fast", "--no-sync")
    else:
      self._run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
    with open(f"{self.data}/postgresql.conf", "a") as file:
      file.write("\n".join([
        "listen_addresses = ''", f"unix_socket_directories = '{self.folder}'", "fsync = off", "max_connections = 200",
        "log_min_messages = fatal", *settings, ""]))
    self.control("start")

  @property
  def data(self):
    return f"{self.folder}/data"

  def _run(self, program, *words):
    subprocess.run([*AS_SERVER, f"{PROGRAMS}/{program}", *words], check=True, cwd="/", stdout=subprocess.DEVNULL)

  def control(self, *words):
    """`start`, `stop`, `restart`, `promote`, with pg_ctl's options."""
    self._run("pg_ctl", "-D", self.data, "-w", "-s", "-l", f"{self.folder}/log", *words)

  def address(self, schema):
    return f"postgresql://postgres@/postgres?host={self.folder}#{schema}"

  def psql(self, sql, schema="public", check=True):
    """Runs statements in one transaction; what they print, or None where it was rolled back."""
    result = subprocess.run(
      ["psql", "-h", self.folder, "-U", "postgres", "-qAtX", "-v", "ON_ERROR_STOP=1", "postgres"],
      input=f'SET search_path = "{schema}";\n{sql}\n', capture_output=True, text=True)
    if result.returncode and check:
      raise SystemExit(f"{sql}: {result.stderr}")
    return None if result.returncode else result.stdout.strip()

  def end(self):
    subprocess.run(
      [*AS_SERVER, f"{PROGRAMS}/pg_ctl", "-D", self.data, "-m", "immediate", "-w", "-s", "stop"], cwd="/",
      stderr=subprocess.DEVNULL)
    shutil.rmtree(self.folder, ignore_errors=True)
