internal import FeedReading
internal import ImportModel
internal import TypedRows

extension FeedCheck {
  /// The findings, for people: one screen, as `bolide check` prints it.
  ///
  /// It contains parts of rejected records' values.
  public var text: String {
    ([headline, outcome] + outcomesOfChildren + rejections + repeats
      + [inVain, leftOver, zoneless].compactMap { $0 })
      .joined(separator: "\n")
  }

  /// Names in a list at most.
  private static let most = 12

  private var headline: String {
    "\(input): \(shape); \(count(read, "record"))"
  }

  private var outcome: String {
    if rejected == 0 { return read == 0 ? "  nothing to import" : "  no record would be rejected" }
    return "  \(rejected.grouped) of \(count(read, "record")) would be rejected:"
  }

  private var outcomesOfChildren: [String] {
    children.map { children in
      let start = "  \(children.entity): \(children.read.grouped) read, "
      return start
        + (children.rejected == 0
          ? "no record would be rejected" : "\(children.rejected.grouped) would be rejected:")
    }
  }

  private var rejections: [String] {
    let lines = firstRejects.map {
      "    \($0.input):\($0.line):\($0.column): \($0.subject): \($0.message)"
    }
    let hidden = children.reduce(rejected) { $0 + $1.rejected } - firstRejects.count
    return hidden > 0 ? lines + ["    … and \(hidden.grouped) more"] : lines
  }

  private var repeats: [String] {
    guard read > rejected else { return [] }
    let sample = keyShare > 1 ? ", of one key in \(keyShare.grouped) that was looked at" : ""
    var lines: [String] = []
    if repeatedKeys > 0 {
      let verb = repeatedKeys == 1 ? "has" : "have"
      lines.append(
        "  \(count(repeatedKeys, "record")) \(verb) the key of an earlier one, and other values\(sample)")
    }
    if copies > 0 {
      lines.append(
        "  \(count(copies, "record")) \(copies == 1 ? "is" : "are") there again, all alike\(sample)")
    }
    for children in children where children.repeatedKeys > 0 {
      let verb = children.repeatedKeys == 1 ? "has" : "have"
      lines.append(
        "  \(children.entity): \(children.repeatedKeys.grouped) \(verb) the key of an earlier one of its record, and other values"
      )
    }
    if losesRecords {
      lines.append("  the last record of a key counts; if this is intended, set `repeated-key: last`")
    }
    return lines.isEmpty ? ["  no two records have the same key\(sample)"] : lines
  }

  private var zoneless: String? {
    list("times without a zone, read as UTC; if they are, say `zone: UTC`", localTimes)
  }

  private var inVain: String? {
    let names = absent.map { source in
      let attribute = YAMLText.scalar(source.attribute)
      return source.attribute == source.field
        ? attribute : "\(attribute) from \(YAMLText.scalar(source.field))"
    }
    return list("never in the input", names)
  }

  private var leftOver: String? { list("not used by the pipeline", unusedKeys.map(YAMLText.scalar)) }

  private func list(_ title: String, _ names: [String]) -> String? {
    guard !names.isEmpty else { return nil }
    let hidden = names.count - Self.most
    let shown = names.prefix(Self.most).joined(separator: ", ")
    return "  \(title): \(shown)" + (hidden > 0 ? " … and \(hidden) more" : "")
  }

  private func count(_ number: Int, _ noun: String) -> String {
    "\(number.grouped) \(noun)\(number == 1 ? "" : "s")"
  }
}
