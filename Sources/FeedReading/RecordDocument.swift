internal import Foundation
package import ImportModel
package import JSONStream
package import TypedRows

/// A rejected record as an input of its own, which reads like the one that it came from.
package struct RecordDocument {
  package let bytes: [UInt8]
  package let shape: RecordShape

  /// - Parameter records: where the pipeline finds its records; the keys of wildcards are put back there.
  package init(_ reject: RejectedRecord, _ records: RecordLocation) {
    let text = "[\(reject.text ?? "")]"
    let around = Data((reject.around ?? "").utf8)
    if let names = try? JSONDecoder().decode([String].self, from: around) {
      shape = .positional(names: names)
      bytes = Array(text.utf8)
    } else if let cells = try? JSONDecoder().decode(Cells.self, from: around) {
      shape = .delimited(by: cells.delimiter, names: cells.columns)
      bytes = Array((reject.text ?? "").utf8)
    } else if let keys = try? JSONDecoder().decode([String: String].self, from: around),
      case .path(let path) = records, let components = try? FieldPath(path).components
    {
      let opened = components.map { "{\(Self.quoted(keys[$0] ?? $0)):" }
      shape = .array(path: path)
      bytes = Array((opened.joined() + text + String(repeating: "}", count: opened.count)).utf8)
    } else {
      shape = .array(path: "")
      bytes = Array(text.utf8)
    }
  }

  /// Of a line of delimited text.
  private struct Cells: Decodable {
    var columns: [String]
    var delimiter: UInt8
  }

  /// What `RejectedRecord.around` keeps of an input's surroundings.
  ///
  /// - Parameter delimiter: of delimited text.
  static func around(names: [String]?, keys: [(component: String, key: String)], delimiter: UInt8?) -> String?
  {
    if let names {
      let columns = "[\(names.map(quoted).joined(separator: ","))]"
      return delimiter.map { "{\"columns\":\(columns),\"delimiter\":\($0)}" } ?? columns
    }
    if keys.isEmpty { return nil }
    return "{\(keys.map { "\(quoted($0.component)):\(quoted($0.key))" }.joined(separator: ","))}"
  }

  private static func quoted(_ text: String) -> String {
    // A map's every record may have its own key: the usual one needs no encoder.
    let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    if isPlain { return "\"\(text)\"" }
    guard let data = try? JSONEncoder().encode(text) else {
      preconditionFailure("every text has a JSON form")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
