import ImportModel
import Testing

@testable import TypedRows

/// Forms of dates besides the usual ones, and those that a pipeline declares.
struct ConversionFormTests {
  // MARK: Named months

  @Test(arguments: [
    ("Tue, 24 Nov 2026 16:45:00 GMT", "2026-11-24T16:45:00Z"),
    ("Tue, 24 Nov 2026 16:45:00 +0000", "2026-11-24T16:45:00Z"),
    ("24 Nov 2026 16:45 +0200", "2026-11-24T14:45:00Z"),
    ("24 Nov 2026 16:45", "2026-11-24T16:45:00Z"),
    ("TUE, 24 NOV 2026 16:45:00 ut", "2026-11-24T16:45:00Z"),
    ("Tue, 24 Nov 2026 16:45:00 Z", "2026-11-24T16:45:00Z"),
    ("Tue, 24 Nov 2026 16:45:00 EST", "2026-11-24T21:45:00Z"),
    ("24 Jul 2026 16:45:00 EDT", "2026-07-24T20:45:00Z"),
    ("24 Nov 2026 16:45:00 CST", "2026-11-24T22:45:00Z"),
    ("24 Jul 2026 16:45:00 CDT", "2026-07-24T21:45:00Z"),
    ("24 Nov 2026 16:45:00 MST", "2026-11-24T23:45:00Z"),
    ("24 Jul 2026 16:45:00 MDT", "2026-07-24T22:45:00Z"),
    ("24 Nov 2026 16:45:00 PST", "2026-11-25T00:45:00Z"),
    ("24 Jul 2026 16:45:00 PDT", "2026-07-24T23:45:00Z"),
    ("1 Jan 26 00:00 GMT", "2026-01-01T00:00:00Z"),
    ("31 Dec 49 23:59:59 GMT", "2049-12-31T23:59:59Z"),
    ("1 Jan 50 00:00:00 GMT", "1950-01-01T00:00:00Z"),
    ("Wed, 02 Oct 02 13:00:00 GMT", "2002-10-02T13:00:00Z"),
    ("31 Dec 2025", "2025-12-31T00:00:00Z"),
    ("Wed, 31 Dec 2025", "2025-12-31T00:00:00Z"),
    ("27-Sep-2025", "2025-09-27T00:00:00Z"),
    ("27-Sep-2025 10:00:00.5 UTC", "2025-09-27T10:00:00Z"),
    ("Sat, 27-Sep-2025 10:00:00 GMT", "2025-09-27T10:00:00Z"),
    ("Sep 27, 2025", "2025-09-27T00:00:00Z"),
    ("Sat, Sep 7, 2024 4:05 PM", "2024-09-07T16:05:00Z"),
  ])
  func `A named month needs no declaration`(text: String, stored: String) throws {
    #expect(try date(text) == stored)
  }

  @Test(
    arguments: [
      ("Mon, 24 Nov 2026 16:45:00 GMT", .wrongWeekday), ("Wed, 24 Nov 2026", .wrongWeekday),
      ("Sun, Sep 27, 2025", .wrongWeekday), ("Tue, 31 Nov 2026", .noSuchDay),
      ("Tue, 24 Nov 2026 24:00:00 GMT", .noSuchTime), ("Tue, 24 Nov 2026 16:45:60 GMT", .noSuchTime),
      ("Tue, 24 Nov 2026 16:45:00 A", .unknownZone), ("Tue, 24 Nov 2026 16:45:00 Y", .unknownZone),
      ("Tue, 24 Nov 2026 16:45:00 CET", .unknownZone), ("Tue, 24 Nov 2026 16:45:00 ES", .unknownZone),
      ("Tue, 24 Nov 2026 16:45:00 ESTX", .unknownZone), ("Tue, 24 Nov 2026 16:45:00 +02000", .unknownZone),
      ("27-Sep-2025 10:00 EST", .unknownZone), ("Sep 27, 2025 10:00 EST", .unknownZone),
      ("2025-09-27 10:00 EST", .unknownZone),
      ("31 Dec 25", .notADate), ("31-Dec-25 10:00", .notADate), ("Sep 27, 25 10:00", .notADate),
      ("31 Dec 125 10:00", .notADate), ("Tue 24 Nov 2026", .notADate), ("Tue,24 Nov 2026", .notADate),
      ("Tuesday, 24 Nov 2026", .notADate), ("Sep 27 2025", .notADate), ("September 27, 2025", .notADate),
      ("27 Sep-2025", .notADate), ("27.Sep.2025", .notADate), ("27/Sep/2025", .notADate),
      ("127 Sep 2025", .notADate), ("Tue, 21/11/2009", .notADate), ("Tue, 2026-11-24", .notADate),
      ("Tue", .notADate), ("Tue, ", .notADate), ("Sep", .notADate), ("24 Nov", .notADate), ("x", .notADate),
    ] as [(String, ConversionFailure)])
  func `What is not a date with a named month is rejected`(text: String, failure: ConversionFailure) {
    #expect(throws: failure) { try date(text) }
  }

