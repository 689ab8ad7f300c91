internal import ImportModel

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

// Records as bytes, to be kept outside memory and taken into another chunk of the same layout.
//
//     key      its parts behind each other: in byte order as the key is in its own
//              integer, real: 8 bytes, as in `SortKey`     text, blob: 0 as 0 255, the end as 0 0
//     record   its number   whether it or a child may yet be rejected, and then its text and what surrounds it
//              row          for each list of children: how many, and for each its holder, its number and its row;
//                           how many are rejected, and for each its holder, its number and why
//     row      its place, if it may yet be rejected        cells and states as in the chunk        texts, blobs
extension Chunk {
  /// Adds a row's key to some bytes.
  package func appendKey(ofRow row: Int, to bytes: inout [UInt8]) {
    for column in layout.keyColumns {
      switch layout.storages[column] {
      case .integer: bytes.append(raw: SortKey.word(integer(column, row)).bigEndian)
      case .real: bytes.append(raw: SortKey.word(real(column, row)).bigEndian)
      case .text, .blob:
        var rest = self.bytes(column, row)[...]
        while let zero = rest.firstIndex(of: 0) {
          bytes.append(contentsOf: rest[...zero])
          bytes.append(255)
          rest = rest[(zero + 1)...]
        }
        bytes.append(contentsOf: rest)
        bytes.append(raw: UInt16(0))
      }
    }
  }

  /// Adds an accepted row to some bytes, with its record's accepted and rejected children.
  ///
  /// The chunk numbers its records; it is sorted, and its children are not, but what is rejected of them.
  package func appendRecord(ofRow row: Int, to bytes: inout [UInt8]) {
    let lists = childLists(ofRecord: row)
    let isLate = mayBeRejected(row) || lists.contains(where: \.mayBeRejected)
    bytes.append(raw: recordNumbers[row])
    bytes.append(isLate ? 1 : 0)
    if isLate { appendSurroundings(ofRow: row, lists, to: &bytes) }
    appendRow(row, hasPlace: isLate, to: &bytes)
    for list in lists {
      bytes.append(raw: list.rows.count)
      for (child, holder) in list.rows {
        bytes.append(raw: holder)
        bytes.append(raw: list.chunk.lineage[child].number)
        list.chunk.appendRow(child, hasPlace: isLate, to: &bytes)
      }
      if isLate { list.appendRejects(to: &bytes) }
    }
  }

  /// Takes what `appendRecord` has written as one more row, with its children.
  package func takeRecord(_ bytes: UnsafeBufferPointer<UInt8>) {
    var rest = RecordBytes(UnsafeRawBufferPointer(bytes))
    let number = rest.next(Int.self)
    let isLate = rest.next(UInt8.self) == 1
    let late = isLate ? takeSurroundings(ofRecord: number, &rest) : nil
    recordsRead += 1
    let record = count
    commitRow(takeRow(number, hasPlace: isLate, &rest), text: late?.text)
    var first: [Int] = []
    for list in children {
      first.append(list.count)
      func lineage() -> ParentReference {
        let holder = (list.layout.within.map { first[$0] } ?? record) + rest.next(Int.self)
        return ParentReference(parent: holder, number: Int(rest.next(Int32.self)), record: record)
      }
      for _ in 0..<rest.next(Int.self) {
        let lineage = lineage()
        list.recordsRead += 1
        if list.memory.pointee.isBatchFull { list.flushBatch() }
        list.commitChild(lineage, list.takeRow(number, hasPlace: isLate, &rest), text: late?.text)
      }
      guard let late else { continue }
      for _ in 0..<rest.next(Int.self) {
        let lineage = lineage()
        list.takeReject(lineage, of: number, late, &rest)
      }
    }
  }

  /// Ends the batch, and those of the children, of rows that were taken.
  package func flushTaken() {
    for child in children { child.flushBatch() }
    flushBatch()
  }

  /// Puts the rows into the key's order, and what is rejected of their children into that of the records.
  package func sortForBytes() {
    sort(folding: false)
    for child in children { child.rejects.sort { ($0.parent ?? 0) < ($1.parent ?? 0) } }
  }

