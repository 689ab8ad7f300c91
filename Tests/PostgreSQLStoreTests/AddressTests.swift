import Bolide
import PostgreSQLAccess
import StoreInterface
import TestServer
import Testing

/// An address says where a store is, and to people never how to get in.
struct AddressTests {
  @Test(arguments: [
    ("postgresql://feeds.example.org/feeds", "public", "postgresql://feeds.example.org/feeds"),
    ("postgres://host/db#fireballs", "fireballs", "postgres://host/db#fireballs"),
    ("postgresql://me:secret@host:5433/db#a", "a", "postgresql://me@host:5433/db#a"),
    (
      "postgresql://me:s%40cret@h/db?sslmode=verify-full&password=x#a%20b", "a b",
      "postgresql://me@h/db?sslmode=verify-full#a%20b"
    ),
    ("postgresql:///db?password=x&sslpassword=y&passfile=/p", "public", "postgresql:///db"),
    ("postgresql://me:p/w@h/db", "public", "postgresql://me@h/db"),
    ("postgresql://me:secret?w@h:1/db#a", "a", "postgresql://me@h:1/db#a"),
    ("postgresql://h:1/db?user=me@corp#a", "a", "postgresql://h:1/db?user=me@corp#a"),
    ("postgresql://me:secret?w/x@h:1/db", "public", "postgresql://me@h:1/db"),
    ("postgresql://me:w/secret?x@h:1/db#a", "a", "postgresql://me@h:1/db#a"),
    ("postgresql://me:secret@w@h/db", "public", "postgresql://me@h/db"),
    ("postgresql://me:w#secret@h/db", "secret@h/db", "postgresql://me@h/db"),
    ("postgresql://h/db?p%61ssword=x&sslmode=require#a", "a", "postgresql://h/db?sslmode=require#a"),
    ("postgresql://h:1/db#a@b", "a@b", "postgresql://h:1/db#a@b"),
    ("postgresql://h/db?sslmode=require#a:b@c", "a:b@c", "postgresql://h/db?sslmode=require#a:b@c"),
  ])
  func `the schema stands behind #, and the password is not shown`(
    _ text: String, _ schema: String, _ shown: String
  ) throws {
    let address = try #require(PostgreSQLAddress(text))
    #expect(address.schema == schema)
    #expect(address.shown == shown)
    #expect(!address.shown.contains("secret") && !address.shown.contains("=x"))
    #expect(text.hasPrefix(address.connection))
  }

  @Test(arguments: ["fireballs.sqlite", "postgresql:fireballs", "/postgresql://x", ""])
  func `a path is no address`(_ text: String) { #expect(PostgreSQLAddress(text) == nil) }

  @Test(arguments: [
    ("/db?nope=1", #"invalid URI query parameter: "nope""#),
    ("/db?sslmode=nope", #"invalid sslmode value: "nope""#),
    ("me:secret@/db?sslmode=nope", "invalid sslmode value"),
    ("/db?service=none", #"definition of service "none" not found"#),
    ("me:sec%zz@/db", "invalid percent-encoded token"),
    ("127.0.0.1:99999/db", #"invalid port number: "99999""#),
    ("me:secret@127.0.0.1:0/db", "invalid port number"),
    (
      "me:secret@[::1/db", #"end of string reached when looking for matching "]" in IPv6 host address in URI"#
    ),
  ])
  func `an address that libpq does not understand`(address: String, words: String) throws {
    let error = try #require(throws: StoreError.self) { try StoreAddress("postgresql://\(address)").open() }
    #expect(error.code == .badRequest && error.reason == "libpq does not understand the address: \(words)")
    #expect(
      error.hint == "PostgreSQL's manual lists what may stand in one: search for \"connection URIs\".")
  }

  @Test(arguments: [
    "me:SEC/RET@127.0.0.1:1/db", "me:SEC@RET@127.0.0.1:1/db", "me:SEC#RET@127.0.0.1:1/db",
    "me:RET?SEC/RET@127.0.0.1:1/db",
  ])
  func `libpq's words tell nothing of a password`(address: String) throws {
    let error = try #require(throws: StoreError.self) { try StoreAddress("postgresql://\(address)").open() }
    let text = "\(error) \(error.engineText ?? "")"
    #expect(!text.contains("SEC") && !text.contains("RET"), "\(text)")
    #expect(error.file == "postgresql://me@127.0.0.1:1/db")
  }

  private func refused(_ schema: String) throws -> String {
    let address = try TestServer.shared.get().address(schema: schema)
    let pipeline = try Pipeline(yaml: ServerStore.quakes, file: "p.yaml", directory: ".")
    let error = try #require(throws: StoreError.self) {
      try StoreAddress(address).open(for: pipeline, lockWait: 1)
    }
    #expect(error.file == address)
    return "\(error.reason). \(error.hint ?? "")"
  }

  @Test(arguments: ["pg_toast", "pg_mine", "information_schema"])
  func `a schema of the server's own`(schema: String) throws {
    #expect(
      try refused(schema)
        == "the schema \(schema) is the server's own. Name another one behind the #.")
  }

  @Test func `a schema's name that is too long`() throws {
    let name = String(repeating: "x", count: 64)
    #expect(
      try refused(name)
        == "the name \(name) is longer than PostgreSQL's 63 bytes. Give it a shorter one.")
  }
}
