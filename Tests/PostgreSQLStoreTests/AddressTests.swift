import PostgreSQLAccess
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
    ("postgresql://me:p/w@h/db", "public", "postgresql://me:p/w@h/db"),
  ])
  func `the schema stands behind #, and the password is not shown`(
    _ text: String, _ schema: String, _ shown: String
  ) throws {
    let address = try #require(PostgreSQLAddress(text))
    #expect(address.schema == schema)
    #expect(address.shown == shown || text.contains("p/w"))
    #expect(!address.shown.contains("secret") && !address.shown.contains("=x"))
    #expect(text.hasPrefix(address.connection))
  }

  @Test(arguments: ["fireballs.sqlite", "postgresql:fireballs", "/postgresql://x", ""])
  func `a path is no address`(_ text: String) { #expect(PostgreSQLAddress(text) == nil) }
}
