internal import SVGDrawing

/// How the bench's picture is set.
extension Drawing {
  static let margin = 32.0

  /// About how wide a note is: no font is at hand to ask.
  static func noteWidth(_ text: String) -> Double {
    text.map { "fijlrt, ".contains($0) ? 4.3 : "mw".contains($0) ? 11 : 7.2 }.reduce(0, +)
  }

  /// A part's head.
  mutating func head(_ title: String, _ note: String) {
    y += 44
    text(title, Self.margin, y, "head")
    y += 19
    text(note, Self.margin, y, "note")
    y += 12
  }

  /// The whole picture.
  func picture(title: String) -> String {
    svg(height: y + Self.margin, title: title, style: Self.style)
  }

  /// Two sets of colours; the page decides. Those of the stages keep their order of lightness for readers who see no hue.
  private static let style = """
    svg { --page: #fcfcfb; --ink: #16191d; --soft: #555b63; --rule: #dfe1e4; --own: #1f5fbf; --floor: #8b929b;
      --peer: #c9ced4; --idle: #e6e9ec; --s0: #123f73; --s1: #1f6fb5; --s2: #4a9fd8; --s3: #9cc9e8; --s4: #0f766e;
      --s5: #d98324; --s6: #f0bf6a; --s7: #a4487a; --s8: #6b7280; }
    @media (prefers-color-scheme: dark) { svg { --page: #14171b; --ink: #f0f2f4; --soft: #a5adb7; --rule: #333940;
      --own: #62a0f5; --floor: #7b848f; --peer: #4b535d; --idle: #24292f; --s0: #3d74b8; --s1: #5b9be0; --s2: #84bdf0;
      --s3: #b9dcf7; --s4: #35a79c; --s5: #e39a45; --s6: #f3cd88; --s7: #cf7aa6; --s8: #8b939d; } }
    text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: var(--ink);
      font-variant-numeric: tabular-nums; }
    .title { font-size: 22px; font-weight: 650; } .head { font-size: 16px; font-weight: 650; }
    .group { font-weight: 600; } .note { fill: var(--soft); font-size: 12px; } .strong { font-weight: 650; }
    .page { fill: var(--page); } .rule { stroke: var(--rule); stroke-width: 1; }
    .own { fill: var(--own); } .floor { fill: var(--floor); } .peer { fill: var(--peer); } .idle { fill: var(--idle); }
    \((0...8).map { ".s\($0) { fill: var(--s\($0)); stroke: var(--s\($0)); }" }.joined(separator: " "))
    rect { stroke: none !important; }
    .line { fill: none; stroke-width: 2; }
    """
}