  // MARK: ISO 8601

  @Test(arguments: [
    ("20251231", "2025-12-31T00:00:00Z"), ("00000101", "0000-01-01T00:00:00Z"),
    ("99991231", "9999-12-31T00:00:00Z"), ("20240229", "2024-02-29T00:00:00Z"),
    ("20251231T235959Z", "2025-12-31T23:59:59Z"), ("20251231T2359", "2025-12-31T23:59:00Z"),
    ("20251231 235959.75+0100", "2025-12-31T22:59:59Z"), ("20251231T23:59:59", "2025-12-31T23:59:59Z"),
    ("20251231T235959,5 -02", "2026-01-01T01:59:59Z"), ("20251231t083000 PM", "2025-12-31T20:30:00Z"),
    ("2026-W48-2", "2026-11-24T00:00:00Z"), ("2026W482", "2026-11-24T00:00:00Z"),
    ("2026-w48-2T16:45Z", "2026-11-24T16:45:00Z"), ("2026W482T1645Z", "2026-11-24T16:45:00Z"),
    ("2020-W53-5", "2021-01-01T00:00:00Z"), ("2026-W01-1", "2025-12-29T00:00:00Z"),
    ("0000-W01-1", "0000-01-03T00:00:00Z"), ("9999-W52-5", "9999-12-31T00:00:00Z"),
    ("2026-328", "2026-11-24T00:00:00Z"), ("2026328", "2026-11-24T00:00:00Z"),
    ("2024-366", "2024-12-31T00:00:00Z"), ("2024060T0000", "2024-02-29T00:00:00Z"),
    ("2026-001T01:00+01:00", "2026-01-01T00:00:00Z"), ("0000-366", "0000-12-31T00:00:00Z"),
    ("9999-365", "9999-12-31T00:00:00Z"),
  ])
  func `The basic forms, weeks and days of the year`(text: String, stored: String) throws {
    #expect(try date(text) == stored)
    guard stored.hasSuffix("T00:00:00Z"), !text.contains("+") else { return }
    #expect(try day(text) == stored.prefix(10))
  }

  @Test(
    arguments: [
      ("20250229", .noSuchDay), ("20251301", .noSuchDay), ("20250100", .noSuchDay), ("20250001", .noSuchDay),
      ("2025-366", .noSuchDay), ("1900366", .noSuchDay), ("2025-000", .noSuchDay), ("2025367", .noSuchDay),
      ("2026-W00-1", .noSuchDay), ("2025-W53-1", .noSuchDay), ("2026-W54-1", .noSuchDay),
      ("2026-W48-0", .noSuchDay), ("2026-W48-8", .noSuchDay), ("9999-W52-6", .outOfRange),
      ("9999-W53-1", .noSuchDay),
      ("20251231T2400", .noSuchTime), ("20251231T235960Z", .noSuchTime), ("20251231T2360", .noSuchTime),
      ("202512310", .notADate), ("202512", .notADate), ("251231", .notADate), ("20251231235959", .notADate),
      ("20251231T23", .notADate), ("20251231T235", .notADate), ("20251231T23595", .notADate),
      ("20251231T2359.5", .unknownZone), ("2025-12-31T2359", .notADate), ("2025-12-31T235959Z", .notADate),
      ("2026-W48", .notADate), ("2026W48", .notADate), ("2026-W482", .notADate), ("2026W48-2", .notADate),
      ("2026/W48/2", .notADate), ("2026/328", .notADate), ("2026-W4-2", .notADate),
      ("2026-W48-21", .notADate),
      ("2026-W48-2T1645", .notADate), ("2026-3280", .notADate), ("2026-W", .notADate), ("2026W", .notADate),
    ] as [(String, ConversionFailure)])
  func `What ISO 8601 does not have is rejected`(text: String, failure: ConversionFailure) {
    #expect(throws: failure) { try date(text) }
  }

