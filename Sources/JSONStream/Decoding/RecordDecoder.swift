/// The record under way, as values that a `Decoder` asks for.
///
/// It has been validated, so its values are found by its tokens, and none is read before it is asked for.
///
///     tokens   {  "id"  :  "us1"  ,  "at"  :  [  1  ,  2  ]  }
///     members     └ key    └ value    └ key    └ value: skipped to the next member
final class RecordDecoder {
  /// Where a value is: its token, or of delimited text its cell. And of which record: a decoder may be kept too long.
  struct Place {
    fileprivate var token: UInt32
    fileprivate var record: UInt32
  }

  /// A member of an object.
  private struct Member {
    /// The key's first byte in the buffer, behind its quote, and its bytes.
    var key: Int
    var count: Int
    var token: UInt32
  }

  /// The members of an object, or the cells of a row that are known by their columns.
  struct Members {
    fileprivate var range: Range<Int>
    fileprivate var areColumns: Bool
    fileprivate var record: UInt32
  }

  private var view: TokenView?
  private var record: UInt32 = 0
  /// A row's token; nil where records are objects.
  private var row: UInt32?
  /// Of delimited text: the cells' contents, one behind the other.
  private var cells: [Range<Int>] = []
  private var text: [UInt8] = []
  private var areCells = false
  private var hasEscapes = false
  /// Those of all objects that were asked for any so far.
  private var members: [Member] = []
  private var names: [String] = []
  /// The columns by their names; of two with one name the last one.
  private var columns: [String: Int] = [:]

  /// Takes the current record, hands over where its value is, and forgets the record.
  func read<Answer>(_ core: UnsafeMutablePointer<ReaderCore>, _ body: (Place) throws -> Answer) rethrows
    -> Answer
  {
    record &+= 1
    members.removeAll(keepingCapacity: true)
    let view = core.pointee.view
    self.view = view
    defer { self.view = nil }
    if let names = core.pointee.envelope.names { take(names) }
    if let delimiter = core.pointee.index.delimiter {
      takeCells(core, delimiter)
    } else {
      row = core.pointee.parsesRows ? UInt32(core.pointee.recordToken) : nil
      hasEscapes = Int(view.escapes[core.pointee.recordEscape]) < core.pointee.recordEnd
    }
    return try body(Place(token: areCells ? .max : UInt32(core.pointee.recordToken), record: record))
  }

  private func take(_ names: [String]) {
    // Of the same array it is one look.
    guard names != self.names else { return }
    self.names = names
    columns = Dictionary(names.enumerated().map { ($1, $0) }) { $1 }
  }

