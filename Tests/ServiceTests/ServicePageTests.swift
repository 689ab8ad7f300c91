import Foundation
import Testing

/// The page that explains the example.
@Suite struct ServicePageTests {
  @Test func `each line of code on the page stands in the service, in its order`() throws {
    func lines(_ text: some StringProtocol) -> String {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
    }
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let root = folder.deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appending(path: "Sources/Bolide/Documentation.docc/Service.md"), encoding: .utf8)
    let service = try String(contentsOf: folder.appending(path: "FireballService.swift"), encoding: .utf8)
    let examples = page.matches(of: #/```swift\n((?s:.*?))```/#)
    #expect(examples.count == 10)
    for example in examples {
      #expect(lines(service).contains(lines(example.1)), "\(example.1)")
    }
    #expect(service.count { $0.isNewline } <= 200)
  }
}
