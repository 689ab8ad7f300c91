import Foundation
import Testing

/// Backups and their way back: with the tool, with other programs, and by files put where they do not belong.
@Suite struct BackupTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try feed("a")
  }

  /// Imports one quake.
  private func feed(_ id: String, _ options: String...) throws {
    try folder.write(#"[{"id": "\#(id)", "place": "west"}]"#, to: "feed.json")
    let outcome = try run(["import", "quakes.yaml", "feed.json"] + options)
    try #require(outcome == .silent, "\(outcome)")
  }

  private func run(_ arguments: [String]) throws -> Outcome {
    try Running(Folder.tool, arguments, in: folder, input: .nothing).outcome()
  }

  private var token: String { get throws { try folder.bolide("token", "quakes.sqlite").lines.first ?? "" } }

  private var quakes: [String] {
    get throws { try folder.sqlite("quakes.sqlite", "SELECT id FROM Quake ORDER BY id") }
  }

  @Test func `a store that is restored is as it was, and its readers know`() throws {
    #expect(try folder.bolide("readers", "quakes.sqlite", "add", "map", "--from", "now").status == 0)
    let first = try token
    #expect(try folder.bolide("backup", "quakes.sqlite", "backup.sqlite") == .silent)
    #expect(try folder.shell("stat -c %a backup.sqlite").output == "600\n")
    try feed("b")
    let second = try token
    // The backup gives way to a later one, and to an earlier one it does not.
    let verbose = try folder.bolide("backup", "quakes.sqlite", "later.sqlite", "-v")
    #expect(verbose == Outcome(status: 0, errors: "later.sqlite: backup of the store at token \(second)\n"))
    #expect(
      try folder.bolide("backup", "backup.sqlite", "later.sqlite")
        == .failure(
          64,
          "later.sqlite: the file is not an earlier state of the store, and the backup would overwrite it",
          "Use another file, or remove this one first."))

    // A program that has the store open sees it change.
    let seen = try folder.python(
      """
      import sqlite3, subprocess, sys
      db = sqlite3.connect("quakes.sqlite")
      count = lambda: db.execute("SELECT count(*) FROM Quake").fetchone()[0]
      before = count()
      end = subprocess.run([sys.argv[1], "restore", "backup.sqlite", "quakes.yaml"], capture_output=True, text=True)
      print(before, count(), end.returncode, end.stdout + end.stderr, end="")
      """, Folder.tool)
    #expect(seen == "2 1 0 quakes.sqlite: restored to token \(first); 1 named reader starts again\n")
    #expect(try folder.bolide("status", "quakes.sqlite").output.contains("map  diverged"))
    #expect(try folder.bolide("changes", "quakes.sqlite", "--reader", "map").status == 81)
    #expect(try folder.bolide("changes", "quakes.sqlite", "--since", second).status == 81)
    #expect(try folder.bolide("changes", "quakes.sqlite", "--since", first) == .silent)
    try feed("c")
    #expect(try quakes == ["a", "c"])
    // No number is given out twice.
    #expect(try folder.sqlite("quakes.sqlite", "SELECT number FROM bolide_transaction") == ["1", "3"])
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `a store that is gone comes back, and what it gave out since is known to be lost`() throws {
    #expect(try folder.bolide("backup", "quakes.sqlite", "backup.sqlite") == .silent)
    try feed("b")
    let lost = try token
    _ = try folder.shell("rm quakes.sqlite")
    let outcome = try folder.bolide("restore", "backup.sqlite", "quakes.sqlite")
    #expect(outcome.status == 0 && outcome.errors.hasPrefix("quakes.sqlite: restored to token "))
    #expect(try folder.bolide("changes", "quakes.sqlite", "--since", lost).status == 81)
    #expect(try folder.bolide("restore", "backup.sqlite", "elsewhere.sqlite").status == 0)
    #expect(try folder.bolide("verify", "elsewhere.sqlite") == .silent)
  }

  @Test func `a backup is whole while imports go on`() throws {
    let importing = try folder.starting("import", "quakes.yaml", "-", "--chunk-rows", "50")
    for round in 0..<10 {
      for number in 0..<400 {
        try importing.write(
          Data((#"{"id": "\#(round)-\#(number)", "place": "p\#(number % 7)"}"# + "\n").utf8))
      }
      #expect(try folder.bolide("backup", "quakes.sqlite", "backup.sqlite") == .silent)
      #expect(try folder.bolide("verify", "backup.sqlite") == .silent)
    }
    try importing.close()
    #expect(try importing.outcome().status == 0)
    #expect(try folder.count("Quake", in: "quakes.sqlite") == 4001)
    #expect(try folder.bolide("restore", "backup.sqlite", "quakes.sqlite").status == 0)
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `what is no backup of this store is not restored, and nothing is overwritten by one`() throws {
    try folder.write("hello", to: "notes.txt")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--store", "other.sqlite") == .silent)
    #expect(try folder.bolide("backup", "quakes.sqlite", "backup.sqlite") == .silent)
    for (file, other) in [("notes.txt", "notes.txt"), ("other.sqlite", "other.sqlite")] {
      #expect(
        try folder.bolide("backup", "quakes.sqlite", file)
          == .failure(
            64, "\(other): the file is not an earlier state of the store, and the backup would overwrite it",
            "Use another file, or remove this one first."))
    }
    for arguments in [
      ["backup", "quakes.sqlite", "./quakes.sqlite"], ["restore", "./quakes.sqlite", "quakes.sqlite"],
    ] {
      #expect(
        try run(arguments)
          == .failure(
            64, "quakes.sqlite: the backup and the store are the same file", "Use two different files."))
    }
    #expect(
      try folder.bolide("restore", "other.sqlite", "quakes.sqlite")
        == .failure(
          64, "quakes.sqlite: other.sqlite is a backup of another store",
          "Use the store that was backed up, or a path where no store exists."))
    #expect(try folder.bolide("restore", "notes.txt", "quakes.sqlite").status == 73)
    try folder.sqlite("backup.sqlite", "PRAGMA journal_mode = DELETE; PRAGMA page_size = 4096; VACUUM")
    #expect(
      try folder.bolide("restore", "backup.sqlite", "quakes.sqlite")
        == .failure(
          64, "quakes.sqlite: the page size differs from that of backup.sqlite",
          "End all programs that use the store, move it and its -wal and -shm files away, and restore again.")
    )
    var bytes = try folder.bytes(of: "backup.sqlite")
    for place in stride(from: 4096 * 6, to: bytes.count, by: 4096) { bytes[place + 3] ^= 0x55 }
    try folder.write(bytes, to: "damaged.sqlite")
    let damaged = try folder.bolide("restore", "damaged.sqlite", "quakes.sqlite")
    #expect(
      damaged
        == .failure(
          74, "damaged.sqlite: the backup is damaged, and nothing was restored",
          "Use an older backup, or list the problems of this one: bolide verify damaged.sqlite"))
    #expect(try quakes == ["a"])
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `a store that came through SQL text is adopted by one command`() throws {
    try feed("b")
    let last = try token
    _ = try folder.shell("sqlite3 quakes.sqlite .dump | sqlite3 dumped.sqlite")
    let unmarked = Outcome.failure(
      73,
      "dumped.sqlite: the store was loaded from an SQL dump, which lacks the mark of a Bolide store",
      "If it is your own store, mark it again: bolide verify dumped.sqlite --rebuild")
    for arguments in [
      ["import", "quakes.yaml", "feed.json", "--store", "dumped.sqlite"], ["verify", "dumped.sqlite"],
      ["changes", "dumped.sqlite"], ["status", "dumped.sqlite"],
    ] {
      #expect(try run(arguments) == unmarked, "\(arguments)")
    }
    #expect(
      try folder.bolide("verify", "dumped.sqlite", "--rebuild")
        == Outcome(
          status: 0,
          output: "repaired: the store was loaded from an SQL dump, and is marked as a store again\n"))
    #expect(try folder.bolide("changes", "dumped.sqlite", "--since", last) == .silent)
    #expect(
      try folder.bolide("import", "quakes.yaml", "feed.json", "--store", "dumped.sqlite", "--force")
        == .silent)
    #expect(try folder.bolide("verify", "dumped.sqlite", "--rebuild") == .silent)
    #expect(try folder.sqlite("dumped.sqlite", "PRAGMA journal_mode") == ["wal"])
    // What is no store is not made one.
    try folder.sqlite("other.sqlite", "CREATE TABLE bolide_store(id)")
    #expect(
      try folder.bolide("verify", "other.sqlite", "--rebuild").errors.hasPrefix(
        "Error: other.sqlite: the schema is not the one that Bolide created: the table bolide_model is missing"
      ))
    #expect(try folder.sqlite("other.sqlite", "PRAGMA application_id") == ["0"])
  }

  @Test func `a store that has lost its log is given it back by the next import, and status says so`() throws
  {
    try folder.sqlite("quakes.sqlite", "PRAGMA journal_mode = DELETE")
    let status = try folder.bolide("status", "quakes.sqlite")
    #expect(status.output.contains(", without the write-ahead log; an import restores it\n"), "\(status)")
    #expect(try folder.bolide("status", "quakes.sqlite", "--json").output.contains(#""hasLog":false"#))
    try feed("b")
    #expect(try folder.sqlite("quakes.sqlite", "PRAGMA journal_mode") == ["wal"])
    #expect(try folder.bolide("status", "quakes.sqlite").output.contains(", write-ahead log 0 bytes\n"))
  }

  // MARK: Files that others move

  @Test func `a store that has vanished is not made anew in silence`() throws {
    let last = try token
    _ = try folder.shell("mv quakes.sqlite away.sqlite")
    let gone = Outcome.failure(
      73, "quakes.sqlite: the store is missing; the file beside it contains its last token \(last)",
      "Mount or restore it, or create a new store: bolide import --create always")
    for arguments in [
      ["import", "quakes.yaml", "feed.json"], ["import", "quakes.yaml", "feed.json", "--dry-run"],
      ["import", "quakes.yaml", "feed.json", "--create", "if-new"], ["status", "quakes.yaml"],
      ["status", "-q", "quakes.yaml"],
    ] {
      #expect(try run(arguments) == gone, "\(arguments)")
    }
    let never = Outcome.failure(
      73, "quakes.sqlite: no such store, and `create: never` does not allow creating it",
      "Mount or restore it, or create it once: bolide import --create always")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--create", "never") == never)
    #expect(
      try folder.bolide("import", "quakes.yaml", "feed.json", "--create", "never", "--dry-run") == never)
    #expect(
      try folder.bolide("import", "quakes.yaml", "feed.json", "--create", "often").errors.contains(
        "'often' is not one of if-new, never, always"))
    #expect(try folder.shell("test -e quakes.sqlite").status == 1)
    try folder.write(Folder.quakes + "\ncreate: never\n", to: "quakes.yaml")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json") == never)
    try folder.write(Folder.quakes + "\ncreate: always\n", to: "quakes.yaml")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    #expect(try folder.bolide("changes", "quakes.sqlite", "--since", last).status == 82)
    // Who is not known here begins with all of it.
    #expect(
      try folder.bolide("changes", "quakes.sqlite", "--reader", "map")
        == .failure(
          64, "quakes.sqlite: there is no reader 'map'",
          "A new reader starts with a snapshot: bolide snapshot quakes.sqlite --reader map -- COMMAND"))
  }

  @Test(.enabled(if: geteuid() == 0 && hasProgram("setpriv"), "there is no way to become another user"))
  func `a store of another user is told as one`() throws {
    let outcome = try folder.shell(
      """
      cp "$bolide" ./tool; chmod a+rx . tool
      setpriv --reuid=65534 --regid=65534 --clear-groups ./tool status quakes.sqlite
      """)
    #expect(
      outcome
        == .failure(
          73, "quakes.sqlite: the store cannot be opened (Permission denied)",
          "Run the command as the store's owner, or let this user read it."))
  }

  @Test func `a limit on open files is told as one`() throws {
    var found: Set<String> = []
    for limit in 6...24 {
      let outcome = try folder.shell("ulimit -n \(limit)\n\"$bolide\" token quakes.sqlite")
      if outcome.status == 0 { break }
      found.insert(outcome.errors)
    }
    let sentence = Outcome.failure(
      73, "quakes.sqlite: the store cannot be opened (Too many open files)",
      "Close some files, or raise the limit on open files, and run the command again.")
    #expect(found.contains(sentence.errors), "\(found)")
  }

  /// Another program writes, and ends as in a power cut: its log stays, nothing of it in the store.
  private func crash() throws {
    let program = """
      import os, signal, sqlite3
      db = sqlite3.connect("quakes.sqlite")
      db.execute("UPDATE Quake SET magnitude = 7")
      db.commit()
      os.kill(os.getpid(), signal.SIGKILL)
      """
    #expect(try folder.run("python3", ["-c", program]).status == 137)
    try #require(try folder.bytes(of: "quakes.sqlite-wal").count > 0)
  }

  @Test func `an older file in the place of the store is seen before a newer log is copied over it`() throws {
    _ = try folder.shell("cp quakes.sqlite old.sqlite")
    for name in "bcdefghijk" { try feed(String(name)) }
    try crash()
    _ = try folder.shell("mkdir crashed; cp quakes.sqlite quakes.sqlite-* crashed")
    let refused = Outcome.failure(
      73,
      "quakes.sqlite: the store was replaced by an older file, and the log beside it belongs to the newer one",
      "To keep the older file, remove quakes.sqlite-wal and quakes.sqlite-shm; to keep the newer one, put it back."
    )
    for restore in ["cp old.sqlite quakes.sqlite", ": > quakes.sqlite"] {
      _ = try folder.shell(restore)
      for arguments in [
        ["import", "quakes.yaml", "feed.json"], ["fetch", "quakes.sqlite", "Quake"],
        ["status", "quakes.sqlite"],
        ["verify", "quakes.sqlite"], ["changes", "quakes.sqlite"],
        ["delete", "quakes.sqlite", "Quake", "--all"],
      ] {
        let outcome = try run(arguments)
        #expect(outcome == refused, "\(arguments): \(outcome)")
      }
    }
    // The way out, either way.
    _ = try folder.shell("cp crashed/* .")
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
    #expect(try folder.sqlite("quakes.sqlite", "SELECT DISTINCT magnitude FROM Quake") == ["7.0"])
    _ = try folder.shell("cp old.sqlite quakes.sqlite; rm -f quakes.sqlite-wal quakes.sqlite-shm")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--force") == .silent)
    #expect(try quakes == ["a", "k"])
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `a log whose store is gone is never copied into a new one`() throws {
    try crash()
    _ = try folder.shell("rm quakes.sqlite")
    #expect(
      try folder.bolide("import", "quakes.yaml", "feed.json", "--create", "always")
        == .failure(
          73, "quakes.sqlite: there is no store, but quakes.sqlite-wal, which would be copied into a new one",
          "Put back the store that it belongs to, or remove it and lose its content."))
    _ = try folder.shell("rm quakes.sqlite-wal quakes.sqlite-shm")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--create", "always") == .silent)
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `a crash while the log is copied is no older file`() throws {
    for name in "bcdefg" { try feed(String(name)) }
    try crash()
    for cut in 0..<12 {
      let folder = try Folder(copyOf: folder)
      // So far SQLite had come: page after page, in the order of their numbers.
      try folder.python(
        """
        import sys
        cut, wal = int(sys.argv[1]), open("quakes.sqlite-wal", "rb").read()
        size, pages = int.from_bytes(wal[8:12], "big"), {}
        for place in range(32, len(wal) - size - 23, size + 24):
          pages[int.from_bytes(wal[place:place + 4], "big")] = wal[place + 24:place + 24 + size]
        with open("quakes.sqlite", "r+b") as store:
          for number in sorted(pages)[:cut]:
            store.seek((number - 1) * size)
            store.write(pages[number])
        """, "\(cut)")
      #expect(try folder.bolide("verify", "quakes.sqlite") == .silent, "\(cut)")
      #expect(
        try folder.sqlite("quakes.sqlite", "SELECT DISTINCT magnitude FROM Quake") == ["7.0"], "\(cut)")
    }
  }
}
