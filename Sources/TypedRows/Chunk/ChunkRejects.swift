import ImportModel

// What a chunk knows of its rejected records.
extension Chunk {
  /// What surrounded a record.
  package func surroundings(ofRecord record: Int) -> Surroundings? {
    surroundings[..<surroundings.partitioningIndex { $0.record > record }].last
  }

  /// The places of the inputs among the run's that the first record and the last one are of.
  package var inputs: (first: Int, last: Int)? {
    guard let first = surroundings.first, let last = surroundings.last else { return nil }
    return (first.number, last.number)
  }

  /// The place of the input among the run's that a row's record is of.
  package func input(ofRow row: Int) -> Int {
    surroundings[..<surroundings.partitioningIndex { $0.row > row }].last?.number ?? 0
  }

  /// The place of the input among the run's that a record is of.
  package func input(ofRecord record: Int) -> Int { surroundings(ofRecord: record)?.number ?? 0 }

  /// Says what surrounds the records from one on.
  ///
  /// - Parameters:
  ///   - text: as `RejectedRecord.around` has it; nil for nothing.
  ///   - input: the input that they are of.
  ///   - before: how many records the inputs before it have.
  ///   - number: the place of the input among the run's.
  package func surround(
    fromRecord record: Int, with text: String?, of input: String, after before: Int, number: Int
  ) {
    let count = text?.utf8.count ?? 0
    let isTooLong = count > layout.rejectBounds.text
    surround(
      with: Surroundings(
        record: record, row: self.count, number: number, input: input, before: before,
        text: isTooLong ? nil : text, isTooLong: isTooLong))
  }

  /// The same, as it was said before.
  func surround(with surroundings: Surroundings) {
    self.surroundings.append(surroundings)
    memory.pointee.rejectBytes += MemoryLayout<Surroundings>.stride + (surroundings.text?.utf8.count ?? 0)
  }

  /// The input that a record is of, and the record's number in it; nil where the chunk's records are of one input and
  /// numbered as there.
  package func place(ofRecord record: Int) -> (input: String, record: Int)? {
    surroundings(ofRecord: record).map { ($0.input, record - $0.before) }
  }

  /// A reject where it stood in its input.
  package func placed(_ reject: RejectedRecord) -> RejectedRecord {
    guard let place = place(ofRecord: reject.record) else { return reject }
    var reject = reject
    (reject.input, reject.record) = place
    return reject
  }

  /// A digest of a row's key that is the same in every process for one store; nil when a part of the key has no value.
  package func keyDigest(_ row: Int) -> Int64? {
    var digest = SipHash(layout.digestKey)
    for column in layout.keyColumns {
      guard state(column, row) == .value else { return nil }
      switch layout.storages[column] {
      case .integer, .real: digest.add(cell(column, row))
      case .text, .blob: digest.add(part: bytes(column, row))
      }
    }
    return digest.value
  }

  /// Leaves out rows that are not sorted yet, as if their records had not been read.
  package func leaveOut(_ isLeftOut: (Int) throws -> Bool) rethrows {
    let before = order.count
    try order.removeAll { try isLeftOut(Int($0)) }
    recordsRead -= before - order.count
  }
}

extension RejectedRecord {
  /// Whether it came before a row of the same chunk; of a child, whether its record did.
  package func isBefore(_ row: Int) -> Bool {
    if let parent { return row > parent }
    return row >= rowsBefore && !(isRow && row == rowsBefore)
  }
}

extension Chunk {
  /// What surrounds a record and those behind it.
  package struct Surroundings {
    let record: Int
    /// The first row of these records.
    let row: Int
    /// The place of their input among the run's.
    let number: Int
    let input: String
    /// How many records the inputs before have.
    let before: Int
    /// As `RejectedRecord.around` has it; nil for nothing, and for what is too long to be kept.
    let text: String?
    let isTooLong: Bool
  }

  /// Takes a rejected record, or a rejected child of one.
  ///
  /// - Parameter text: the record, if it is to be kept, as far as it is at hand.
  package func reject(_ reject: RejectedRecord, text: UnsafeBufferPointer<UInt8>?) {
    // One record may bring children by the million: of so many as are kept anyway each one, of the others the number. Rows
    // that are rejected late are each known: they are not to be linked.
    let isLate = reject.isRow && reject.rowsBefore < batch.lowerBound
    if reject.entity != nil, !isLate, let last = rejects.last, last.record == reject.record {
      rejectedOfRecord += 1
      if rejectedOfRecord > layout.rejectBounds.rows { return rejects[rejects.count - 1].more += 1 }
    } else {
      rejectedOfRecord = 1
    }
    var reject = reject
    var bytes = Self.rejectBytes
    if let last = rejects.last, last.record == reject.record, last.text != nil {
      // One copy for all rejected children of a record.
      (reject.text, reject.isCut) = (last.text, last.isCut)
    } else if let text {
      let most = layout.rejectBounds.text
      (reject.text, reject.isCut) = (String(decoding: text.prefix(most), as: UTF8.self), text.count > most)
      bytes += min(text.count, most)
    }
    // The surroundings of children are their record's chunk's.
    if !layout.isChildren { reject.stand(in: surroundings(ofRecord: reject.record)) }
    rejects.append(reject)
    memory.pointee.rejectBytes += bytes
  }

  /// About what a rejected record takes besides its text, with what is made of it on the way to the store.
  private static let rejectBytes = 1024
}

extension RejectedRecord {
  /// Notes what it stood in. A record cannot be read again without it.
  package mutating func stand(in surroundings: Chunk.Surroundings?) {
    around = surroundings?.text
    if surroundings?.isTooLong == true { (text, isCut) = (nil, false) }
  }
}

extension [RejectedRecord] {
  /// How many were rejected, with those of which nothing but the number is known.
  package var rejectedCount: Int { reduce(count) { $0 + $1.more } }
}

extension Chunk {
  /// Rejects a row that is already part of the chunk.
  package func reject(_ row: Int, _ rejection: RejectionReason, attribute: String?, input: String) {
    let (position, text) = record(row)
    let lineage = layout.isChildren ? self.lineage[row] : nil
    var reject = RejectedRecord(
      code: rejection.code, message: rejection.message, attribute: attribute, input: input,
      record: position.record,
      byte: position.byte, line: position.line, column: position.column, text: nil)
    reject.key = lineage == nil ? keyDigest(row) : nil
    (reject.rowsBefore, reject.isRow) = (row, true)
    if let lineage { reject.place(lineage, layout.entity.name) }
    if var text {
      text.withUTF8 { self.reject(reject, text: $0) }
    } else {
      self.reject(reject, text: nil)
    }
  }
}
