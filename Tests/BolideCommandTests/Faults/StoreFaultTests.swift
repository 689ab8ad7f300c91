import BolideBench
import Foundation
import Testing

/// A store that cannot be made, opened or written: a sentence, a status, and no file is spoiled.
@Suite struct StoreFaultTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withFireballs()
    try folder.generate(FireballFeed(rows: 5_000, seed: 2), to: "feed.json")
  }

  private static let elsewhere = "Use another path for the store."
  private static let cannotOpen = "Check that its folder exists and can be written."

  @Test func `a folder that is not there`() throws {
    try expect(
      "nowhere/a.sqlite", 73, "nowhere/a.sqlite: the file cannot be created (No such file or directory)",
      Self.cannotOpen)
  }

  @Test func `what SQLite takes for no file is rejected`() throws {
    let hint = "Use a file, or try the import without keeping it: bolide import --dry-run"
    try expect(":memory:", 73, ":memory:: a store must be a regular file", hint)
    try expect("", 73, "the store's path is empty", hint)
    #expect(!FileManager.default.fileExists(atPath: folder.path(":memory:-bolide")))
  }

  @Test func `a folder in the store's place`() throws {
    #expect(try folder.run("mkdir", ["a.sqlite"]).status == 0)
    try expect(
      "a.sqlite", 73, "a.sqlite: a store must be a regular file",
      "Use a file, or try the import without keeping it: bolide import --dry-run")
  }

  @Test func `a text file in the store's place stays as it is`() throws {
    try folder.write("notes, not rows\n", to: "a.sqlite")
    try expect("a.sqlite", 73, "a.sqlite: the file is not an SQLite database", Self.elsewhere)
    #expect(try folder.bytes(of: "a.sqlite") == Data("notes, not rows\n".utf8))
    let changes = try folder.bolide("changes", "a.sqlite")
    #expect(changes.status == 73)
    #expect(changes.errors.hasPrefix("Error: a.sqlite: the file is not an SQLite database.\n"))
  }

  @Test func `another program's database stays as it is`() throws {
    try folder.sqlite("a.sqlite", "CREATE TABLE notes(text); INSERT INTO notes VALUES ('mine')")
    let before = try folder.bytes(of: "a.sqlite")
    try expect(
      "a.sqlite", 73, "a.sqlite: the file is an SQLite database, but not a Bolide store", Self.elsewhere)
    #expect(try folder.bytes(of: "a.sqlite") == before)
    #expect(try folder.bolide("changes", "a.sqlite").status == 73)
    #expect(try folder.bytes(of: "a.sqlite") == before)
  }

  @Test func `a store of a later format`() throws {
    try #require(try folder.bolide("import", "fireballs.yaml", "feed.json", "--store", "a.sqlite") == .silent)
    try folder.sqlite("a.sqlite", "PRAGMA user_version = 3")
    try expect(
      "a.sqlite", 73, "a.sqlite: the store was written by a newer version of Bolide",
      "Use that version or a newer one.")
  }

  @Test func `a store of an earlier format`() throws {
    try #require(try folder.bolide("import", "fireballs.yaml", "feed.json", "--store", "a.sqlite") == .silent)
    try folder.sqlite("a.sqlite", "PRAGMA user_version = 1")
    try expect(
      "a.sqlite", 73,
      "a.sqlite: the store has format 1, of a version before the first release, and this one reads 2",
      "Import into a new file; readers start again from a snapshot.")
  }

  @Test func `a store that is not there has no changes`() throws {
    let outcome = try folder.bolide("changes", "a.sqlite")
    #expect(
      outcome
        == .failure(73, "a.sqlite: no such store", "Check the path, or import first."))
    #expect(!FileManager.default.fileExists(atPath: folder.path("a.sqlite")))
  }

  /// The superuser may write every file, so it goes down to a user without rights.
  private static let asUser = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : ""

  @Test(.enabled(if: geteuid() != 0 || hasProgram("setpriv"), "there is no way to become another user"))
  func `a store that may only be read`() throws {
    try #require(try folder.bolide("import", "fireballs.yaml", "feed.json", "--store", "a.sqlite") == .silent)
    try folder.write(#"[{"date": "2020-01-01"}]"#, to: "more.json")
    try folder.sqlite("a.sqlite", "INSERT INTO Fireball(date) VALUES ('2031-01-01T00:00:00Z')")
    let outcome = try folder.shell(
      """
      cp "$bolide" ./tool; chmod -R a+rX .; chmod a-w a.sqlite; chmod a+rw a.sqlite-bolide; chmod a+rwx .
      \(Self.asUser)./tool import fireballs.yaml more.json --store a.sqlite
      """)
    #expect(outcome.status == 73)
    #expect(
      outcome.errors
        == "Error: a.sqlite: the store cannot be written.\n       Check the owner and permissions of the file and its folder.\n"
    )
    let changes = try folder.shell("\(Self.asUser)./tool changes a.sqlite")
    #expect(changes.lines.count > 5_000, "\(changes.errors)")
    #expect(
      changes.errors
        == "Note: 1 change by other programs is not in history yet: the store cannot be written. The "
        + "next command that writes, such as `bolide import`, updates them.\n")
  }

  /// A file system of two mebibytes, where the system lets the test make one.
  @Test(.enabled(if: canMount, "file systems cannot be mounted here"))
  func `a disk that fills rolls back the chunk, keeps the earlier ones and says so`() throws {
    let full =
      "Committed chunks are safe. Free some space and run the same command again: no row is duplicated."
    try #require(
      try folder.shell("mkdir small; mount -t tmpfs -o size=2m none small").status == 0)
    defer { _ = try? folder.run("umount", ["-l", "small"]) }
    let store = "small/a.sqlite"
    let arguments = ["import", "fireballs.yaml", "feed.json", "--store", store]
    let outcome = try Running(Folder.tool, arguments + ["--chunk-rows", "100"], in: folder, input: .nothing)
      .outcome()
    #expect(outcome == .failure(74, "\(store): the disk is full", full))
    let rows = try folder.count("Fireball", in: store)
    #expect(rows > 0 && rows < 5_000 && rows % 100 == 0)
    #expect(try folder.bolide("verify", store) == .silent)
    #expect(
      try folder.sqlite(store, "SELECT inserted, ifnull(outcome, 'full') FROM bolide_run") == ["\(rows)|full"]
    )
    // All or nothing: nothing more. A little room, so that the import begins.
    try #require(try folder.run("mount", ["-o", "remount,size=2400k", "small"]).status == 0)
    let atomic = try Running(Folder.tool, arguments + ["--atomic"], in: folder, input: .nothing).outcome()
    #expect(
      atomic == .failure(74, "\(store): the disk is full", "Nothing of this import is in the store. " + full))
    #expect(try folder.count("Fireball", in: store) == rows)
    // With more room the same command completes it.
    try #require(try folder.run("mount", ["-o", "remount,size=40m", "small"]).status == 0)
    let again = try Running(Folder.tool, arguments + ["--json"], in: folder, input: .nothing).outcome()
    #expect(try Counts(again) == Counts(read: 5_000, inserted: 5_000 - rows, unchanged: rows))
    try folder.check(store, against: "feed.json")
  }

  @Test(.enabled(if: geteuid() != 0, "the superuser may read every file"))
  func `an input that may not be read`() throws {
    #expect(try folder.run("chmod", ["a-r", "feed.json"]).status == 0)
    let outcome = try folder.bolide("import", "fireballs.yaml", "feed.json")
    #expect(outcome.status == 66)
    #expect(outcome.errors.hasPrefix("Error: feed.json: permission denied.\n"))
  }

  @Test func `where writing stops, the chunks before stay, and the same import afterwards completes`() throws
  {
    // A limit on a file's size stands in for a disk that ends; the shell counts it in blocks of 512 or 1024 bytes.
    let outcome = try folder.shell(
      """
      ulimit -f 2000
      "$bolide" import fireballs.yaml feed.json --store a.sqlite --chunk-rows 100
      """)
    #expect(
      outcome
        == .failure(
          74, "a.sqlite: reading or writing the store failed (disk I/O error)",
          "Committed chunks are safe. Check the disk and the file size limit, and run the same "
            + "command again: no row is duplicated."))
    let rows = try folder.count("Fireball", in: "a.sqlite")
    #expect(rows > 0 && rows < 5_000 && rows % 100 == 0)
    #expect(try folder.sqlite("a.sqlite", "PRAGMA integrity_check") == ["ok"])
    let again = try folder.bolide("import", "fireballs.yaml", "feed.json", "--store", "a.sqlite", "--json")
    #expect(try Counts(again) == Counts(read: 5_000, inserted: 5_000 - rows, unchanged: rows))
    try folder.check("a.sqlite", against: "feed.json")
  }

  @Test func `rows before their names need room on the disk`() throws {
    try folder.generate(
      FireballFeed(rows: 3_000, seed: 2, options: .init(dataFirst: true)), to: "turned.json")
    let outcome = try folder.shell(#"TMPDIR=/nowhere "$bolide" import fireballs.yaml < turned.json"#)
    #expect(
      outcome
        == .failure(
          74, "stdin: the spool file in /nowhere cannot be written: No such file or directory",
          "Free some space there, or set TMPDIR to a directory that has room."))
  }

  #if os(Linux)
    @Test func `a page that verify cannot read is a fault of the disk, and no finding`() throws {
      try #require(try folder.bolide("import", "fireballs.yaml", "feed.json").status == 0)
      let reads = try folder.faults("read", in: "verify fireballs.sqlite")
      let found = try stride(from: 1, through: reads, by: max(1, reads / 24)).map {
        try folder.disturbed("verify fireballs.sqlite", "read:\($0):once:5")
      }
      #expect(found.allSatisfy { [0, 73, 74].contains($0.status) && $0.output.isEmpty }, "\(found)")
      let told = Outcome.failure(
        74, "fireballs.sqlite: reading or writing the store failed (disk I/O error)",
        "Committed chunks are safe. Check the disk and the file size limit, and run the same command "
          + "again: no row is duplicated.")
      #expect(found.contains(told), "\(found)")
    }

    @Test func `a run that could not be kept is no good one`() throws {
      try #require(try folder.bolide("import", "fireballs.yaml", "feed.json").status == 0)
      func runs() throws -> [String] {
        try folder.sqlite("fireballs.sqlite", "SELECT run FROM bolide_run WHERE outcome = 'ok'")
      }
      let again = "import fireballs.yaml feed.json --force"
      let writes = try folder.faults("write", in: again)
      try #require(writes > 4)
      var statuses: Set<Int32> = []
      for number in 1...writes {
        let before = try runs()
        let status = try folder.disturbed(again, "write:\(number):once:28").status
        #expect(try runs().count == before.count + (status == 0 ? 1 : 0), "write \(number), status \(status)")
        #expect(try folder.bolide("verify", "fireballs.sqlite").status == 0)
        statuses.insert(status)
      }
      #expect(statuses.isSuperset(of: [74]))
    }

    @Test
    func `a file that cannot be created beside its lock ends with one sentence, and nothing is closed twice`()
      throws
    {
      try folder.write(
        """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <stdarg.h>
        #include <stdio.h>
        #include <string.h>
        #include <unistd.h>
        static int opens(const char *name, int flags, int mode) {
          const char *ours = strstr(name, ".bolide-new-");
          if (ours && (flags & O_EXCL) && !strstr(ours, "-lock")) return errno = EMFILE, -1;
          return openat(AT_FDCWD, name, flags, mode);
        }
        #define OPEN(name) int name(const char *path, int flags, ...) { \\
          va_list rest; \\
          va_start(rest, flags); \\
          int mode = va_arg(rest, int); \\
          va_end(rest); \\
          return opens(path, flags, mode); }
        OPEN(open)
        OPEN(open64)
        int close(int file) {
          int result = ((__typeof__(&close))dlsym(RTLD_NEXT, "close"))(file);
          if (result && errno == EBADF) dprintf(2, "closed twice: %d\\n", file);
          return result;
        }
        """, to: "open.c")
      try #require(try folder.bolide("import", "fireballs.yaml", "feed.json") == .silent)
      let build = ["-shared", "-fPIC", "-o", "open.so", "open.c", "-ldl"]
      try #require(try folder.run("cc", build).status == 0)
      let outcome = try folder.shell(
        #"LD_PRELOAD="$PWD/open.so" "$bolide" snapshot fireballs.sqlite --sqlite copy.sqlite"#)
      #expect(
        outcome
          == .failure(
            73, "copy.sqlite: the file cannot be created (Too many open files)",
            "Check that its folder exists and can be written."))
      #expect(try folder.shell("ls -A | grep bolide-new").output == "")
    }
  #endif

  private func expect(_ store: String, _ status: Int32, _ sentence: String, _ hint: String) throws {
    let outcome = try folder.bolide("import", "fireballs.yaml", "feed.json", "--store", store)
    #expect(outcome == .failure(status, sentence, hint))
  }
}

