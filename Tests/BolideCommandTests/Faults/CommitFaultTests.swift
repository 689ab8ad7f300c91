import BolideBench
import Foundation
import Testing

/// A transaction whose COMMIT fails leaves no trace: no number is lost, and no reader is told that the store was restored.
@Suite struct CommitFaultTests {
  private let folder: Folder
  private static let store = "fireballs.sqlite"

  private static let fixture = Fixture {
    let folder = try Folder.withFireballs()
    try folder.generate(FireballFeed(rows: 1_000, seed: 2), to: "before.json")
    try folder.generate(FireballFeed(rows: 5_000, seed: 3), to: "feed.json")
    try folder.generate(FireballFeed(rows: 1_000, seed: 3), to: "few.json")
    try #require(try folder.bolide("import", "fireballs.yaml", "before.json") == .silent)
    try #require(try folder.bolide("readers", store, "add", "map", "--from", "now") == .silent)
    #if os(Linux)
      for (name, program) in ["sync": sync, "write": write] {
        try folder.write(program, to: "\(name).c")
        let arguments = ["-shared", "-fPIC", "-o", "\(name).so", "\(name).c", "-ldl"]
        try #require(try folder.run("cc", arguments).status == 0)
      }
    #endif
    return folder
  }

  init() throws { folder = try Self.fixture.copy() }

  /// Each with the limit that lets it come as far as its COMMIT: the shell counts in blocks of 512 or 1024 bytes.
  @Test(arguments: [
    (2_000, "import fireballs.yaml feed.json --chunk-rows 100"),
    (600, "import fireballs.yaml feed.json --atomic"),
    (200, "import fireballs.yaml feed.json --chunk-rows 1000"),
    (200, "delete \(store) Fireball --all"),
    (200, "migrate \(store) fewer.yaml --drop Fireball.altitude"),
    (60, "prune \(store) --keep-transactions 0"),
    (60, "token \(store)"),
    (60, "verify \(store) --rebuild"),
    (20, "readers \(store) add other --from now"),
    (20, "readers \(store) reset map --from now"),
  ]) func `where a commit fails, readers stay live and go on`(blocks: Int, command: String) throws {
    let whole = try String(decoding: folder.bytes(of: "fireballs.yaml"), as: UTF8.self)
    try folder.write(
      whole.split(separator: "\n").filter { !$0.contains("altitude:") }.joined(separator: "\n"),
      to: "fewer.yaml")
    let isForeign = command.hasPrefix("token") || command.hasPrefix("prune")
    // What another program has left gets a transaction by the command itself.
    if isForeign { try folder.sqlite(Self.store, "UPDATE Fireball SET energy = 1 + ifnull(energy, 0)") }
    let outcome = try folder.shell("ulimit -f \(blocks)\n\"$bolide\" \(command)")
    #expect(outcome.status == 74, "\(outcome)")
    try #require(try folder.bolide("import", "fireballs.yaml", "feed.json") == .silent)
    #expect(try folder.sqlite(Self.store, "SELECT count(*) FROM bolide_lost") == ["0"])
    #expect(try folder.bolide("readers", Self.store).output.contains(#""state":"live""#))
    let changes = try folder.bolide("changes", Self.store, "--reader", "map")
    #expect(changes.status == 0 && changes.errors.isEmpty && changes.lines.count > 5_000)
    #expect(try folder.bolide("verify", Self.store) == .silent)
  }

  #if os(Linux)
    /// Lets no sync of the log succeed from one on.
    private static let sync = """
      #include <errno.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <unistd.h>
      static int left = -1;
      static int fails(int file) {
        char link[64], name[4096];
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        ssize_t size = readlink(link, name, sizeof name);
        if (size < 4 || memcmp(name + size - 4, "-wal", 4)) return 0;
        if (left < 0) left = atoi(getenv("FROM"));
        if (left > 1) return left--, 0;
        errno = EIO;
        return 1;
      }
      int fsync(int file) { return fails(file) ? -1 : 0; }
      int fdatasync(int file) { return fails(file) ? -1 : 0; }
      """

    /// Lets one of the writes into the file of a new store fail.
    private static let write = """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <errno.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <unistd.h>
      ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t place) {
        static int left;
        char link[64], name[4096];
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        ssize_t count = readlink(link, name, sizeof name - 1);
        name[count < 0 ? 0 : count] = 0;
        char *ours = strstr(name, ".bolide-new-");
        if (ours && !strstr(ours, "-wal") && ++left == atoi(getenv("NUMBER"))) return errno = EIO, -1;
        return ((__typeof__(&pwrite64))dlsym(RTLD_NEXT, "pwrite64"))(file, bytes, size, place);
      }
      """

    /// The log cannot be synced any more, from one of its syncs on: SQLite has written the commit by then, and calls it none.
    @Test(arguments: 1...8, [false, true])
    func `what became of an atomic import whose commit failed is told as it is`(from: Int, isReplay: Bool)
      throws
    {
      if isReplay {
        // Its records are kept, which a pipeline without the check takes.
        let whole = try String(decoding: folder.bytes(of: "fireballs.yaml"), as: UTF8.self)
        try folder.write(
          whole.replacing("check: [", with: "check: [energy IS NULL AND energy IS NOT NULL, "),
          to: "none.yaml")
        try #require(try folder.bolide("import", "none.yaml", "few.json").status == 65)
      }
      let before = try folder.count("Fireball", in: Self.store)
      let outcome = try folder.shell(
        #"FROM=\#(from) LD_PRELOAD="$PWD/sync.so" "$bolide" import fireballs.yaml \#(isReplay ? "--replay" : "few.json") --atomic"#
      )
      let isStored = try folder.count("Fireball", in: Self.store) > before
      let hint = outcome.errors.split(separator: "\n").last.map(String.init) ?? ""
      switch outcome.status {
      case 0: #expect(isStored)
      case 74:
        let fate =
          isStored ? "All of this import is in the store." : "Nothing of this import is in the store."
        let open =
          "Either all or nothing of this import is in the store: the next command that opens it shows which."
        #expect(!hint.contains(open), "\(outcome)")
        // Before it had begun there is nothing to tell.
        #expect(
          hint.hasPrefix("       \(fate) ") || !isStored && !hint.contains("this import is in"), "\(outcome)")
      default: Issue.record("\(outcome)")
      }
      try #require(try folder.bolide("import", "fireballs.yaml", "few.json") == .silent)
      #expect(try folder.sqlite(Self.store, "SELECT count(*) FROM bolide_lost") == ["0"])
      #expect(try folder.bolide("verify", Self.store) == .silent)
    }

    /// A new store is copied out of its log before it has its name; one of these writes fails.
    @Test(arguments: 1...12) func `a new store is whole or not there, whichever of its writes fails`(
      number: Int
    ) throws {
      try folder.shell("rm -f \(Self.store)*").expectSilence()
      let outcome = try folder.shell(
        #"NUMBER=\#(number) LD_PRELOAD="$PWD/write.so" "$bolide" import fireballs.yaml few.json"#)
      #expect(outcome.status == 0 || outcome.status == 74, "\(outcome)")
      #expect(
        FileManager.default.fileExists(atPath: folder.path(Self.store)) == (outcome.status == 0), "\(outcome)"
      )
      try #require(try folder.bolide("import", "fireballs.yaml", "few.json").status == 0)
      #expect(try folder.sqlite(Self.store, "PRAGMA integrity_check") == ["ok"])
      #expect(try folder.bolide("verify", Self.store) == .silent)
    }
  #endif
}
