@testable import PipelineFile
import ImportModel
import Testing

/// Formats and zones that no date is read by, word for word.
struct FormatProblemTests {
  static let letters =
    "has no meaning; a format is day-first, month-first, or a pattern of yyyy, M, MM, MMM, MMMM, d, dd, DDD, EEE, "
    + "EEEE, H, HH, h, hh, a, mm, ss, S, z, Z, X, XX and XXX; put other letters in single quotes"
  static let century =
    "'yy' does not tell the century: 26 is 1926 or 2026; compute the date with an expression in 'value'"
  static let digits = "is one digit or two, and a digit follows it, so that 111 has two readings; write"

  @Test(
    arguments: [
      (
        "iso",
        "'i' has no meaning; a format is day-first, month-first, or a pattern of yyyy, M, MM, MMM, MMMM, d, "
          + "dd, DDD, EEE, EEEE, H, HH, h, hh, a, mm, ss, S, z, Z, X, XX and XXX; put other letters in "
          + "single quotes"
      ),
      ("yyyy-MM-ddTHH:mm", "'T' \(letters)"), ("DD.MM.YYYY", "'DD' \(letters)"),
      ("dd.MM.yyyy HH:m", "'m' \(letters)"), ("dd MMMMM yyyy", "'MMMMM' \(letters)"),
      ("yyyyy-MM-dd", "'yyyyy' \(letters)"), ("dd.MM.yy", century), ("yyMMdd", century),
      (
        "yyyyMd",
        "'M' is one digit or two, and a digit follows it, so that 111 has two readings; write "
          + "'MM' for two digits"
      ),
      ("dMMyyyy", "'d' \(digits) 'dd' for two digits"),
      ("yyyy-MM-dd Hmm", "'H' \(digits) 'HH' for two digits"),
      ("yyyy-MM-dd hmm a", "'h' \(digits) 'hh' for two digits"),
      ("d'1' MM yyyy", "'d' \(digits) 'dd' for two digits"),
      ("dd.MM.yyyy dd", "it has 'dd' twice, and the two could differ"),
      ("dd.MMM.yyyy MM", "it has both 'MMM' and 'MM', and the two could differ"),
      ("yyyy-DDD dd", "it has both 'DDD' and 'dd', and the two could differ"),
      ("yyyy-MM-dd HH:mm hh a", "it has both 'HH' and 'hh', and the two could differ"),
      ("yyyy-MM-dd HH:mm z Z", "it has both 'z' and 'Z', and the two could differ"),
      (
        "yyyy-MM-dd hh:mm",
        "'hh' is an hour from 1 to 12, which needs 'a' for AM or PM; write 'HH' for an hour from 0 to 23"
      ),
      ("yyyy-MM-dd HH:mm a", "'a' is AM or PM, which needs an hour from 1 to 12, 'hh' or 'h'"),
      ("dd.MM.", "it has no year, 'yyyy'"), ("HH:mm", "it has no year, 'yyyy'"),
      ("yyyy-MM", "it has no day: 'MM' and 'dd', or the day of the year, 'DDD'"),
      ("dd yyyy", "it has no day: 'MM' and 'dd', or the day of the year, 'DDD'"),
      ("yyyy-MM-dd mm", "'mm' has no meaning without an hour, 'HH'"),
      ("yyyy-MM-dd HH ss", "'ss' has no meaning without minutes, 'mm'"),
      ("yyyy-MM-dd HH:mm.SSS", "'SSS' has no meaning without seconds, 'ss'"),
      ("yyyy-MM-dd XXX", "'XXX' has no meaning without an hour, 'HH'"),
      (
        "yyyy-MM-dd HH:mm:ss.SSSSSSSSSS", "a fraction of a second has at most nine digits, 'SSSSSSSSS'"
      ),
      ("yyyy-MM-dd'T", "a quote (') has no end"), ("yyyy-MM-dd'T''", "a quote (') has no end"),
      (
        "HH:mmZyyyy-MM-dd", "what follows the zone 'Z' could belong to the zone; put a space between them"
      ),
      (
        "HH:mm z':' yyyy-MM-dd",
        "what follows the zone 'z' could belong to the zone; put a space between them"
      ),
    ] as [(String, String)])
  func `A format without one reading is refused`(format: String, reason: String) {
    for type in ["date", "day"] {
      let expected = "6:\(type == "date" ? 28 : 27): the format of 'x' cannot be used: \(reason)"
      #expect(problems("{ type: \(type), format: \"\(format)\" }") == expected)
    }
  }

  @Test(arguments: [
    "day-first", "month-first", "yyyyMMdd", "yyyyDDD", "yyyyMMddHHmmssSSS", "d.M.yyyy", "dd.MM.yyyy HH:mm",
    "EEE MMM dd HH:mm:ss Z yyyy", "EEEE, d MMMM yyyy 'at' h:mm a", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
    "yyyy年MM月dd日", "''yyyy'o''clock'dd MM", "yyyyMMddHH",
  ])
  func `A format with one reading is taken`(format: String) throws {
    #expect(problems("{ type: date, format: \"\(format)\" }") == "")
    let text = Self.file("{ type: date, format: \"\(format)\" }")
    let pipeline = try Pipeline(yaml: text, file: "p.yaml", directory: "")
    #expect(pipeline.fields.last?.dateForm == Self.forms[format] ?? .pattern(format))
  }

  private static let forms: [String: DateForm] = ["day-first": .dayFirst, "month-first": .monthFirst]

  @Test(
    arguments: [
      ("Europe/Berln", "; did you mean 'Europe/Berlin'?"),
      ("europe/berlin", "; did you mean 'Europe/Berlin'?"),
      ("local", "; a zone is UTC or has a name such as Europe/Berlin"),
      ("+02:00", "; a zone is UTC or has a name such as Europe/Berlin"),
      ("../../etc/passwd", "; a zone is UTC or has a name such as Europe/Berlin"),
    ])
  func `A zone that is not known is refused`(zone: String, hint: String) {
    #expect(problems("{ type: date, zone: \(zone) }") == "6:26: unknown time zone '\(zone)' of 'x'\(hint)")
  }

  @Test(arguments: ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "CET", "Asia/Calcutta"])
  func `A zone has its name in the database`(zone: String) {
    #expect(problems("{ type: date, zone: \(zone) }") == "")
    #expect(problems("{ type: day, zone: \(zone) }") == "6:25: 'zone' is for dates, and 'x' is a day")
  }

  @Test func `The form that a store keeps is read back`() {
    let forms: [DateForm] = [.epochSeconds, .epochMilliseconds, .dayFirst, .monthFirst, .pattern("yyyyMMdd")]
    #expect(forms.map { DateForm(rawValue: $0.rawValue) } == forms)
    let words = ["epochSeconds", "epochMilliseconds", "dayFirst", "monthFirst"]
    #expect(forms.map(\.rawValue).prefix(4) == words[...])
  }

  private static func file(_ attribute: String) -> String {
    "bolide: 1\nentity: Thing\nkey: id\nattributes:\n  id: integer64\n  x: \(attribute)\n"
  }

  private func problems(_ attribute: String) -> String {
    do {
      _ = try Pipeline(yaml: Self.file(attribute), file: "p.yaml", directory: "")
      return ""
    } catch {
      return String(error.description.trimmingPrefix("p.yaml:"))
    }
  }
}
