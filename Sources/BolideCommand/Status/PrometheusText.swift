import Bolide

/// Metrics in the text format of Prometheus, without times of their own, as a textfile collector wants them.
struct PrometheusText {
  private var metrics: [(name: String, help: String, samples: [String])] = []

  init(_ stores: [StatusOfStore]) {
    let pipelines = stores.flatMap { store in store.pipelines.map { (store: store.path, pipeline: $0) } }
    func each(_ name: String, _ help: String, _ value: (PipelineStatus) -> Double?) {
      add(
        name, help,
        pipelines.compactMap { at in
          value(at.pipeline).map { ([("store", at.store), ("pipeline", at.pipeline.name)], $0) }
        })
    }
    each("bolide_last_good_run_timestamp_seconds", "When the last good run ended.") { $0.lastGoodRun?.time }
    each("bolide_last_change_timestamp_seconds", "When the last run ended that changed something.") {
      $0.lastChange?.time
    }
    each("bolide_last_run_good", "Whether the last run was good; absent while none has ended.") {
      $0.lastRun?.outcome.map { $0 == RunOutcome.good ? 1 : 0 }
    }
    each("bolide_last_run_duration_seconds", "How long the last run took.") { $0.lastRun?.seconds }
    each("bolide_overdue", "Whether the last good run is older than max-age.") { $0.isOverdue ? 1 : 0 }
    each("bolide_max_age_seconds", "How old the last good run may be.") { $0.maxAge }
    each("bolide_open_rejects", "Rejected records that the store keeps.") { Double($0.openRejects) }
    each(
      "bolide_missing_rows",
      "Rows that a full feed had once and not in the last run; absent where that run cannot tell."
    ) {
      $0.lastRun?.progress.missing.map(Double.init)
    }
    add(
      "bolide_last_run_records", "Records of the last run.",
      pipelines.flatMap { at in
        (at.pipeline.lastRun?.progress.counts.parts ?? []).map { part in
          ([("store", at.store), ("pipeline", at.pipeline.name), ("became", part.name)], Double(part.count))
        }
      })
    func store(_ name: String, _ help: String, _ value: (StoreStatus) -> Int64?) {
      add(
        name, help,
        stores.compactMap { at in at.status.flatMap(value).map { ([("store", at.path)], Double($0)) } })
    }
    add(
      "bolide_rows", "Objects of an entity.",
      stores.flatMap { at in
        (at.status?.entities ?? []).map { ([("store", at.path), ("entity", $0.entity)], Double($0.rows)) }
      })
    let readers = stores.flatMap { at in
      (at.status?.readers ?? []).map { (labels: [("store", at.path), ("reader", $0.name)], reader: $0) }
    }
    add(
      "bolide_reader_lag_seconds", "How long the oldest unread transaction waits.",
      readers.map {
        ($0.labels, $0.reader.secondsBehind)
      })
    add(
      "bolide_reader_live", "Whether a reader can go on from its place.",
      readers.map {
        ($0.labels, $0.reader.state == .live ? 1 : 0)
      })
    store("bolide_pins", "Pinned states: states of the store that programs are reading.") {
      Int64($0.pins.count)
    }
    add(
      "bolide_oldest_pin_age_seconds", "Age of the oldest pinned state.",
      stores.compactMap { at in
        at.status?.pins.map(\.age).max().map { ([("store", at.path)], $0) }
      })
    store("bolide_store_bytes", "The store's size.") { $0.bytes }
    store("bolide_wal_bytes", "The write-ahead log's size.") { $0.walBytes }
    store("bolide_history_transactions", "Transactions that are kept.") { $0.transactions }
    store("bolide_history_changes", "Changes that are kept.") { $0.changes }
    store("bolide_pending_changes", "Changes of other programs in no transaction yet.") {
      $0.pendingChanges
    }
    store("bolide_dirty_owners", "Objects whose derived attributes are to be computed anew.") {
      $0.dirtyOwners
    }
    store("bolide_open_erasures", "Erasures whose objects may still be in free pages and in the log.") {
      $0.openErasures
    }
    store("bolide_trigger_problems", "Bolide's triggers that are missing or altered.") {
      Int64($0.upkeep.triggers.count)
    }
    store("bolide_index_problems", "Keys, constraints and indexes that are missing.") {
      Int64($0.upkeep.indexes.count)
    }
  }

  var text: String {
    metrics.map { metric in
      "# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) gauge\n" + metric.samples.joined()
    }.joined()
  }

  private mutating func add(
    _ name: String, _ help: String, _ samples: [(labels: [(String, String)], value: Double)]
  ) {
    guard !samples.isEmpty else { return }
    let lines = samples.map { sample in
      let labels = sample.labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
      return "\(name){\(labels)} \(Self.number(sample.value))\n"
    }
    metrics.append((name, help, lines))
  }

  private static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "\"": result.append(contentsOf: ["\\", scalar])
      case "\n": result.append(contentsOf: ["\\", "n"])
      // Some readers of the format end a line here too.
      case "\r": result.append(" ")
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map(String.init) ?? value.description
  }
}