extension Folder {
  /// How many calls of a kind a command line makes; builds the library that makes them fail.
  fileprivate func faults(_ kind: String, in words: String) throws -> Int {
    let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .appending(path: "Faults/io.c").path
    try #require(try run("cc", ["-shared", "-fPIC", "-o", "io.so", source, "-ldl", "-pthread"]).status == 0)
    try #require(try preloaded(words, "FAULT_COUNT=count").status == 0)
    let counts = try String(decoding: bytes(of: "count"), as: UTF8.self).split(separator: "\n")
    return try #require(
      counts.compactMap { $0.hasPrefix("\(kind) ") ? Int($0.dropFirst(kind.count + 1)) : nil }.first)
  }

  /// A command line with one fault.
  fileprivate func disturbed(_ words: String, _ fault: String) throws -> Outcome {
    try preloaded(words, "FAULT=\(fault)")
  }

  private func preloaded(_ words: String, _ fault: String) throws -> Outcome {
    try shell("\(fault) FAULT_ROOT=\"$PWD\" LD_PRELOAD=\"$PWD/io.so\" \"$bolide\" \(words)")
  }
}

func hasProgram(_ name: String) -> Bool {
  ["/usr/bin/", "/bin/", "/usr/sbin/"].contains { FileManager.default.isExecutableFile(atPath: $0 + name) }
}

/// Tried once, on a folder of its own.
private let canMount: Bool = {
  guard geteuid() == 0, let folder = try? Folder() else { return false }
  let outcome = try? folder.shell("mount -t tmpfs -o size=1m none . && umount -l \"$PWD\"")
  return outcome?.status == 0
}()
