import Bolide
import SVGDrawing

/// HTML, in which all text is escaped, bounded and in its own direction.
struct HTMLText {
  private(set) var text = ""

  /// A text longer than this is cut: a page is no dump.
  private static let longest = 160

  mutating func element(
    _ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ body: (inout HTMLText) -> Void
  ) {
    open(name, attributes)
    body(&self)
    text += "</\(name)>\n"
  }

  mutating func element(_ name: String, _ attributes: KeyValuePairs<String, String>, _ words: String) {
    element(name, attributes) { $0.write(words) }
  }

  mutating func element(_ name: String, _ words: String) { element(name, [:], words) }

  /// A picture, or other markup that is made of escaped text.
  mutating func markup(_ markup: String) { text += markup }

  /// Words of the page's own, with times and numbers in them that may be anybody's.
  mutating func write(_ words: String) { text += words.printable.markup }

  /// A text that comes from elsewhere: a name, a value, a message.
  mutating func write(foreign words: String) { text += "<bdi>\(Self.bounded(words).markup)</bdi>" }

  static func bounded(_ words: String) -> String {
    let printable = words.printable
    return printable.count > longest ? printable.prefix(longest) + "…" : printable
  }

  /// A table that becomes a list of cards on a narrow page.
  mutating func table(_ heads: [String], _ rows: [[Cell]]) {
    guard !rows.isEmpty else { return }
    element("table") { table in
      table.element("thead") { head in
        head.element("tr") { row in for head in heads { row.element("th", ["scope": "col"], head) } }
      }
      table.element("tbody") { body in
        for row in rows {
          body.element("tr") { line in
            for (head, cell) in zip(heads, row) {
              line.element("td", ["data-head": head, "class": cell.style]) { cell.write(into: &$0) }
            }
          }
        }
      }
    }
  }

  /// What stands in a cell of a table.
  enum Cell {
    case words(String)
    case number(String)
    case foreign(String)
    /// A state's name, on the state's colour.
    case badge(String, State)
    /// A picture.
    case drawing(String)

    fileprivate var style: String {
      if case .number = self { "number" } else { "" }
    }

    fileprivate func write(into html: inout HTMLText) {
      switch self {
      case .words(let words), .number(let words): html.write(words)
      case .foreign(let words): html.write(foreign: words)
      case .badge(let words, let state):
        html.element("span", ["class": "badge \(state.rawValue)"]) { $0.write(foreign: words) }
      case .drawing(let markup): html.markup(markup)
      }
    }
  }

  /// What has a colour of its own.
  enum State: String {
    case good, bad, killed, idle
  }

  private mutating func open(_ name: String, _ attributes: KeyValuePairs<String, String>) {
    text += "<\(name)"
    for (key, value) in attributes where !value.isEmpty { text += " \(key)=\"\(value.markup)\"" }
    text += ">"
  }
}
