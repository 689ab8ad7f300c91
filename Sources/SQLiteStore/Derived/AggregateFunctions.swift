internal import GRDB
internal import GRDBSQLite
internal import QueryPlans
internal import SQLiteAccess

/// The SQL functions by which Bolide's own connections compute what a fetch asks of groups, as derived attributes are computed.
enum AggregateFunctions {
  /// Makes a connection know the functions.
  static func add(to db: Database) throws {
    try db.add(aggregate: AggregateSQL.integerSum, arguments: 3, step) { context in
      let state = AggregateFunctions.take(context)
      guard state?.isUnknown != true, let sum = Int64(exactly: state?.integer ?? 0) else {
        return sqlite3_result_null(context)
      }
      sqlite3_result_int64(context, sum)
    }
    try db.add(aggregate: AggregateSQL.realSum, arguments: 3, step) { context in
      let state = AggregateFunctions.take(context)
      guard state?.isUnknown != true, let sum = (state?.real ?? WideSum()).rounded else {
        return sqlite3_result_null(context)
      }
      sqlite3_result_double(context, sum)
    }
    try db.add(aggregate: AggregateSQL.average, arguments: 3, step) { context in
      guard let mean = AggregateFunctions.take(context)?.mean else { return sqlite3_result_null(context) }
      sqlite3_result_double(context, mean)
    }
  }

  /// The sum of one group while its objects go by.
  private final class State {
    var count: Int64 = 0
    var integer: Int128 = 0
    var real = WideSum()
    var scale = 0
    /// One of the values is a total that no number of its type is.
    var isUnknown = false

    /// Nil for no values, and for what doubles cannot tell.
    var mean: Double? {
      guard count > 0, !isUnknown else { return nil }
      var sum = real
      var (rest, place) = (integer.magnitude, integer < 0 ? -1.0 : 1.0)
      while rest > 0 {
        sum.add(Double(rest & 0xffff_ffff) * place)
        (rest, place) = (rest >> 32, place * 0x1p32)
      }
      return sum.quotient(by: count, scale: scale)
    }
  }

  /// Where SQLite keeps a group's state.
  private static func place(_ context: OpaquePointer?, making size: Int32) -> UnsafeMutablePointer<
    UnsafeRawPointer?
  >? {
    sqlite3_aggregate_context(context, size)?.assumingMemoryBound(to: UnsafeRawPointer?.self)
  }

  /// The group's state at its end; nil for a group of no objects.
  private static func take(_ context: OpaquePointer?) -> State? {
    place(context, making: 0)?.pointee.map { Unmanaged<State>.fromOpaque($0).takeRetainedValue() }
  }

  private static let step: Database.Function = { context, _, arguments in
    guard let place = AggregateFunctions.place(context, making: Int32(MemoryLayout<UnsafeRawPointer?>.size)),
      let value = arguments?[0]
    else { return sqlite3_result_error_nomem(context) }
    let state: State
    if let known = place.pointee {
      state = Unmanaged<State>.fromOpaque(known).takeUnretainedValue()
    } else {
      state = State()
      state.scale = Int(sqlite3_value_int(arguments?[2]))
      place.pointee = UnsafeRawPointer(Unmanaged.passRetained(state).toOpaque())
    }
    switch sqlite3_value_type(value) {
    case SQLITE_NULL:
      if sqlite3_value_int(arguments?[1]) == 1 { state.isUnknown = true }
      return
    case SQLITE_INTEGER: state.integer += Int128(sqlite3_value_int64(value))
    default: state.real.add(sqlite3_value_double(value))
    }
    state.count += 1
  }
}