  // MARK: Milliseconds in slashes

  @Test(arguments: [
    ("/Date(1764000000000)/", "2025-11-24T16:00:00.000Z"),
    ("/Date(1764000000123+0100)/", "2025-11-24T16:00:00.123Z"),
    ("/Date(1764000000000-0730)/", "2025-11-24T16:00:00.000Z"),
    ("/Date(-1)/", "1969-12-31T23:59:59.999Z"), ("/Date(0)/", "1970-01-01T00:00:00.000Z"),
    ("/Date(253402300799999)/", "9999-12-31T23:59:59.999Z"),
  ])
  func `Milliseconds in slashes are an instant`(text: String, stored: String) throws {
    #expect(try date(text, nil, .milliseconds) == stored)
    #expect(try date(text, nil, .milliseconds, zone: "Europe/Berlin") == stored)
  }

  @Test(
    arguments: [
      ("/Date(253402300800000)/", .outOfRange), ("/Date(-62167219200001)/", .outOfRange),
      ("/Date(999999999999999999)/", .outOfRange), ("/Date(9999999999999999999)/", .notADate),
      ("/Date(0+2400)/", .unknownZone), ("/Date(0+01:00)/", .unknownZone), ("/Date(0+010)/", .unknownZone),
      ("/Date(0.5)/", .notADate), ("/Date()/", .notADate), ("Date(0)", .notADate), ("/Date(0)", .notADate),
      ("/Date(0)/ ", .notADate), ("/Date(0)/ 12:00", .notADate), ("/Date(+1)/", .notADate), ("/", .notADate),
    ] as [(String, ConversionFailure)])
  func `Other texts in slashes are rejected`(text: String, failure: ConversionFailure) {
    #expect(throws: failure) { try date(text) }
  }

  // MARK: Zones

  @Test(arguments: [
    ("2026-07-01 12:00", "Europe/Berlin", "2026-07-01T10:00:00Z"),
    ("2026-01-01 12:00", "Europe/Berlin", "2026-01-01T11:00:00Z"),
    ("2026-07-01 12:00Z", "Europe/Berlin", "2026-07-01T12:00:00Z"),
    ("2026-07-01 12:00+09:00", "Europe/Berlin", "2026-07-01T03:00:00Z"),
    ("2026-07-01", "Europe/Berlin", "2026-06-30T22:00:00Z"),
    ("1 Jul 2026 12:00", "America/New_York", "2026-07-01T16:00:00Z"),
    ("2026-07-01 12:00", "UTC", "2026-07-01T12:00:00Z"),
    ("2026-03-29 01:59:59", "Europe/Berlin", "2026-03-29T00:59:59Z"),
    ("2026-03-29 03:00:00", "Europe/Berlin", "2026-03-29T01:00:00Z"),
    ("2026-10-25 01:59:59", "Europe/Berlin", "2026-10-24T23:59:59Z"),
    ("2026-10-25 03:00:00", "Europe/Berlin", "2026-10-25T02:00:00Z"),
    ("2026-10-25 02:30:00+02:00", "Europe/Berlin", "2026-10-25T00:30:00Z"),
    ("1850-01-01 00:00", "Europe/Berlin", "1849-12-31T23:06:32Z"),
    ("9998-07-01 12:00", "Europe/Berlin", "9998-07-01T10:00:00Z"),
    ("2250-07-01 12:00", "Europe/Berlin", "2250-07-01T10:00:00Z"),
    ("2011-12-29 23:59", "Pacific/Apia", "2011-12-30T09:59:00Z"),
    ("2011-12-31 00:00", "Pacific/Apia", "2011-12-30T10:00:00Z"),
  ])
  func `A time without a zone is of the declared one`(text: String, zone: String, stored: String) throws {
    #expect(try date(text, zone: zone) == stored)
  }

