"""A server on this machine that answers as it is told to, also wrongly."""
import http.server, threading


class Answer:
  """What the server says: a status, a body, how much of the body is sent, and whether it then waits or closes."""

  def __init__(self, body=b"", status=200, headers=(), sent=None, waits=False):
    self.body, self.status, self.headers, self.waits = body, status, headers, waits
    self.sent = len(body) if sent is None else sent
    # Set once the part that is sent is with the system; and by who lets the server go on.
    self.has_sent, self.may_go_on = threading.Event(), threading.Event()


class Server:
  def __init__(self):
    # None closes the connection without a word.
    self.answer = Answer()
    server = self

    class Handler(http.server.BaseHTTPRequestHandler):
      def do_GET(self):
        answer = server.answer
        self.close_connection = True
        if answer is None:
          return
        try:
          self.send_response(answer.status)
          self.send_header("Content-Length", str(len(answer.body)))
          for header in answer.headers:
            self.send_header(*header)
          self.end_headers()
          self.wfile.write(answer.body[:answer.sent])
          self.wfile.flush()
          answer.has_sent.set()
          if answer.waits:
            answer.may_go_on.wait(60)
            self.wfile.write(answer.body[answer.sent:])
        except (BrokenPipeError, ConnectionResetError):
          # The other side has had enough.
          pass

      def log_message(self, *_):
        pass

    self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    self.http.daemon_threads = True
    threading.Thread(target=self.http.serve_forever, args=(0.05,), daemon=True).start()
    self.url = f"http://127.0.0.1:{self.http.server_port}/fireball.api"

  def close(self):
    self.http.shutdown()
    self.http.server_close()
