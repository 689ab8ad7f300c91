import Foundation

extension Folder {
  /// Runs the tool with a terminal of so many columns as its standard output, and gives what it writes there, without the
  /// terminal's own carriage returns.
  ///
  /// - Parameter setting: of the environment, as `NAME=VALUE`.
  func bolide(onTerminalOf columns: Int, setting: String = "", _ arguments: [String]) throws -> Outcome {
    let program = """
      import fcntl, os, pty, struct, subprocess, sys, termios
      terminal, side = pty.openpty()
      fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
      modes = termios.tcgetattr(side)
      modes[1] &= ~termios.OPOST
      termios.tcsetattr(side, termios.TCSANOW, modes)
      environment = dict(os.environ, TERM="xterm")
      environment.pop("NO_COLOR", None)
      if sys.argv[2]: environment.update([sys.argv[2].split("=")])
      tool = subprocess.Popen(sys.argv[3:], stdin=subprocess.DEVNULL, stdout=side, env=environment)
      os.close(side)
      text = b""
      while True:
        try: piece = os.read(terminal, 65536)
        except OSError: break
        if not piece: break
        text += piece
      sys.stdout.buffer.write(text)
      sys.exit(tool.wait())
      """
    return try run("python3", ["-c", program, "\(columns)", setting, Self.tool] + arguments)
  }
}
