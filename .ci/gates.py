"""A network that a script can cut: what comes to a port goes on to another one, until the gate is shut."""
import socket, threading


class Gate:
  """Shut, it answers nobody and closes nothing, as a network that is cut; open again, what waited goes on."""

  def __init__(self, port, target):
    self.target, self.is_open = target, threading.Event()
    self.is_open.set()
    listener = socket.create_server(("127.0.0.1", port))
    threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

  def shut(self):
    self.is_open.clear()

  def open(self):
    self.is_open.set()

  def _accept(self, listener):
    while True:
      client, _ = listener.accept()
      threading.Thread(target=self._connect, args=(client,), daemon=True).start()

  def _connect(self, client):
    self.is_open.wait()
    try:
      server = socket.create_connection(("127.0.0.1", self.target))
    except OSError:
      client.close()
      return
    threading.Thread(target=self._pass, args=(server, client), daemon=True).start()
    self._pass(client, server)

  def _pass(self, source, target):
    try:
      while content := source.recv(65536):
        self.is_open.wait()
        target.sendall(content)
    except OSError:
      pass
    for end in source, target:
      try:
        end.shutdown(socket.SHUT_RDWR)
      except OSError:
        pass
      end.close()
