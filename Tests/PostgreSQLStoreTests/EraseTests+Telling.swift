import Bolide
import PostgreSQLAccess
import StoreInterface
import Testing

/// All that two stores tell, after an erasure too.
extension EraseTests {
  /// Without what each store gives out itself.
  func plain(_ text: String) -> String {
    text.replacing(#/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/#, with: "TIME")
      .replacing(#/b1-[0-9a-z-]+/#, with: "TOKEN")
  }

  private func line(_ change: HistoryChange) -> String {
    let previous = change.previous.map { "\($0.name)=\($0.value)" }.sorted()
    return "\(change.transaction) \(change.kind) \(change.entity) \(change.id) \(change.key.map(\.value)) "
      + "\(previous) \(change.values.map { $0.map { "\($0.name)=\($0.value)" }.sorted() } ?? []) "
      + "\(change.isDerived) \(change.erased.map { "\($0)" } ?? "")"
  }

  /// All that a store tells, over every other one of its states.
  private func told(_ store: Store) async throws -> String {
    var lines: [String] = []
    for entity in Self.entities {
      for row in try await store.fetch(ObjectQuery(entity)) {
        lines.append("\(entity) \(row.id) \(row.values.map { "\($0.name)=\($0.value)" })")
      }
    }
    var tokens = [try await store.history(HistoryRequest()).first?.token].compactMap(\.self)
    tokens += try await store.history(HistoryRequest()).dropFirst().map(\.token)
    for (place, start) in tokens.enumerated() where place % 2 == tokens.count % 2 {
      let ends = tokens[(place + 1)...]
      for end in ends.prefix(1) + ends.dropFirst().suffix(1) {
        var request = HistoryRequest(after: start)
        (request.end, request.isNet, request.includesValues) = (.token(end), true, true)
        lines += try await store.history(request).flatMap(\.changes).map { "\(place) net \(line($0))" }
          .sorted()
      }
      var request = HistoryRequest(after: start)
      (request.isNet, request.attributes, request.includesValues) = (true, ["email", "best"], true)
      lines += try await store.history(request).flatMap(\.changes).map { "\(place) some \(line($0))" }
        .sorted()
      for entity in Self.entities {
        lines.append("\(place) \(entity): \(try await state(store, entity, start))")
      }
      lines.append("\(place) diff: \(try await difference(store, start))")
      lines.append("\(place) revert: \(try await reverted(store, start))")
    }
    lines += try await folded(store)
    for entity in Self.entities {
      for id in Int64(1)...3 { lines.append("log \(entity) \(id): \(try await log(store, entity, id))") }
    }
    try store.engine.readRejects(RejectFilter()) { kept in
      lines.append(
        "reject \(kept.pipeline) \(kept.firstRun) \(kept.times) \(kept.reject.code) \(kept.reject.text ?? "") "
          + "\(kept.reject.around ?? "")")
    }
    for finding in try await store.verify() { lines.append("verify: \(finding)") }
    return lines.joined(separator: "\n")
  }

  private func refusal(_ body: () async throws -> String) async throws -> String {
    do { return try await body() } catch let error as StoreError {
      return "\(error.code) \(plain(error.reason)) \(error.hint ?? "")"
    }
  }

  private func state(_ store: Store, _ entity: String, _ token: HistoryToken) async throws -> String {
    try await refusal {
      let rows = try await store.fetch(ObjectQuery(entity), at: token)
      return rows.map { "\($0.id) \($0.values.map { "\($0.name)=\($0.value)" })" }.joined(separator: "; ")
    }
  }

  private func difference(_ store: Store, _ token: HistoryToken) async throws -> String {
    try await refusal {
      let newest = try await store.newestToken()
      let found = try store.engine.difference(of: ObjectQuery("City"), from: token, to: newest)
      return "\(found)"
    }
  }

  private func reverted(_ store: Store, _ token: HistoryToken) async throws -> String {
    try await refusal {
      let report = try await store.revert(to: token, options: EditOptions(isTrial: true))
      return text(report.edit)
        + report.left.map { " \($0.entity) \($0.id) \($0.key.map(\.value)) \($0.reason)" }.joined()
    }
  }

  /// Every change, those of one object in one transaction as one: a server keeps no more of them.
  private func folded(_ store: Store) async throws -> [String] {
    var request = HistoryRequest()
    request.includesValues = true
    var folded: [String: HistoryChange] = [:]
    for change in try await store.history(request).flatMap(\.changes) {
      let name = "\(change.transaction) \(change.entity) \(change.id)"
      guard var one = folded[name] else {
        folded[name] = change
        continue
      }
      if one.kind == .update {
        one.kind = change.kind
        for value in change.previous where !one.previous.contains(where: { $0.name == value.name }) {
          one.previous.append(value)
        }
        one.key = change.key
        one.isDerived = one.isDerived && change.isDerived
        one.erased = one.erased ?? change.erased
      }
      folded[name] = one
    }
    return folded.sorted { $0.key < $1.key }.map { "change \(line($0.value))" }
  }

  /// The same of an object's log.
  private func log(_ store: Store, _ entity: String, _ id: Int64) async throws -> String {
    try await refusal {
      var lines: [String] = []
      for (number, changes) in Dictionary(
        grouping: try await store.log(of: entity, .id(id)), by: \.transaction
      ).sorted(by: { $0.key < $1.key }) {
        var old: [String: Value] = [:]
        var new: [String: Value] = [:]
        for difference in changes.flatMap(\.differences) {
          old[difference.name] = old[difference.name] ?? difference.old
          new[difference.name] = difference.new
        }
        let names = old.keys.sorted().filter { old[$0] != new[$0] }
        lines.append(
          "\(number) \(changes[0].author ?? "") \(changes.contains(where: \.isErased)) "
            + "\(changes.map(\.kind).first ?? .update) "
            + names.map { "\($0): \(old[$0] ?? .null) > \(new[$0] ?? .null)" }.joined(separator: ", "))
      }
      return lines.joined(separator: "; ")
    }
  }

  func compare(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let (file, server) = (try await told(stores[0]), try await told(stores[1]))
    if file == server { return }
    let (expected, held) = (file.split(separator: "\n"), server.split(separator: "\n"))
    for change in held.difference(from: expected).prefix(12) {
      switch change {
      case .insert(_, let line, _): Issue.record("the server tells \(line)", sourceLocation: sourceLocation)
      case .remove(_, let line, _): Issue.record("it lacks \(line)", sourceLocation: sourceLocation)
      }
    }
  }

  /// What the server has of her values, wherever a table has a column of them.
  func found(_ words: [String]) throws -> [String] {
    let address = try #require(PostgreSQLAddress(stores[1].engine.path))
    let connection = try PostgreSQLConnection(address)
    let tables = try connection.run(
      """
      SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY 1
      """)
    var found: [String] = []
    for table in (0..<tables.count).map({ tables.text($0, 0) }) {
      for word in words {
        let rows = try connection.run(
          "SELECT count(*) FROM \"\(table)\" AS t WHERE t::text ILIKE '%' || $1 || '%'", [.text(word)])
        if rows.integer(0, 0) > 0 { found.append("\(table): \(word)") }
      }
    }
    let samples = try connection.run(
      """
      SELECT tablename || '.' || attname FROM pg_stats
      WHERE schemaname = current_schema() AND pg_stats::text ILIKE ANY (SELECT '%' || w || '%' FROM unnest($1::text[]) AS w)
      """, [.texts(words)])
    return found + (0..<samples.count).map { "samples of \(samples.text($0, 0))" }
  }
}
