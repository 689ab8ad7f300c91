import Foundation
import Testing

#if os(Linux)
  /// A system that gives no further thread: an import says so, and does not wait for one that never comes.
  @Suite(.enabled(if: hasProgram("cc"), "there is no C compiler")) struct ThreadLimitTests {
    private let folder: Folder

    /// Refuses the threads that an import makes, which have a stack of their own size, as a limit on processes does.
    private static let library = """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <errno.h>
      #include <pthread.h>
      #include <stdlib.h>
      typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
      int pthread_create(pthread_t *thread, const pthread_attr_t *as, void *(*body)(void *), void *value) {
        size_t size = 0;
        if (as) pthread_attr_getstacksize(as, &size);
        if (size == 4 << 20 || getenv("NONE")) return EAGAIN;
        return ((create *)dlsym(RTLD_NEXT, "pthread_create"))(thread, as, body, value);
      }

      """

    init() throws {
      folder = try Folder.withQuakes()
      try folder.write(#"[{"id": "a"}]"#, to: "feed.json")
      try folder.write(Self.library, to: "few.c")
      try #require(try folder.run("cc", ["-shared", "-fPIC", "-o", "few.so", "few.c", "-ldl"]).status == 0)
    }

    @Test(arguments: ["", "--atomic", "--dry-run"]) func `an import without a thread to read says so`(
      option: String
    ) throws {
      let outcome = try folder.run(
        "env",
        ["LD_PRELOAD=./few.so", Folder.tool, "import", "quakes.yaml", "feed.json"]
          + [option].filter { $0 != "" })
      let nothing = option == "--atomic" ? "Nothing of this import is in the store. " : ""
      #expect(
        outcome
          == .failure(
            74, "the system cannot start another thread for this process",
            nothing
              + "Raise the limit on processes or end some, and run the same command: no row is duplicated."))
      try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
      #expect(try folder.sqlite("quakes.sqlite", "SELECT id FROM Quake") == ["a"])
      #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
    }

    /// Dispatch would wait for one, for ever, when a connection is closed.
    @Test(arguments: [["changes", "quakes.sqlite", "--count"], ["import", "quakes.yaml", "feed.json"]])
    func `a command that can have no thread at all does not begin`(arguments: [String]) throws {
      try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
      let running = try Running(
        "/usr/bin/env", ["LD_PRELOAD=./few.so", "NONE=1", Folder.tool] + arguments, in: folder,
        input: .nothing)
      #expect(
        try running.outcome(within: 20)
          == .failure(
            74, "the system cannot start another thread for this process",
            "Raise the limit on processes or end some, and run the same command: no row is duplicated."))
    }

    @Test func `a follower without a thread for signals ends with the first one`() throws {
      try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
      let running = try Running(
        "/usr/bin/env", ["LD_PRELOAD=./few.so", Folder.tool, "changes", "quakes.sqlite", "--follow"],
        in: folder,
        input: .nothing)
      usleep(1_000_000)
      running.send(SIGTERM)
      #expect(try running.outcome(within: 20).status == 128 + SIGTERM)
    }
  }
#endif
