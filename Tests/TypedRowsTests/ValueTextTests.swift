import ImportModel
import Testing
import TypedRows

struct ValueTextTests {
  @Test(
    arguments: [
      ("-32768", .integer16, .integer(-32768)), ("+7", .integer32, .integer(7)),
      ("9223372036854775807", .integer64, .integer(.max)), ("1e3", .double, .real(1000)),
      (".5", .double, .real(0.5)),
      ("0.1", .float, .real(Double(Float(0.1)))), ("1.5", .decimal(scale: 2), .integer(150)),
      ("-.05", .decimal(scale: 2), .integer(-5)), ("7.", .decimal(scale: 0), .integer(7)),
      ("92233720368547758.07", .decimal(scale: 2), .integer(.max)),
      ("-92233720368547758.08", .decimal(scale: 2), .integer(.min)), ("true", .boolean, .integer(1)),
      ("false", .boolean, .integer(0)), ("", .string, .text("")), ("no", .string, .text("no")),
      ("2024-02-29T23:59:59Z", .date(precision: .seconds), .text("2024-02-29T23:59:59Z")),
      ("0861-01-01T00:00:00.000001Z", .date(precision: .microseconds), .text("0861-01-01T00:00:00.000001Z")),
      ("0861-01-01T00:00:00.000Z", .date(precision: .milliseconds), .text("0861-01-01T00:00:00.000Z")),
      ("2000-02-29", .day, .text("2000-02-29")),
      ("6f1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a01", .uuid, .text("6f1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a01")),
    ] as [(String, AttributeType, Value)])
  func `A text in its type's form is a value`(text: String, type: AttributeType, value: Value) {
    #expect(Value(text, as: type) == value)
  }

  @Test(
    arguments: [
      (["32768", "1.0", "", " 1", "0x1"], .integer16, "a whole number from -32768 to 32767"),
      (["2147483648"], .integer32, "a whole number from -2147483648 to 2147483647"),
      (
        ["9223372036854775808"], .integer64, "a whole number from -9223372036854775808 to 9223372036854775807"
      ),
      (["nan", "inf", "0x1p3", "1e999", "", "1,5"], .double, "a number such as 0.25"),
      (["1e39"], .float, "a number such as 0.25"),
      (
        ["1.234", "1e2", ".", "-", "", "--1", "+-1", "1.2.3", "92233720368547758.08"], .decimal(scale: 2),
        "a number with at most 2 decimals"
      ),
      (["yes", "True", "1", ""], .boolean, "true or false"),
      (
        [
          "2023-02-29T00:00:00Z", "2024-02-29 00:00:00", "2024-01-01T24:00:00Z", "2024-01-01T00:00:60Z",
          "2024-01-01T00:00:00.000Z", "2024-13-01T00:00:00Z", "2024-01-00T00:00:00Z",
        ],
        .date(precision: .seconds), "an instant such as 2026-05-12T03:14:07Z"
      ),
      (
        ["2024-01-01T00:00:00Z"], .date(precision: .milliseconds),
        "an instant such as 2026-05-12T03:14:07.250Z"
      ),
      (
        ["2024-01-01T00:00:00.000Z"], .date(precision: .microseconds),
        "an instant such as 2026-05-12T03:14:07.250000Z"
      ),
      (["1900-02-29", "2024-1-1", "2024-04-31", "２０２４-01-01"], .day, "a day such as 2026-05-12"),
      (
        ["6F1C2F0E-8D0B-4F43-9A55-0F2D8F6F7A01", "6f1c2f0e"], .uuid,
        "a UUID in lower case, such as 6f1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a01"
      ),
      (["YQ=="], .binary, "no value at all: binary attributes have neither defaults nor limits"),
      (["{}"], .json, "no value at all: json attributes have neither defaults nor limits"),
    ] as [([String], AttributeType, String)])
  func `Any other text is rejected with the form that is expected`(
    texts: [String], type: AttributeType, expected: String
  ) {
    for text in texts {
      #expect(Value(text, as: type) == nil, "\(text)")
      #expect(type.writtenForm == expected)
    }
  }
}
