package import ImportModel
internal import JSONStream

extension RecordShape {
  /// The shape that a pipeline says.
  package init(_ place: RecordLocation) {
    switch place {
    case .automatic: self = .automatic
    case .path(let path): self = .array(path: path)
    case .columnar: self = .columnar()
    case .lines: self = .lines
    case .rows(let names, let path): self = .positional(names: names, rows: path)
    case .delimited(let delimiter, let names): self = .delimited(by: delimiter, names: names)
    }
  }
}
