internal import Bolide
internal import CSQLiteFloor

/// SQLite alone, with the rows of an input already typed and in memory.
enum FloorJob {
  static func run(
    pipeline path: String, input: String, file: String, shape: FloorShape, chunkRows: Int
  ) throws -> JobOutcome {
    let rows = try FloorRows(try Pipeline(path: path), input: input, isLinked: shape.isLinked)
    let statements = FloorStatements(rows)
    var result = CFloorResult()
    var code: Int32 = 0
    var outcome = JobOutcome.measuring {
      code = write(rows, statements, to: file, shape, chunkRows, &result)
      return rows.count
    }
    guard code == 0 else {
      let message = withUnsafeBytes(of: result.message) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      throw WrongResult("SQLite reports: \(message)")
    }
    outcome.seconds = result.seconds
    // The peak would be that of the rows in memory.
    outcome.peakBytes = nil
    outcome.counts = ["inserted": Int(result.inserted), "updated": Int(result.updated)]
    outcome.stages = ["sort": result.sorting, "close": result.closing]
    return outcome
  }

  private static func write(
    _ rows: FloorRows, _ statements: FloorStatements, to file: String, _ shape: FloorShape, _ chunkRows: Int,
    _ result: inout CFloorResult
  ) -> Int32 {
    let isDifference = shape == .chunkDifference
    let texts = [
      file, FloorStatements.settings, statements.create(shape), statements.declaration, statements.row(shape),
      isDifference ? statements.difference : nil, isDifference ? statements.insert : nil,
      isDifference ? statements.update : nil, statements.after(shape),
    ]
    return withCStrings(texts) { texts in
      var plan = CFloorPlan(
        shape: shape.inC, path: texts[0], settings: texts[1], create: texts[2], declaration: texts[3],
        row: texts[4], difference: texts[5], insert: texts[6], update: texts[7], after: texts[8],
        chunk: Int64(chunkRows))
      return rows.withRows { rows in
        var rows = rows
        return cfloor_run(&rows, &plan, &result)
      }
    }
  }

  /// Calls `body` with the texts as C wants them, nil for nil.
  private static func withCStrings<Result>(
    _ texts: [String?], _ body: ([UnsafePointer<CChar>?]) -> Result
  ) -> Result {
    func next(_ index: Int, _ pointers: [UnsafePointer<CChar>?]) -> Result {
      guard index < texts.count else { return body(pointers) }
      guard let text = texts[index] else { return next(index + 1, pointers + [nil]) }
      return text.withCString { next(index + 1, pointers + [$0]) }
    }
    return next(0, [])
  }
}

extension FloorShape {
  fileprivate var inC: CFloorShape {
    switch self {
    case .preparedInsert, .preparedUpsert: CFLOOR_PREPARED
    case .chunkInsert, .linkedInsert, .linkedInsertThenIndex: CFLOOR_INSERT
    case .chunkDifference: CFLOOR_DIFFERENCE
    }
  }
}