  private func takeCells(_ core: UnsafeMutablePointer<ReaderCore>, _ delimiter: UInt8) {
    areCells = true
    cells.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: true)
    let start = core.pointee.parser.recordStart
    let line = UnsafeBufferPointer(
      start: core.pointee.input.bytes + start, count: core.pointee.recordEnd - start)
    Cell.each(of: line, delimiter: delimiter) { cell in
      cells.append(text.count..<text.count + cell.count)
      text.append(contentsOf: cell)
    }
  }

  // MARK: Where values are

  private func look(_ record: UInt32) -> TokenView {
    guard let view, record == self.record else {
      preconditionFailure("a decoder is of use only during the init(from:) that it was given to")
    }
    return view
  }

  /// The members of the object at a place; nil where there is none.
  func members(of place: Place) -> Members? {
    let view = look(place.record)
    if areCells { return Members(range: 0..<cells.count, areColumns: true, record: record) }
    let start = members.count
    var token = Int(place.token)
    if place.token == row {
      guard view.byte(token) == UInt8(ascii: "[") else { return nil }
      token += 1
      while view.byte(token) != UInt8(ascii: "]") {
        if view.byte(token) == UInt8(ascii: ",") { token += 1 }
        members.append(Member(key: 0, count: 0, token: UInt32(token)))
        token = end(of: token, view)
      }
      return Members(range: start..<members.count, areColumns: true, record: record)
    }
    guard view.byte(token) == UInt8(ascii: "{") else { return nil }
    token += 1
    while view.byte(token) != UInt8(ascii: "}") {
      if view.byte(token) == UInt8(ascii: ",") { token += 1 }
      let key = view.offset(token) + 1
      members.append(Member(key: key, count: view.offset(token + 1) - key, token: UInt32(token + 3)))
      token = end(of: token + 3, view)
    }
    return Members(range: start..<members.count, areColumns: false, record: record)
  }

  /// The value of a member; of two with one name the last one's.
  func value(_ key: String, in members: Members) -> Place? {
    let view = look(members.record)
    if members.areColumns {
      guard let column = columns[key], column < members.range.count else { return nil }
      return place(members, members.range.lowerBound + column)
    }
    var key = key
    return key.withUTF8 { key in
      var place = members.range.upperBound
      while place > members.range.lowerBound {
        place &-= 1
        if isKey(of: self.members[place], key, view) { return self.place(members, place) }
      }
      return nil
    }
  }

  private func isKey(of member: Member, _ key: UnsafeBufferPointer<UInt8>, _ view: TokenView) -> Bool {
    if member.count == key.count {
      var place = 0
      while place < key.count, view.bytes[member.key &+ place] == key[place] { place &+= 1 }
      // A key of the same bytes with an escape says something else.
      if place == key.count { return !hasEscapes || !key.contains(UInt8(ascii: "\\")) }
    }
    guard hasEscapes, member.count > key.count else { return false }
    return name(of: member, view).utf8.elementsEqual(key)
  }

  private func name(of member: Member, _ view: TokenView) -> String {
    StringDecoding.string(view.bytes + member.key, count: member.count)
  }

  private func place(_ members: Members, _ member: Int) -> Place {
    Place(token: areCells ? UInt32(member) : self.members[member].token, record: record)
  }

  /// The names of all members.
  func names(of members: Members) -> [String] {
    let view = look(members.record)
    if members.areColumns { return Array(names.prefix(members.range.count)) }
    return self.members[members.range].map { name(of: $0, view) }
  }

  /// The first element of the array at a place; nil where there is no array, and a place of no value where it is empty.
  func firstElement(of place: Place) -> Place? {
    let view = look(place.record)
    guard !areCells, view.byte(Int(place.token)) == UInt8(ascii: "[") else { return nil }
    return Place(token: place.token + 1, record: record)
  }

  /// Whether there is an element at a place.
  func isElement(_ place: Place) -> Bool { look(place.record).byte(Int(place.token)) != UInt8(ascii: "]") }

  /// The place behind an element.
  func next(after place: Place) -> Place {
    let view = look(place.record)
    var token = end(of: Int(place.token), view)
    if view.byte(token) == UInt8(ascii: ",") { token += 1 }
    return Place(token: UInt32(token), record: record)
  }

  /// The token behind the value that begins at one.
  private func end(of start: Int, _ view: TokenView) -> Int {
    var token = start
    var depth = 0
    repeat {
      switch view.byte(token) {
      case UInt8(ascii: "\""): token &+= 2
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth &+= 1
        token &+= 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth &-= 1
        token &+= 1
      default: token &+= 1
      }
    } while depth > 0
    return token
  }

  // MARK: Values

  /// What a value is. An empty cell is null.
  func kind(_ place: Place) -> FieldKind {
    let view = look(place.record)
    if areCells { return place.token == .max ? .object : cells[Int(place.token)].isEmpty ? .null : .string }
    let offset = view.offset(Int(place.token))
    let kind = FieldKind(view.bytes[offset])
    return kind == .integer && !Scalar.number(view.bytes, offset).isInteger ? .decimal : kind
  }

  func isNull(_ place: Place) -> Bool {
    let view = look(place.record)
    return areCells ? kind(place) == .null : view.byte(Int(place.token)) == UInt8(ascii: "n")
  }

  /// A string; nil for another kind of value, and for half of a surrogate pair.
  func string(_ place: Place) -> String? {
    let view = look(place.record)
    if areCells {
      return cell(place).map { cell in
        text.withUnsafeBufferPointer { String(valid: UnsafeBufferPointer(rebasing: $0[cell])) }
      }
    }
    let offset = view.offset(Int(place.token))
    guard view.bytes[offset] == UInt8(ascii: "\"") else { return nil }
    let count = view.offset(Int(place.token) + 1) - offset - 1
    let bytes = UnsafeBufferPointer(start: view.bytes + offset + 1, count: count)
    guard hasEscapes, bytes.contains(UInt8(ascii: "\\")) else { return String(valid: bytes) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { target in
      guard let start = target.baseAddress else { return nil }
      let decoded = StringDecoding.decode(view.bytes + offset + 1, count: count, into: start)
      guard decoded.unpaired == nil else { return nil }
      return String(valid: UnsafeBufferPointer(start: start, count: decoded.count))
    }
  }

  /// A number as the nearest `Double`; nil for another kind of value.
  func double(_ place: Place) -> Double? {
    number(place) { NumberParsing.double($0, grammar: $1) }
  }

  /// A whole number; nil for another kind of value, and for one that does not fit.
  func integer<Wanted: FixedWidthInteger>(_ place: Place, as type: Wanted.Type) -> Wanted? {
    number(place) { text, grammar in
      switch NumberParsing.integer(text, grammar: grammar) {
      case .value(let number): Wanted(exactly: number)
      case .overflow: Wanted(String(valid: text))
      case .fraction, .notANumber: nil
      }
    }
  }

  /// A truth value; nil for another kind of value.
  func bool(_ place: Place) -> Bool? {
    let view = look(place.record)
    if areCells {
      return cell(place).flatMap { cell in
        text.withUnsafeBufferPointer { Bool(cell: UnsafeBufferPointer(rebasing: $0[cell])) }
      }
    }
    switch view.byte(Int(place.token)) {
    case UInt8(ascii: "t"): return true
    case UInt8(ascii: "f"): return false
    default: return nil
    }
  }

  private func cell(_ place: Place) -> Range<Int>? { place.token == .max ? nil : cells[Int(place.token)] }

  private func number<Wanted>(
    _ place: Place, _ body: (UnsafeBufferPointer<UInt8>, NumberGrammar) -> Wanted?
  ) -> Wanted? {
    let view = look(place.record)
    if areCells {
      return cell(place).flatMap { cell in
        text.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[cell]), .text) }
      }
    }
    let start = view.offset(Int(place.token))
    guard FieldKind(view.bytes[start]) == .integer else { return nil }
    var end = start
    while !Scalar.isEnd(view.bytes[end]) { end &+= 1 }
    return body(UnsafeBufferPointer(start: view.bytes + start, count: end - start), .json)
  }
}
