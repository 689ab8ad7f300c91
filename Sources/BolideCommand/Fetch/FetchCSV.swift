import Bolide
import CommandSupport
import Foundation

/// Comma-separated values as in RFC 4180. Null is an empty field, an empty text or binary value is `""`.
struct FetchCSV: FetchLines {
  private let columns: FetchColumns
  /// Whether a terminal shows it: then texts have nothing in them that it would obey.
  private let isShown: Bool

  /// Writes the line of names.
  init(_ columns: FetchColumns, isShown: Bool, _ text: inout JSONText) {
    (self.columns, self.isShown) = (columns, isShown)
    for (index, column) in columns.all.enumerated() {
      if index > 0 { text.append(byte: UInt8(ascii: ",")) }
      append(column.title, &text)
    }
    text.append("\r\n")
  }

  func write(_ row: any FetchedRow, to text: inout JSONText) throws {
    var isFirst = true
    try columns.read(row) { cell, type in
      if !isFirst { text.append(byte: UInt8(ascii: ",")) }
      isFirst = false
      append(cell, type, &text)
    }
    text.append("\r\n")
  }

  func end(_ text: inout JSONText) {}

  private func append(_ cell: FetchedCell, _ type: AttributeType?, _ text: inout JSONText) {
    switch cell {
    case .null: break
    case .text(let bytes):
      if isShown { return append(unsafe String(decoding: bytes, as: UTF8.self), &text) }
      if unsafe bytes.isEmpty || Self.needsQuotes(bytes) {
        unsafe append(quoting: bytes, &text)
      } else {
        unsafe text.append(bytes: bytes)
      }
    case .blob: append(cell.text(type), &text)
    case .integer, .real: text.append(cell.text(type))
    }
  }

  private func append(_ string: String, _ text: inout JSONText) {
    var string = isShown ? string.printable : string
    string.withUTF8 { bytes in
      if unsafe bytes.isEmpty || Self.needsQuotes(bytes) {
        unsafe append(quoting: bytes, &text)
      } else {
        unsafe text.append(bytes: bytes)
      }
    }
  }

  private static func needsQuotes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    for index in bytes.indices {
      switch unsafe bytes[index] {
      case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r"): return true
      default: continue
      }
    }
    return false
  }

  private func append(quoting bytes: UnsafeBufferPointer<UInt8>, _ text: inout JSONText) {
    text.append(byte: UInt8(ascii: "\""))
    for index in bytes.indices {
      let byte = unsafe bytes[index]
      if byte == UInt8(ascii: "\"") { text.append(byte: byte) }
      text.append(byte: byte)
    }
    text.append(byte: UInt8(ascii: "\""))
  }
}