  @Test(
    arguments: [
      ("2026-03-29 02:00:00", "Europe/Berlin", .skippedTime),
      ("2026-03-29 02:59:59", "Europe/Berlin", .skippedTime),
      ("2026-10-25 02:00:00", "Europe/Berlin", .repeatedTime),
      ("2026-10-25 02:59:59", "Europe/Berlin", .repeatedTime),
      ("2011-12-30 12:00", "Pacific/Apia", .skippedTime), ("2018-11-04", "America/Sao_Paulo", .skippedTime),
      ("2026-04-05 01:45", "Australia/Lord_Howe", .repeatedTime),
      ("2026-10-04 02:15", "Australia/Lord_Howe", .skippedTime),
      ("0000-01-01 00:00", "Europe/Berlin", .outOfRange),
      ("9999-12-31 23:00", "America/New_York", .outOfRange),
    ] as [(String, String, ConversionFailure)])
  func `A time that a zone did not have, or had twice, is rejected`(
    text: String, zone: String, failure: ConversionFailure
  ) {
    #expect(throws: failure) { try date(text, zone: zone) }
  }

  // MARK: Patterns

  @Test(arguments: [
    ("dd.MM.yyyy HH:mm", "24.11.2026 16:45", "2026-11-24T16:45:00.000Z"),
    ("d.M.yyyy", "4.1.2026", "2026-01-04T00:00:00.000Z"),
    ("d.M.yyyy", "24.11.2026", "2026-11-24T00:00:00.000Z"),
    ("yyyyMMddHHmmss", "20261124164500", "2026-11-24T16:45:00.000Z"),
    ("yyyyMMddHHmmssSSS", "20261124164500125", "2026-11-24T16:45:00.125Z"),
    ("yyyyMMddHH", "2026112416", "2026-11-24T16:00:00.000Z"),
    ("yyyyDDD", "2026328", "2026-11-24T00:00:00.000Z"),
    ("EEE MMM dd HH:mm:ss Z yyyy", "Tue Nov 24 16:45:00 +0100 2026", "2026-11-24T15:45:00.000Z"),
    ("EEEE, d MMMM yyyy 'at' h:mm a", "Tuesday, 24 November 2026 at 4:45 pm", "2026-11-24T16:45:00.000Z"),
    ("h a d-MMM-yyyy", "12 AM 1-may-2026", "2026-05-01T00:00:00.000Z"),
    ("a hh yyyy-DDD", "PM 12 2024-366", "2024-12-31T12:00:00.000Z"),
    ("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2026-11-24T16:45:00.125-05:00", "2026-11-24T21:45:00.125Z"),
    ("yyyy-MM-dd'T'HH:mm:ss.SSSSSSSSSX", "2026-11-24T16:45:00.125000000Z", "2026-11-24T16:45:00.125Z"),
    ("dd/MMM/yyyy:HH:mm:ss Z", "24/Nov/2026:16:45:00 +0000", "2026-11-24T16:45:00.000Z"),
    ("yyyy-MM-dd HH:mm z", "2026-11-24 16:45 PST", "2026-11-25T00:45:00.000Z"),
    ("yyyy年MM月dd日", "2026年11月24日", "2026-11-24T00:00:00.000Z"),
    ("dd 'o''clock' MM''yyyy", "24 o'clock 11'2026", "2026-11-24T00:00:00.000Z"),
    ("MM-dd-yyyy", "11-24-2026", "2026-11-24T00:00:00.000Z"),
  ])
  func `A pattern reads its form`(pattern: String, text: String, stored: String) throws {
    #expect(try date(text, .pattern(pattern), .milliseconds) == stored)
    guard stored.hasSuffix("T00:00:00.000Z") else { return }
    #expect(try day(text, .pattern(pattern)) == stored.prefix(10))
  }

