// swift-tools-version: 6.2
// The package is the diagram: a module can import only what stands in its `dependencies`.
import PackageDescription

let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

// In these modules the compiler names every unsafe use: the first have none, the tool has a few calls of the system's.
let pointerFree = swiftSettings + [.strictMemorySafety()]

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let metrics = Target.Dependency.product(
  name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Metrics"]))
let tracing = Target.Dependency.product(
  name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"]))
let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

let package = Package(
  name: "bolide",
  platforms: [.macOS(.v26)],
  products: [
    .library(name: "Bolide", targets: ["Bolide"]),
    .library(name: "JSONStream", targets: ["JSONStream"]),
    .executable(name: "bolide", targets: ["BolideCommand"]),
    .executable(name: "bolide-bench", targets: ["BolideBenchCommand"]),
  ],
  // Both are off unless a program asks for them: then their packages are not even fetched.
  traits: [
    .trait(name: "Metrics", description: "Timers and counters of swift-metrics"),
    .trait(name: "Tracing", description: "Spans of swift-distributed-tracing"),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    // for tests alone: nobody who depends on this package gets it
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
  ],
  targets: [
    // a number's text → number
    .target(name: "NumberText", swiftSettings: swiftSettings),
    // bytes → record
    .target(name: "CJSONStream"),
    .target(name: "JSONStream", dependencies: ["CJSONStream", "NumberText"], swiftSettings: swiftSettings),
    // what an import means
    .target(name: "ImportModel", swiftSettings: pointerFree),
    // text → typed rows, in chunks
    .target(name: "TypedRows", dependencies: ["ImportModel", "NumberText"], swiftSettings: swiftSettings),
    // the pipeline's file → what an import means
    .target(
      name: "PipelineFile", dependencies: ["ImportModel", "TypedRows", yams], swiftSettings: pointerFree),
    // files, stdin, gzip → bytes
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "CSHA256"),
    .target(name: "ImportInput", dependencies: ["CZlib", "CSHA256"], swiftSettings: swiftSettings),
    // what a store is asked and answers, whatever engine keeps it
    .target(
      name: "StoreInterface", dependencies: ["ImportModel", "TypedRows"], swiftSettings: swiftSettings),
    // SQLite's statements, and a chunk as a table of SQLite's
    .target(
      name: "SQLiteAccess",
      dependencies: ["ImportModel", "TypedRows", "StoreInterface", grdb],
      swiftSettings: swiftSettings),
    // expressions over typed rows, the same for every engine
    .target(
      name: "RowExpressions",
      dependencies: ["ImportModel", "TypedRows", "StoreInterface", "SQLiteAccess", grdb],
      swiftSettings: swiftSettings),
    // bytes → typed rows, in chunks
    .target(
      name: "FeedReading",
      dependencies: [
        "JSONStream", "ImportInput", "ImportModel", "TypedRows", "StoreInterface", "RowExpressions",
      ],
      swiftSettings: swiftSettings),
    // what a feed is like: a pipeline's draft, and how a feed fits one
    .target(
      name: "FeedInference",
      dependencies: [
        "JSONStream", "ImportInput", "ImportModel", "PipelineFile", "TypedRows", "StoreInterface",
        "FeedReading",
      ],
      swiftSettings: swiftSettings),
    // what a chunk's rows do to rows that are there, the same for every engine
    .target(
      name: "ChunkMerging", dependencies: ["ImportModel", "TypedRows", "StoreInterface"],
      swiftSettings: swiftSettings),
    // a request → SQL: predicates, paths, fetched properties
    .target(
      name: "QueryPlans",
      dependencies: ["ImportModel", "StoreInterface", "SQLiteAccess", "RowExpressions", grdb],
      swiftSettings: swiftSettings),
    // a store's model and a pipeline's → what a migration does, the same for every engine
    .target(
      name: "ModelMerging",
      dependencies: ["ImportModel", "StoreInterface", "SQLiteAccess", "RowExpressions", "QueryPlans"],
      swiftSettings: swiftSettings),
    // what edits do to objects, the same for every engine
    .target(
      name: "ObjectEdits", dependencies: ["ImportModel", "TypedRows", "StoreInterface", "SQLiteAccess"],
      swiftSettings: swiftSettings),
    // typed rows → the store
    .systemLibrary(name: "CSQLiteShims", providers: [.apt(["libsqlite3-dev"])]),
    .target(
      name: "SQLiteStore",
      dependencies: [
        "ImportModel", "TypedRows", "StoreInterface", "ChunkMerging", "SQLiteAccess", "RowExpressions",
        "QueryPlans", "ModelMerging", "CSQLiteShims", grdb,
      ],
      swiftSettings: swiftSettings),
    // the store → objects, now, at a token, or in a pinned state
    .target(
      name: "SQLiteQueries",
      dependencies: [
        "ImportModel", "StoreInterface", "SQLiteAccess", "RowExpressions", "QueryPlans", "ModelMerging",
        "SQLiteStore", grdb,
      ],
      swiftSettings: swiftSettings),
    // what the keeper of a store does: verify, rebuild, migrate, missing rows, edits, status, copies
    .target(
      name: "SQLiteMaintenance",
      dependencies: [
        "ImportModel", "TypedRows", "StoreInterface", "ObjectEdits", "SQLiteAccess", "ModelMerging",
        "SQLiteStore",
        "SQLiteQueries", grdb,
      ],
      swiftSettings: swiftSettings),
    // PostgreSQL's statements and values
    .target(name: "CLibPQ"),
    .target(
      name: "PostgreSQLAccess", dependencies: ["CLibPQ", "ImportModel", "StoreInterface"],
      swiftSettings: swiftSettings),
    // typed rows → a store on a PostgreSQL server, and back
    .target(
      name: "PostgreSQLStore",
      dependencies: [
        "ImportModel", "TypedRows", "StoreInterface", "ChunkMerging", "RowExpressions", "QueryPlans",
        "ModelMerging", "ObjectEdits", "PostgreSQLAccess",
      ],
      swiftSettings: swiftSettings),
    // the loop that joins them, and the face for Swift programs
    .target(
      name: "Bolide",
      dependencies: [
        "JSONStream", "ImportModel", "PipelineFile", "ImportInput", "TypedRows", "StoreInterface",
        "FeedReading", "FeedInference", "RowExpressions", "SQLiteStore", "SQLiteQueries", "SQLiteMaintenance",
        "PostgreSQLAccess", "PostgreSQLStore",
        log, metrics, tracing,
      ],
      swiftSettings: swiftSettings),
    // what the tool and the bench have in common: exit statuses, standard streams, signals
    .target(
      name: "CommandSupport", dependencies: ["Bolide", argumentParser], swiftSettings: pointerFree),
    // shapes and text → SVG
    .target(name: "SVGDrawing", swiftSettings: pointerFree),
    // the tool
    .executableTarget(
      name: "BolideCommand", dependencies: ["Bolide", "CommandSupport", "SVGDrawing", argumentParser],
      swiftSettings: pointerFree),
    // generators and measures
    .target(name: "CSQLiteFloor", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
      name: "BolideBench",
      dependencies: [
        "Bolide", "JSONStream", "PostgreSQLAccess", "PostgreSQLStore", "SVGDrawing", "CSQLiteFloor",
        "CSQLiteShims",
        "CZlib", grdb,
      ],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "BolideBenchCommand", dependencies: ["Bolide", "BolideBench", "CommandSupport", argumentParser],
      swiftSettings: pointerFree),

    .testTarget(name: "JSONStreamTests", dependencies: ["JSONStream"], swiftSettings: swiftSettings),
    .testTarget(
      name: "ImportModelTests", dependencies: ["ImportModel", "PipelineFile"], swiftSettings: swiftSettings),
    .testTarget(
      name: "PipelineFileTests", dependencies: ["ImportModel", "PipelineFile"], swiftSettings: swiftSettings),
    .testTarget(
      name: "TypedRowsTests", dependencies: ["ImportModel", "TypedRows"], swiftSettings: swiftSettings),
    .testTarget(
      name: "ImportInputTests", dependencies: ["ImportInput", "CZlib", "CSHA256"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SQLiteStoreTests",
      dependencies: [
        "SQLiteStore", "SQLiteQueries", "SQLiteMaintenance", "QueryPlans", "SQLiteAccess", "RowExpressions",
        "ChunkMerging", "ModelMerging", "StoreInterface", "ImportModel", "TypedRows", "PipelineFile",
        "Bolide", "TestServer",
        grdb,
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "EngineLawTests", dependencies: ["Bolide", "PlainEngine", "StoreInterface", "TestServer"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "BolideTests",
      dependencies: [
        "Bolide", "FeedReading", "FeedInference", grdb, log,
        .product(
          name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
        .product(
          name: "InMemoryTracing", package: "swift-distributed-tracing",
          condition: .when(traits: ["Tracing"])),
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "PostgreSQLStoreTests",
      dependencies: [
        "Bolide", "ImportModel", "PostgreSQLAccess", "PostgreSQLStore", "RandomHistories", "StoreInterface",
        "TestServer",
      ],
      swiftSettings: swiftSettings),
    // a service with the library, as an example
    .testTarget(
      name: "ServiceTests", dependencies: ["Bolide", lifecycle, log], swiftSettings: swiftSettings),
    .testTarget(
      name: "BolideCommandTests", dependencies: ["Bolide", "BolideBench", "TestServer", grdb],
      swiftSettings: swiftSettings),

    // a PostgreSQL server for tests
    .target(name: "TestServer", path: "Tests/TestServer", swiftSettings: swiftSettings),
    // what a store must hold and tell, as plainly as can be, and random histories that both run
    .target(name: "PlainStore", path: "Tests/PlainStore", swiftSettings: pointerFree),
    .target(
      name: "PlainEngine", dependencies: ["PlainStore", "ImportModel", "TypedRows", "StoreInterface"],
      path: "Tests/PlainEngine", swiftSettings: swiftSettings),
    .target(
      name: "RandomHistories", dependencies: ["PlainStore", "PlainEngine", "StoreInterface", "Bolide", grdb],
      path: "Tests/RandomHistories",
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "histories", dependencies: ["Bolide", "RandomHistories", "StoreInterface", "TestServer"],
      path: "Tests/Histories",
      swiftSettings: swiftSettings),
    .testTarget(
      name: "RandomHistoryTests",
      dependencies: ["Bolide", "RandomHistories", "StoreInterface", "TestServer"],
      swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6]
)

// For .ci/fuzz alone: a program whose main function is libFuzzer's.
if Context.environment["BOLIDE_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "Bolide", "ImportInput", "RowExpressions", "SQLiteQueries", "SQLiteMaintenance", "SQLiteStore",
        "CZlib", grdb,
      ],
      path: "Tests/Fuzz",
      swiftSettings: swiftSettings + [.unsafeFlags(["-parse-as-library"])]))
}

// For .ci/sanitize, which builds no more tests than it runs.
if let target = Context.environment["BOLIDE_TEST_TARGET"] {
  package.targets.removeAll { $0.type == .test && $0.name != target }
}

// For .ci/run, which builds tool, library and tests once: a release whose modules tests can see into. The tests themselves are
// not optimized, as that takes longer than they run. The tool has Swift's libraries in it, as the one that is installed: it
// is started some thousand times, and that takes half as long then.
if Context.environment["BOLIDE_TESTABLE_RELEASE"] != nil {
  for target in package.targets {
    target.swiftSettings?.append(
      .unsafeFlags(
        target.type == .test
          ? ["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"] : ["-enable-testing"]))
    #if os(Linux)
      if target.name == "BolideCommand" {
        let libraries = [
          "Foundation", "FoundationInternationalization", "FoundationEssentials", "CoreFoundation",
          "_FoundationCollections", "_FoundationCShims", "_FoundationICU", "dispatch", "BlocksRuntime",
        ]
        target.linkerSettings = [.unsafeFlags(["-static-stdlib"] + libraries.map { "-l\($0)" })]
      }
    #endif
  }
}