  /// Leaves out all but the rejected records, as if it had not been read.
  package func leaveRejects() {
    recordsRead -= order.count
    order.removeAll(keepingCapacity: true)
    for child in children { child.clear() }
  }

  /// Puts what surrounds the records into their order: that of records that were taken is another.
  package func sortSurroundings() {
    surroundings.sort { $0.record < $1.record }
  }

  // MARK: Rows

  private func appendRow(_ row: Int, hasPlace: Bool, to bytes: inout [UInt8]) {
    if hasPlace {
      let position = mayBeRejected(row) ? record(row).position : nil
      for number in [position?.byte, position?.line, position?.column] { bytes.append(raw: number ?? 0) }
    }
    let cells = memory.pointee.keptRow(row)
    bytes.append(contentsOf: UnsafeRawBufferPointer(start: cells, count: memory.pointee.rowBytes))
    for column in layout.keptTexts where state(column, row) == .value {
      bytes.append(contentsOf: self.bytes(column, row))
    }
  }

  /// Begins a row.
  ///
  /// - Returns: where it stood, as far as that was kept.
  private func takeRow(_ record: Int, hasPlace: Bool, _ rest: inout RecordBytes) -> RecordPosition {
    var position = RecordPosition(record: record, byte: 0, line: 0, column: 0)
    if hasPlace {
      position.byte = rest.next(Int.self)
      position.line = rest.next(Int.self)
      position.column = rest.next(Int.self)
    }
    beginRow()
    let cells = rest.next(memory.pointee.rowBytes)
    if let start = cells.baseAddress { memcpy(memory.pointee.keptRow(row), start, cells.count) }
    for column in layout.keptTexts where state(column, row) == .value {
      set(rest.text(Int(cell(column, row) & 0xffff_ffff)), column)
    }
    return position
  }

  // MARK: Children

  /// The children of a record, list by list. What a rejected one holds is left out, as if it had not been read.
  private func childLists(ofRecord record: Int) -> [ChildList] {
    var lists: [ChildList] = []
    for chunk in children {
      let holders = chunk.layout.within.map { lists[$0].rows }
      func place(of holder: Int) -> Int? {
        guard let holders else { return 0 }
        let place = holders.partitioningIndex { $0.row >= holder }
        return place < holders.count && holders[place].row == holder ? place : nil
      }
      // Both are in the order of their records.
      let rows = chunk.order[chunk.order.partitioningIndex { chunk.lineage[Int($0)].record >= record }...]
        .lazy.map(Int.init).prefix { chunk.lineage[$0].record == record }
      let rejects = chunk.rejects[chunk.rejects.partitioningIndex { $0.parent ?? 0 >= record }...]
        .prefix { $0.parent == record }
      lists.append(
        ChildList(
          chunk: chunk,
          rows: rows.compactMap { row in place(of: Int(chunk.lineage[row].parent)).map { (row, $0) } },
          rejects: rejects.compactMap { reject in place(of: reject.holder ?? 0).map { (reject, $0) } }))
    }
    return lists
  }

  private func takeReject(
    _ lineage: ParentReference, of record: Int, _ late: LateRecord, _ rest: inout RecordBytes
  ) {
    let (code, message, attribute) = (rest.nextString() ?? "", rest.nextString() ?? "", rest.nextString())
    var reject = RejectedRecord(
      code: code, message: message, attribute: attribute, input: late.input, record: record,
      byte: rest.next(Int.self), line: rest.next(Int.self), column: rest.next(Int.self), text: nil)
    reject.more = rest.next(Int.self)
    (reject.text, reject.isCut) = (late.rejectText, late.isCut)
    reject.place(lineage, layout.entity.name)
    reject.rowsBefore = count
    recordsRead += 1 + reject.more
    self.reject(reject, text: nil)
  }

  // MARK: Records that may yet be rejected, or whose children are

