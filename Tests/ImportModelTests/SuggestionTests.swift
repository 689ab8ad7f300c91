import Testing

@testable import ImportModel

struct SuggestionTests {
  @Test(arguments: [
    ("form", "from", 1), ("", "ab", 2), ("ab", "", 2), ("kitten", "sitting", 3), ("same", "same", 0),
    ("ca", "abc", 3),
  ])
  func `Distances count swaps of neighbours as one`(a: String, b: String, distance: Int) {
    #expect(Suggestion.distance(Array(a), Array(b)) == distance)
  }

  @Test(arguments: [
    ("form", "from"), ("maxLength", "max-length"), ("FROM", "from"), ("typ", "type"), ("zzz", nil),
    ("x", nil),
  ])
  func `Only what is near is suggested`(word: String, suggestion: String?) {
    #expect(Suggestion.nearest(to: word, among: ["type", "from", "format", "max-length"]) == suggestion)
  }

  @Test func `A word that is much too long is compared with none`() {
    let word = String(repeating: "z", count: 1_000_000)
    #expect(Suggestion.nearest(to: word, among: (0..<600).map { "zone \($0)" }) == nil)
    #expect(Suggestion.nearest(to: "zone 1234", among: ["z", "zone", "zone 123", word]) == "zone 123")
  }

  @Test(arguments: [
    ("minimum", "min"), ("MINIMAL", "min"), ("maxlen", "max-length"), ("max-l", "max-length"),
    ("desc", "description"),
    ("descriptions-of-it", "description"), ("mi", "min"), ("m", nil), ("de", nil), ("one", "one-of"),
    ("minutes", "min"), ("minimum-of-them-all", nil),
  ])
  func `A short form is suggested, and the short for a long one`(word: String, suggestion: String?) {
    let keys = ["min", "max", "max-length", "default", "description", "one-of"]
    #expect(Suggestion.nearest(to: word, among: keys) == suggestion)
    #expect(
      Suggestion.question(for: word, among: keys) == (suggestion.map { "; did you mean '\($0)'?" } ?? ""))
  }

  @Test func `A far word gets the list, unless there is none`() {
    #expect(Suggestion.ending(for: "zzz", among: ["a1", "b2"], plural: "these are") == "; these are a1, b2")
    #expect(Suggestion.ending(for: "zzz", among: [], plural: "these are") == "")
    #expect(Suggestion.ending(for: "zzz", among: (0..<14).map { "long\($0)" }, plural: "these are") == "")
  }
}
