internal import ImportModel

extension PipelineFormat {
  /// How its imports run.
  package static let settings = [
    FormatKey(
      "atomic", .boolean,
      "whether the whole input is imported in one transaction, or nothing; default: `false`"),
    FormatKey(
      "max-rejects", .form(#"^([0-9]+|[0-9]+(\.[0-9]+)?%)$"#),
      "the maximum of rejected records, such as `5` or `2%`; default: 0", examples: ["2%"]),
    FormatKey(
      "min-records", .number(1...Int.max),
      "the minimum number of records in an input; an import of fewer fails, see [Guards](#Guards); default: "
        + "no minimum",
      examples: ["500"]),
    FormatKey(
      "max-missing", .form(#"^[0-9]+(\.[0-9]+)?%$"#),
      "with `feed: full`, the maximum share of the last complete run's rows that an input may lack, such as "
        + "`5%`; an import of one that lacks more fails, see [Guards](#Guards); default: no maximum",
      examples: ["5%"]),
    FormatKey(
      "max-changed", .form(#"^[0-9]+(\.[0-9]+)?%$"#),
      "the maximum share of the rows read that may have other values than after the last good run, such as "
        + "`50%`; an import that changes more fails, see [Guards](#Guards); default: no maximum",
      examples: ["50%"]),
    FormatKey(
      "max-records", .number(1...Int.max),
      "the maximum number of records in an input, see [Bounds of an input](#Bounds-of-an-input); "
        + "default: no limit",
      examples: ["1000000"]),
    FormatKey(
      "max-bytes", .form(size),
      "the maximum size of an input, also after decompression, such as `2GiB`; default: no limit",
      examples: ["2GiB"]),
    FormatKey(
      "max-time", .form(#"^[0-9]+(\.[0-9]+)?[smhdwy]?$"#),
      "the maximum duration of an import, including waiting for input, such as `30m`; default: no limit",
      examples: ["30m"]),
    FormatKey(
      "stop-on-reject", .boolean, "whether the import stops at the first rejected record; default: `false`"),
    FormatKey(
      "commit", .words(SettingsFile.commits.map(\.word)),
      "of several inputs in one import, whether transactions also end with each input, or small inputs share them: "
        + "\(words(SettingsFile.commits.map(\.word))), see <doc:Runs>; default: `input`"),
    FormatKey(
      "sort", .words(SettingsFile.sorts.map(\.word)),
      "whether records are sorted by key, in a temporary file, before the first is imported: "
        + "\(words(SettingsFile.sorts.map(\.word))), see <doc:Runs>; default: `none`"),
    FormatKey(
      "chunk-rows", .number(1...Int(Int32.max)),
      "the number of records per transaction; default: chosen from the load",
      examples: ["10000"]),
    FormatKey(
      "lock-wait", .form(#"^[0-9]+(\.[0-9]+)?[smhdwy]?$"#),
      "how long to wait for a lock, such as `30s`; default: `10m`", examples: ["30s"]),
    FormatKey(
      "wal-limit", .form(size),
      "the maximum size of the write-ahead log while other programs read, such as `256MiB`; default: "
        + "`1GiB`",
      examples: ["256MiB"]),
    FormatKey(
      "memory", .form(size),
      "how much memory an import takes, from `48MiB` to `4GiB`; with more of it a large load in random order takes less time, with "
        + "less the longest record is shorter than 64 MiB, such as 3 MiB with `48MiB`; where a control group (cgroup) "
        + "allows less than this, the page cache and the queue of chunks are smaller, and the chunks are not; default: `96MiB`",
      examples: ["48MiB"]),
    FormatKey(
      "connections", .number(ImportSettings.connectionCounts),
      "into a store on a server, over how many connections records are imported side by side, see <doc:Servers>; a store in a "
        + "file has one writer; default: `1`",
      examples: ["2"]),
    FormatKey(
      "reject-rows", .number(0...Int(Int32.max)),
      "the maximum number of rejected records that a run keeps, the first ones; the others are counted "
        + "only; default: `10000`",
      examples: ["1000"]),
    FormatKey(
      "reject-text", .form(size),
      "how much of each rejected record is kept; default: `64KiB`", examples: ["8KiB"]),
    FormatKey(
      "reject-total", .form(size),
      "how much is kept of all rejected records of a run; default: `64MiB`", examples: ["8MiB"]),
    FormatKey(
      "on-new-field", .words(SettingsFile.newFields.map(\.word)),
      "what to do if the feed has a new field: \(words(SettingsFile.newFields.map(\.word))), see <doc:Runs>; "
        + "default: `warn`"),
    FormatKey(
      "on-absent-field", .words(SettingsFile.absentFields.map(\.word)),
      "what to do if no record has a field that the pipeline uses and earlier inputs had: "
        + "\(words(SettingsFile.absentFields.map(\.word))), see <doc:Runs>; default: `warn`"),
    FormatKey(
      "show-values", .boolean,
      "whether messages show values of rejected records and new fields, shortened; default: `false`"),
    FormatKey(
      "force", .boolean, "whether a file is imported even if it is recognised as unchanged; default: `false`"),
    FormatKey(
      "create", .words(SettingsFile.creations.map(\.word)),
      "whether to create a store that does not exist: \(words(SettingsFile.creations.map(\.word))), see <doc:Operations>; "
        + "default: `if-new`"),
  ]
}
