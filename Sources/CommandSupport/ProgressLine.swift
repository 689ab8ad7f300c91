import Foundation
import Synchronization

/// A line on standard error that is drawn over itself, where somebody looks.
///
/// No colours and no escape sequences: it goes back to its beginning and writes over itself, which any terminal can.
package final class ProgressLine: Sendable {
  /// Whether standard error is a terminal.
  package let isShown: Bool
  private let drawn = Mutex(Drawn())

  fileprivate struct Drawn {
    /// How many columns of the line are not blank.
    var width = 0
    var time: Double = 0
  }

  /// Nobody reads a line that is gone at once.
  private static let firstDraw = 0.5
  /// Seconds between two draws.
  private static let pause = 0.1

  /// - Parameter isQuiet: nothing is drawn.
  package init(isQuiet: Bool = false) {
    isShown = !isQuiet && isatty(STDERR_FILENO) == 1
  }

  /// Draws a line in place of the one before.
  package func draw(_ line: String) {
    guard isShown else { return }
    drawn.withLock { $0.draw(String(line.prefix(Self.columns - 1))) }
  }

  /// Draws a line unless one was drawn just now.
  ///
  /// - Parameters:
  ///   - seconds: since the work began.
  ///   - line: made only where it is drawn, for so many columns.
  package func draw(after seconds: Double, _ line: (_ columns: Int) -> String) {
    guard isShown else { return }
    drawn.withLock { drawn in
      guard seconds >= max(Self.firstDraw, drawn.time + Self.pause) else { return }
      drawn.time = seconds
      // The last column stays free: some terminals wrap when it is written.
      drawn.draw(line(Self.columns - 1))
    }
  }

  /// Removes the line.
  package func clear() {
    drawn.withLock { drawn in
      guard drawn.width > 0 else { return }
      StandardError.write("\r" + String(repeating: " ", count: min(drawn.width, Self.columns - 1)) + "\r")
      drawn.width = 0
    }
  }

  /// The window's width just now; 80 where nobody knows.
  private static var columns: Int { terminalColumns(of: STDERR_FILENO) ?? 80 }
}

extension ProgressLine.Drawn {
  fileprivate mutating func draw(_ line: String) {
    StandardError.write("\r" + line + String(repeating: " ", count: max(0, width - line.columns)))
    width = line.columns
  }
}

/// The width of a terminal's window; nil where the descriptor is none.
package func terminalColumns(of descriptor: Int32) -> Int? {
  var size = winsize()
  guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
  return Int(size.ws_col)
}

extension String {
  /// How many columns a terminal needs for the text: two for letters of East Asia and for pictures.
  package var columns: Int {
    // What is shown has no carriage returns, so each byte of ASCII is a character.
    if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
    return reduce(0) { columns, character in
      guard let first = character.unicodeScalars.first else { return columns }
      return columns + (first.value >= 0x1100 && first.properties.isWide ? 2 : 1)
    }
  }
}

extension Unicode.Scalar.Properties {
  fileprivate var isWide: Bool {
    isIdeographic || isEmojiPresentation || generalCategory == .otherLetter
  }
}
