import Foundation
import TestServer
import Testing

/// `bolide import --connections`.
struct ConnectionsCommandTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write(Folder.quakes, to: "quakes.yaml")
    try folder.write(
      (1...400).map { #"{"id": "q\#($0)", "magnitude": \#($0 % 9), "place": "P\#($0 % 3)"}"# }.joined(
        separator: "\n"),
      to: "feed.json")
  }

  @Test func `a server tells what a file tells`() throws {
    let address = try TestServer.shared.get().freshAddress()
    func report(_ arguments: String...) throws -> String {
      let outcome = try folder.bolide(
        arguments: ["import", "quakes.yaml", "feed.json", "--chunk-rows", "100", "-v", "--store"] + arguments)
      #expect(outcome.status == 0)
      return outcome.errors.replacing(address, with: "quakes.sqlite").replacing(/[0-9.]+ s\b/, with: "N s")
        .replacing(/token [^ \n]+/, with: "token T").replacing(/[0-9]+ transactions/, with: "N transactions")
    }
    let one = try report("quakes.sqlite")
    #expect(try report(address, "--connections", "3") == one)
    // A file has one writer.
    #expect(try report("other.sqlite", "--connections", "3").replacing("other", with: "quakes") == one)
    try folder.write(Folder.quakes + "\nconnections: 4\n", to: "quakes.yaml")
    #expect(try report(address, "--force").contains("400 unchanged"))
  }

  @Test(arguments: ["0", "65", "many", "1.5"])
  func `a number that is none is told`(_ number: String) throws {
    let outcome = try folder.bolide("import", "quakes.yaml", "feed.json", "--connections", number)
    #expect(outcome.status == 64)
    #expect(outcome.errors.hasPrefix("Error: The value '\(number)' is invalid for '--connections <n>'\n"))
  }

  @Test func `one transaction keeps to one connection`() throws {
    let outcome = try folder.bolide("import", "quakes.yaml", "feed.json", "--connections", "2", "--atomic")
    let problem = "'connections' and 'atomic' cannot be combined: a transaction uses one connection"
    #expect(outcome == .failure(78, "quakes.yaml:1:1: \(problem)"))
  }
}