  private func appendSurroundings(ofRow row: Int, _ lists: [ChildList], to bytes: inout [UInt8]) {
    let text = mayBeRejected(row) ? record(row).text : lists.lazy.compactMap(\.text).first
    let reject = lists.lazy.compactMap(\.rejects.first?.reject).first
    let surroundings = surroundings(ofRecord: recordNumbers[row])
    bytes.append(text: text)
    bytes.append(text: reject?.text)
    bytes.append(reject?.isCut == true ? 1 : 0)
    bytes.append(text: surroundings?.input)
    bytes.append(text: surroundings?.text)
    bytes.append(raw: surroundings?.before ?? 0)
    bytes.append(surroundings?.isTooLong == true ? 1 : 0)
  }

  private func takeSurroundings(ofRecord number: Int, _ rest: inout RecordBytes) -> LateRecord {
    let (text, rejectText, isCut) = (rest.nextText(), rest.nextString(), rest.next(UInt8.self) == 1)
    memory.pointee.rejectBytes += rejectText?.utf8.count ?? 0
    // Most records stand in the same.
    let last = surroundings.last
    let (input, around) = (rest.nextString(like: last?.input), rest.nextString(like: last?.text))
    let (before, isTooLong) = (rest.next(Int.self), rest.next(UInt8.self) == 1)
    if let input {
      // Nobody asks for the places of the inputs of records that are sorted.
      surround(
        with: Surroundings(
          record: number, row: count, number: 0, input: input, before: before, text: around,
          isTooLong: isTooLong))
    }
    return LateRecord(text: text, rejectText: rejectText, isCut: isCut, input: input ?? "")
  }
}

/// The children of one record in one list, each with its holder's place among those of its own list.
private struct ChildList {
  let chunk: Chunk
  let rows: [(row: Int, holder: Int)]
  let rejects: [(reject: RejectedRecord, holder: Int)]

  /// Whether any child is rejected, or may yet be.
  var mayBeRejected: Bool { !rejects.isEmpty || rows.contains { chunk.mayBeRejected($0.row) } }

  /// Their record's text, where one keeps it that may yet be rejected.
  var text: String? { rows.first { chunk.mayBeRejected($0.row) }.flatMap { chunk.record($0.row).text } }

  func appendRejects(to bytes: inout [UInt8]) {
    bytes.append(raw: rejects.count)
    for (reject, holder) in rejects {
      bytes.append(raw: holder)
      bytes.append(raw: Int32(truncatingIfNeeded: reject.child))
      for text in [reject.code, reject.message, reject.attribute] { bytes.append(text: text) }
      for number in [reject.byte, reject.line, reject.column, reject.more] { bytes.append(raw: number) }
    }
  }
}

/// What is known of a record that may yet be rejected.
private struct LateRecord {
  let text: UnsafeBufferPointer<UInt8>?
  /// As its rejected children have it.
  let rejectText: String?
  let isCut: Bool
  let input: String
}

/// Reads what the functions above have written.
private struct RecordBytes {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  mutating func next<Number: BitwiseCopyable>(_ type: Number.Type) -> Number {
    defer { place += MemoryLayout<Number>.size }
    return bytes.loadUnaligned(fromByteOffset: place, as: type)
  }

  mutating func next(_ count: Int) -> UnsafeRawBufferPointer {
    defer { place += count }
    return UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
  }

  mutating func text(_ count: Int) -> UnsafeBufferPointer<UInt8> {
    next(count).assumingMemoryBound(to: UInt8.self)
  }

  /// A text with its length; nil for none.
  mutating func nextText() -> UnsafeBufferPointer<UInt8>? {
    let count = next(Int.self)
    return count < 0 ? nil : text(count)
  }

  /// - Parameter known: what it may be, so that it need not be made.
  mutating func nextString(like known: String? = nil) -> String? {
    nextText().map { text in
      if let known, known.utf8.elementsEqual(text) { return known }
      return String(decoding: text, as: UTF8.self)
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append<Number: BitwiseCopyable>(raw number: Number) {
    Swift.withUnsafeBytes(of: number) { append(contentsOf: $0) }
  }

  fileprivate mutating func append(text: String?) {
    append(raw: text?.utf8.count ?? -1)
    if let text { append(contentsOf: text.utf8) }
  }
}
