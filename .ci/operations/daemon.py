"""A cron of the system's for one line, in real time: with its own crontab, its own mail, and no trace on the machine."""
import os, pwd, shlex, shutil, sqlite3, subprocess, time

from . import feed
from .day import EMPTY
from .host import ADDRESS, HOME, TOOL, Wrong, crontab, must, says
from .server import Answer, Server

USER = "nobody"
# What the daemon reads and writes is its own: its spool, its process's number, the program that it gives mail to. All of it
# goes with the daemon.
NAMESPACE = """set -e
mount -t tmpfs tmpfs /var/spool
mkdir -p /var/spool/cron/crontabs
cp {folder}/crontab /var/spool/cron/crontabs/{user}
chown {user} /var/spool/cron/crontabs/{user}
chmod 600 /var/spool/cron/crontabs/{user}
mount -t tmpfs tmpfs /run
if [ -d /etc/cron.d ]; then mount -t tmpfs tmpfs /etc/cron.d; fi
if [ -f /etc/crontab ]; then mount --bind /dev/null /etc/crontab; fi
mount --bind {folder}/sbin /usr/sbin
exec /usr/sbin/cron -f
"""


class Daemon:
  """The README's line twice, for each minute: once with a feed, once with none; the second is for its mail."""

  def __init__(self, folder, root, tool):
    self.folder, self.process, self.servers = os.path.join(folder, "cron"), None, []
    self.left_out = self.why_not()
    if self.left_out:
      return
    os.chmod(folder, 0o755)
    self.home, self.mail = os.path.join(self.folder, "srv", "bolide"), os.path.join(self.folder, "mail")
    for name in (os.path.join(self.home, "pipelines"), self.mail, os.path.join(self.folder, "sbin")):
      os.makedirs(name)
    user = pwd.getpwnam(USER)
    for name in (self.home, self.mail):
      os.chown(name, user.pw_uid, user.pw_gid)
    tool = shutil.copy(tool, os.path.join(self.folder, "bolide"))
    self.rows = feed.Catalogue(600).copy()
    lines = []
    for name, body in (("fireballs", feed.columnar(self.rows)), ("nothing", b"")):
      with open(os.path.join(root, "pipelines", "fireballs.yaml")) as file:
        text = file.read().replace("name: fireballs", f"name: {name}").replace("fireballs.sqlite", f"{name}.sqlite")
      with open(os.path.join(self.home, "pipelines", f"{name}.yaml"), "w") as file:
        file.write(text)
      server = Server()
      server.answer = Answer(body)
      self.servers.append(server)
      line = crontab(root)[0].replace(ADDRESS, server.url).replace(TOOL, tool).replace(HOME, self.home)
      lines.append(f"* * * * * {line.replace('fireballs.yaml', f'{name}.yaml')}\n")
    self.write("crontab", f"MAILTO=operator\n{''.join(lines)}")
    shutil.copy(shutil.which("cron", path="/usr/sbin"), os.path.join(self.folder, "sbin", "cron"))
    self.write("sbin/sendmail", f"#!/bin/sh\ncat > {self.mail}/new && mv {self.mail}/new {self.mail}/$$.mail\n", 0o755)
    script = NAMESPACE.format(folder=shlex.quote(self.folder), user=USER)
    self.said = os.path.join(self.folder, "said")
    with open(self.said, "w") as said:
      self.process = subprocess.Popen(
        ["unshare", "--mount", "/bin/sh", "-c", script], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    self.begun = time.monotonic()

  @staticmethod
  def why_not():
    if not shutil.which("cron", path="/usr/sbin"):
      return "there is no cron"
    if os.geteuid() or all(user.pw_name != USER for user in pwd.getpwall()):
      return f"only root may start one, for {USER}"
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode:
      return "it cannot have a file system of its own"
    return None

  def write(self, name, text, mode=0o644):
    path = os.path.join(self.folder, name)
    with open(path, "w") as file:
      file.write(text)
    os.chmod(path, mode)

  def finish(self):
    """Waits for the minute's turn, and judges what the line did: silent with a feed, a mail without."""
    store = os.path.join(self.home, "fireballs.sqlite")
    while not (self.mails() and self.is_done(store) and self.is_idle()):
      if self.process.poll() is not None:
        with open(self.said) as file:
          raise Wrong(f"cron ended with {self.process.returncode}: {file.read()}")
      must(time.monotonic() - self.begun < 90, f"cron did not run its line within 90 s; mail: {self.mails()}")
      time.sleep(0.1)
    seconds = time.monotonic() - self.begun
    mails = self.mails()
    must(len(mails) == 1, f"cron sent {len(mails)} mails: {mails}")
    with open(os.path.join(self.mail, mails[0])) as file:
      head, _, body = file.read().partition("\n\n")
    must("To: operator" in head, f"the mail's head is\n{head}")
    says(body.strip(), EMPTY, "cron's mail")
    db = sqlite3.connect(store)
    try:
      count = db.execute("SELECT count(*) FROM Fireball").fetchone()[0]
    finally:
      db.close()
    must(count == len(self.rows), f"cron's store has {count} rows instead of {len(self.rows)}")
    return seconds

  def is_idle(self):
    """Whether cron has no line at work, nor a mail of one."""
    with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
      return not file.read()

  def mails(self):
    return [name for name in os.listdir(self.mail) if name.endswith(".mail")]

  @staticmethod
  def is_done(store):
    if not os.path.exists(store):
      return False
    db = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    try:
      return db.execute("SELECT count(*) FROM bolide_run WHERE ended IS NOT NULL").fetchone()[0] > 0
    except sqlite3.OperationalError:
      return False
    finally:
      db.close()

  def close(self):
    for server in self.servers:
      server.close()
    if self.process and self.process.poll() is None:
      self.process.terminate()
      self.process.wait()
