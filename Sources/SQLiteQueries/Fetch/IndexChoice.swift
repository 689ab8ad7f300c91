internal import GRDB
internal import QueryPlans
internal import SQLiteAccess
internal import SQLiteStore
internal import StoreInterface

extension FetchQuery {
  /// How the fetched objects are found.
  enum Access {
    /// As SQLite chooses.
    case planned
    /// By an index, whatever has to be sorted then.
    case searched
    /// By reading all of them in the order of their ids.
    case scanned
  }

  /// The quicker way to objects in the order of their ids.
  ///
  /// SQLite assumes that `magnitude > 5` holds for a quarter of the objects, whatever their values: without a limit it reads all
  /// of them rather than sort a quarter, and with a limit it sorts all that an index finds. So the objects that the index finds
  /// are counted first, up to the number from which on reading all is quicker.
  ///
  /// - Parameter columns: what is read.
  /// - Complexity: O(√(limit × objects)), and at most a sixteenth of the objects.
  func access(_ columns: [String], _ db: Database) throws -> Access {
    guard plan.predicate != nil, plan.order.isEmpty, past == nil, !plan.isGrouped else { return .planned }
    let ordered = try search(sorted(columns), db)
    // An index in which equal values are in the order of ids.
    if ordered.isMade, !ordered.isSorted { return .planned }
    guard try ordered.isMade || search(text(columns), db).isMade else { return .planned }
    let objects = Double(
      try max(0, db.integer("SELECT ifnull(max(bolide_id), 0) FROM \(source(plan.tree.nodes[0].entity))")))
    // With M matches, evenly spread, a scan reads wanted × objects / M of the objects, and a search all M.
    let wanted = request.limit.map { Double($0) + Double(request.offset) } ?? objects
    let most = Int64(min(objects / 16, (wanted * objects).squareRoot()))
    let count = try statement("SELECT count(*) FROM (\(text(["1"])) LIMIT \(most))", db)
    defer { count.reset() }
    return try step(count) && count.integer(0) < most ? .searched : .scanned
  }

  /// Whether SQLite would find the fetched objects by an index, and sort what it finds.
  ///
  /// The words of its plans are for people: should they change, its own choice stays.
  private func search(_ sql: String, _ db: Database) throws -> (isMade: Bool, isSorted: Bool) {
    let plan = try statement("EXPLAIN QUERY PLAN \(sql)", db)
    defer { plan.reset() }
    var (isMade, isSorted) = (false, false)
    while try plan.step() {
      let line = plan.string(3) ?? ""
      // Not the object id, INTEGER PRIMARY KEY, and no AUTOMATIC INDEX of this query alone.
      let uses = ["INDEX ", "COVERING INDEX "].map { "\(JoinTree.alias(0)) USING \($0)" }
      if line.hasPrefix("SEARCH"), uses.contains(where: line.contains) { isMade = true }
      if line.hasSuffix("ORDER BY") { isSorted = true }
    }
    return (isMade, isSorted)
  }
}
