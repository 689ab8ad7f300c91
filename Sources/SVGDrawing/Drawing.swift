/// An SVG picture, from the top down: what is drawn, and how far down it reaches.
///
/// Text is escaped wherever it comes from; classes are the caller's, as are the colours that they have.
package struct Drawing {
  package let width: Double
  /// Where the next part begins.
  package var y = 0.0
  private var elements: [String] = []

  package init(width: Double = 960) { self.width = width }

  package mutating func text(
    _ text: String, _ x: Double, _ y: Double, _ style: String = "", anchor: String = "start"
  ) {
    elements.append(
      #"<text x="\#(x.svg)" y="\#(y.svg)" class="\#(style)" text-anchor="\#(anchor)">\#(text.markup)</text>"#)
  }

  /// A box; its title is shown under the pointer, and read aloud.
  package mutating func box(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ style: String, title: String = "",
    rounding: Double = 2
  ) {
    elements.append(
      #"<rect x="\#(x.svg)" y="\#(y.svg)" width="\#(max(0.5, width).svg)" height="\#(height.svg)" "#
        + #"rx="\#(rounding.svg)" class="\#(style)">\#(Self.title(title))</rect>"#)
  }

  package mutating func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String = "rule"
  ) {
    elements.append(
      #"<line x1="\#(x1.svg)" y1="\#(y1.svg)" x2="\#(x2.svg)" y2="\#(y2.svg)" class="\#(style)"/>"#)
  }

  package mutating func dot(
    _ x: Double, _ y: Double, _ radius: Double, _ style: String, title: String = ""
  ) {
    elements.append(
      #"<circle cx="\#(x.svg)" cy="\#(y.svg)" r="\#(radius.svg)" class="\#(style)">\#(Self.title(title))</circle>"#
    )
  }

  /// A line through points, with a dot at each where `dots` is their radius.
  package mutating func curve(_ points: [(x: Double, y: Double)], _ style: String, dots: Double? = nil) {
    let list = points.map { "\($0.x.svg),\($0.y.svg)" }.joined(separator: " ")
    elements.append(#"<polyline points="\#(list)" class="line \#(style)"/>"#)
    guard let dots else { return }
    for point in points { dot(point.x, point.y, dots, style) }
  }

  /// What is drawn from here on belongs together, and is one thing for a screen reader.
  package mutating func group(_ label: String, _ body: (inout Drawing) -> Void) {
    elements.append(#"<g role="listitem" aria-label="\#(label.markup)">"#)
    body(&self)
    elements.append("</g>")
  }

  /// The whole picture, in a page that has the style, or with a style and a ground of its own.
  ///
  /// - Parameter role: `img` for one that is told by its title, `list` for one of groups.
  package func svg(height: Double, title: String, style: String? = nil, role: String = "img") -> String {
    let ground = style.map {
      "<style>\n\($0)\n</style>\n<rect width=\"100%\" height=\"100%\" class=\"page\"/>\n"
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width.svg) \(height.svg)" role="\(role)" \
      aria-label="\(title.markup)">
      \(ground ?? "")\(elements.joined(separator: "\n"))
      </svg>

      """
  }

  private static func title(_ text: String) -> String { text.isEmpty ? "" : "<title>\(text.markup)</title>" }
}

extension Double {
  /// Two digits behind the point at most, as much as a picture needs; what is far outside of any picture stays near it.
  fileprivate var svg: String {
    let hundredths = isNaN ? 0 : Int((min(1e6, max(-1e6, self)) * 100).rounded())
    guard hundredths % 100 != 0 else { return "\(hundredths / 100)" }
    let (whole, rest) = abs(hundredths).quotientAndRemainder(dividingBy: 100)
    return "\(hundredths < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }
}

extension String {
  /// The text where markup is read.
  package var markup: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }
}