  @Test(
    arguments: [
      ("dd.MM.yyyy", "2026-11-24", .notInFormat), ("dd.MM.yyyy", "4.11.2026", .notInFormat),
      ("dd.MM.yyyy", "24.11.2026 ", .notInFormat), ("dd.MM.yyyy", "24.11.202", .notInFormat),
      ("dd.MM.yyyy", "", .notInFormat), ("dd.MM.yyyy", "24.11.20261", .notInFormat),
      ("dd.MM.yyyy", "24-11-2026", .notInFormat), ("dd.MM.yyyy", "31.11.2026", .noSuchDay),
      ("dd.MM.yyyy", "24.13.2026", .noSuchDay), ("d.M.yyyy", "024.1.2026", .notInFormat),
      ("yyyy-MM-dd HH:mm", "2026-11-24 24:00", .noSuchTime),
      ("yyyy-MM-dd HH:mm:ss", "2026-11-24 23:59:60", .noSuchTime),
      ("yyyy-MM-dd hh:mm a", "2026-11-24 13:00 PM", .noSuchTime),
      ("yyyy-MM-dd hh:mm a", "2026-11-24 00:30 AM", .noSuchTime),
      ("yyyy-MM-dd hh:mm a", "2026-11-24 01:30", .notInFormat),
      ("EEE dd MMM yyyy", "Mon 24 Nov 2026", .wrongWeekday),
      ("EEEE dd MMM yyyy", "Tue 24 Nov 2026", .notInFormat),
      ("dd MMMM yyyy", "24 Nov 2026", .notInFormat), ("dd MMM yyyy", "24 November 2026", .notInFormat),
      ("dd MMM yyyy", "24 Okt 2026", .notInFormat),
      ("yyyy-DDD", "2025-366", .noSuchDay), ("yyyy-DDD", "2025-36", .notInFormat),
      ("yyyy-MM-dd HH:mm Z", "2026-11-24 16:45", .notInFormat),
      ("yyyy-MM-dd HH:mm Z", "2026-11-24 16:45 EST", .unknownZone),
      ("yyyy-MM-dd HH:mm z", "2026-11-24 16:45 CET", .unknownZone),
      ("yyyy-MM-dd HH:mm:ss.SSS", "2026-11-24 16:45:00.12", .notInFormat),
      ("yyyy-MM-dd HH:mm:ss.SSSSSSSSS", "2026-11-24 16:45:00.000000001", .fractionOfSecond),
    ] as [(String, String, ConversionFailure)])
  func `A pattern reads nothing else`(pattern: String, text: String, failure: ConversionFailure) {
    #expect(throws: failure) { try date(text, .pattern(pattern), .microseconds, cutsFractions: false) }
  }

  @Test func `A pattern's local times are of the declared zone`() throws {
    let form = DateForm.pattern("dd.MM.yyyy HH:mm")
    #expect(try date("01.07.2026 12:00", form, zone: "Europe/Berlin") == "2026-07-01T10:00:00Z")
    #expect(throws: ConversionFailure.repeatedTime) {
      try date("25.10.2026 02:30", form, zone: "Europe/Berlin")
    }
    let zoned = DateForm.pattern("dd.MM.yyyy HH:mm XXX")
    #expect(try date("25.10.2026 02:30 +01:00", zoned, zone: "Europe/Berlin") == "2026-10-25T01:30:00Z")
  }
}

/// The stored form of a date's text.
func date(
  _ text: String, _ form: DateForm? = nil, _ precision: DatePrecision = .seconds, zone: String? = nil,
  cutsFractions: Bool = true
) throws -> String {
  let stored = DateText.Form(precision: precision, cutsFractions: cutsFractions)
  let declared = reading(form, zone: zone)
  return try written(stored.length) { output in
    try text.withBytes { try DateText.write($0, reading: declared, as: stored, to: output) }
  }
}

/// The stored form of a day's text.
func day(_ text: String, _ form: DateForm? = nil) throws -> String {
  try written(DayText.length) { output in
    try text.withBytes { try DayText.write($0, reading: reading(form), to: output) }
  }
}

func reading(_ form: DateForm?, zone: String? = nil) -> DateReading? {
  var field = Field("at", dateForm: form)
  field.zone = zone
  return DateReading(field)
}
