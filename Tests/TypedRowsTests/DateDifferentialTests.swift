import Foundation
import ImportModel
import Testing

@testable import TypedRows

/// Dates that Python writes, read back, and dates that differ from them in a byte or two.
struct DateDifferentialTests {
  /// What Python wrote, and what it means by it.
  private struct Case: Decodable {
    let pattern: String?
    let zone: String?
    let text: String
    /// The instant with microseconds, a failure's code, or nil where Python does not read the text either.
    let expected: String?
  }

  @Test(arguments: ["rfc822", "iso", "patterns"])
  func `What Python writes is read back`(kind: String) throws {
    let cases = try python(kind)
    #expect(cases.count > 2000)
    for known in cases { #expect(result(known) == known.expected, "\(kind): \(known)") }
  }

  @Test(arguments: [
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "America/St_Johns",
    "Pacific/Auckland",
  ])
  func `Local times of a zone are Python's, also where clocks change`(zone: String) throws {
    let cases = try python("zone", zone)
    let expected = Set(cases.map(\.expected))
    #expect(expected.isSuperset(of: ["skipped-time", "repeated-time"]))
    let local = try #require(reading(nil, zone: zone))
    for known in cases { #expect(result(known, local) == known.expected, "\(known)") }
  }

  /// Python is laxer than any of our forms, and so is the only judge of what both of them read.
  @Test(arguments: ["mutated-rfc822", "mutated-iso", "mutated-patterns"])
  func `What is nearly a date is rejected or read as Python does`(kind: String) throws {
    let cases = try python(kind)
    var readByBoth = 0
    for known in cases {
      let ours = result(known)
      guard let expected = known.expected, ours.hasSuffix("Z") else { continue }
      readByBoth += 1
      #expect(ours == expected, "\(kind): \(known)")
    }
    #expect(cases.count > 5000 && readByBoth > 100, "\(readByBoth) of \(cases.count)")
  }

  private func result(_ known: Case, _ zone: DateReading? = nil) -> String {
    let declared = zone ?? reading(known.pattern.map(DateForm.pattern))
    let stored = DateText.Form(precision: .microseconds, cutsFractions: false)
    do {
      return try written(stored.length) { output in
        try known.text.withBytes { try DateText.write($0, reading: declared, as: stored, to: output) }
      }
    } catch {
      return (error as? ConversionFailure)?.code ?? "\(error)"
    }
  }

  private func python(_ arguments: String...) throws -> [Case] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", Self.program] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return try JSONDecoder().decode([Case].self, from: data)
  }

  private static let program = #"""
    import datetime as d, email.utils, json, random, re, sys
    kind = sys.argv[1]
    seed = random.SystemRandom().randrange(1 << 32)
    print("seed of", kind, seed, file=sys.stderr)
    dice = random.Random(seed)
    UTC, SECOND = d.timezone.utc, d.timedelta(seconds=1)

    def instant(first=1000, last=9998):
      low, high = d.datetime(first, 1, 2), d.datetime(last, 12, 30)
      return (low + (high - low) * dice.random()).replace(microsecond=0)

    def stored(time):
      if time.tzinfo: time = time.astimezone(UTC).replace(tzinfo=None)
      return time.isoformat(timespec="microseconds") + "Z"

    def zoned(time):
      return time.replace(tzinfo=d.timezone(d.timedelta(minutes=dice.randrange(-1439, 1440))))

    def rfc822():
      time = zoned(instant()) if dice.random() < 0.7 else instant().replace(tzinfo=UTC)
      text = email.utils.format_datetime(time, usegmt=time.tzinfo is UTC)
      if dice.random() < 0.3: text = text[5:]
      return None, text, stored(time)

    def iso():
      time = instant()
      day, step = dice.choice([
        ("%G-W%V-%u", "T%H:%M:%S"), ("%GW%V%u", "T%H%M%S"), ("%Y-%j", "T%H:%M:%S"), ("%Y%j", "T%H%M%S"),
        ("%Y%m%d", "T%H%M%S"), ("%Y-%m-%d", "T%H:%M:%S"), ("%Y-%m-%d", " %H:%M:%S"),
        ("%d %b %Y", " %H:%M:%S"),
        ("%d-%b-%Y", " %H:%M:%S"), ("%b %d, %Y", " %I:%M:%S %p")])
      if dice.random() < 0.4:
        return None, time.strftime(day), stored(time.replace(hour=0, minute=0, second=0))
      if dice.random() < 0.5: time, step = zoned(time), step + dice.choice(["%z", " %z"])
      return None, time.strftime(day + step), stored(time)

    PATTERNS = [
      ("dd.MM.yyyy HH:mm:ss", "%d.%m.%Y %H:%M:%S"), ("M/d/yyyy h:mm:ss a", "%-m/%-d/%Y %-I:%M:%S %p"),
      ("EEE MMM dd HH:mm:ss yyyy", "%a %b %d %H:%M:%S %Y"), ("yyyyDDDHHmmss", "%Y%j%H%M%S"),
      ("EEEE, d MMMM yyyy 'at' hh:mm:ss a", "%A, %-d %B %Y at %I:%M:%S %p"),
      ("dd/MMM/yyyy:HH:mm:ss Z", "%d/%b/%Y:%H:%M:%S %z"), ("yyyyMMddHHmmssSSSSSS", "%Y%m%d%H%M%S%f"),
      ("H:mm:ss yyyy-MM-dd", "%-H:%M:%S %Y-%m-%d"),
      ("yyyy-MM-dd'T'HH:mm:ss.SSSSSSXX", "%Y-%m-%dT%H:%M:%S.%f%z")]

    def patterns(choice=None):
      pattern, form = choice or dice.choice(PATTERNS)
      time = instant()
      if "%f" in form: time = time.replace(microsecond=dice.randrange(1000000))
      if "%z" in form: time = zoned(time)
      return pattern, time.strftime(form), stored(time)

    def rfc822_read(text):
      # Python takes +02 and +02:00 for two minutes, and the year 0027 for 2027.
      if not re.search(r" [1-9]\d{3} .*( GMT| [+-]\d{4})$", text): raise ValueError
      return email.utils.parsedate_to_datetime(text)

    def mutated(text):
      for _ in range(dice.choice([1, 1, 2])):
        place = dice.randrange(len(text))
        byte = dice.choice("0123456789 -:TWZ+,." + text)
        text = text[:place] + dice.choice([byte, "", byte + text[place]]) + text[place + 1:]
      return text

    def judge(read, text):
      try:
        time = read(text)
        return stored(time) if time.year >= 1000 else None
      except (ValueError, TypeError, OverflowError, IndexError):
        return None

    def local(zone):
      import zoneinfo
      zone = zoneinfo.ZoneInfo(zone)
      days = [d.datetime(1970, 1, 1) + d.timedelta(days=n) for n in range(24830)]
      offset = lambda day: day.replace(tzinfo=UTC).astimezone(zone).utcoffset()
      changes = [day for day, next in zip(days, days[1:]) if offset(day) != offset(next)]
      for _ in range(4000):
        if dice.random() < 0.5:
          time = dice.choice(changes) + d.timedelta(seconds=dice.randrange(-86400, 2 * 86400))
        else:
          time = instant(1970, 2037)
        found = set()
        for fold in (0, 1):
          there = time.replace(tzinfo=zone, fold=fold).astimezone(UTC)
          if there.astimezone(zone).replace(tzinfo=None) == time: found.add(there)
        expected = "skipped-time" if not found else "repeated-time" if len(found) > 1 else stored(found.pop())
        yield {"text": str(time), "expected": expected}

    if kind == "zone":
      cases = list(local(sys.argv[2]))
    elif kind.startswith("mutated-"):
      cases = []
      for _ in range(12000):
        choice = dice.choice(PATTERNS)
        pattern, text, _ = {"rfc822": rfc822, "iso": iso, "patterns": lambda: patterns(choice)}[kind[8:]]()
        text = mutated(text)
        read = {"rfc822": rfc822_read, "iso": d.datetime.fromisoformat,
          "patterns": lambda text: d.datetime.strptime(text, choice[1].replace("%-", "%"))}[kind[8:]]
        expected = judge(read, text)
        cases.append({"pattern": pattern, "text": text, "expected": expected})
    else:
      make = {"rfc822": rfc822, "iso": iso, "patterns": patterns}[kind]
      cases = [dict(zip(("pattern", "text", "expected"), make())) for _ in range(4000)]
    json.dump(cases, sys.stdout)
    """#
}
