internal import ImportModel
internal import PostgreSQLAccess
internal import QueryPlans
internal import RowExpressions

// Numbers, and the functions that mean the same to both.
extension ConditionSQL {
  func negative(_ tree: ExpressionTree) throws -> Operand {
    // The sign of a number is part of it: 9223372036854775808 is not whole.
    if case .literal(let text) = tree, let value = Value(literal: "-\(text)") { return try .constant(value) }
    let value = try operand(tree).numeric
    switch value.kind {
    case .null: return .null
    case .integer, .real, .number: return Operand(sql: "(- \(value.sql))", kind: value.kind)
    case .truth, .text, .blob: throw Untranslated.textAsNumber
    }
  }

  func arithmetic(_ operation: ExpressionTree.Operator, _ a: Operand, _ b: Operand) throws -> Operand {
    let (a, b) = (a.numeric, b.numeric)
    if [a, b].contains(where: { [.text, .blob].contains($0.kind) }) { throw Untranslated.textAsNumber }
    if a.kind == .null || b.kind == .null { return .null }
    let divisor = { (sql: String) in "nullif(\(sql), 0)" }
    if a.kind == .integer, b.kind == .integer {
      switch operation {
      case .add: return Operand(sql: "(\(a.sql) + \(b.sql))", kind: .integer)
      case .subtract: return Operand(sql: "(\(a.sql) - \(b.sql))", kind: .integer)
      case .multiply: return Operand(sql: "(\(a.sql) * \(b.sql))", kind: .integer)
      case .divide: return Operand(sql: "(\(a.sql) / \(divisor(b.sql)))", kind: .integer)
      default: return Operand(sql: "(\(a.sql) % \(divisor(b.sql)))", kind: .integer)
      }
    }
    // What is a real number for every row makes the result one.
    guard a.kind == .real || b.kind == .real, operation != .remainder else { throw Untranslated.wholeOrReal }
    let sign: String
    switch operation {
    case .add: sign = "+"
    case .subtract: sign = "-"
    case .multiply: sign = "*"
    default: sign = "/"
    }
    let right = operation == .divide ? divisor(b.widened) : b.widened
    // No number is null to SQLite.
    return Operand(sql: "nullif(\(a.widened) \(sign) \(right), 'NaN')", kind: .real)
  }

  func cast(_ value: Operand, _ type: String) throws -> Operand {
    let value = value.numeric
    switch (type, value.kind) {
    case (_, .null): return .null
    case ("integer", .integer), ("int", .integer):
      return Operand(sql: value.sql, kind: .integer, affinity: .numeric)
    case ("integer", .real), ("int", .real), ("integer", .number), ("int", .number):
      return Operand(sql: "trunc(\(value.sql))::bigint", kind: .integer, affinity: .numeric)
    case ("real", .integer), ("real", .real), ("real", .number):
      return Operand(sql: value.widened, kind: .real, affinity: .numeric)
    case ("text", .integer), ("text", .text):
      return Operand(sql: try value.asText().sql, kind: .text, affinity: .text)
    default: throw Untranslated.cast(type.uppercased())
    }
  }

  func call(_ function: String, _ trees: [ExpressionTree]) throws -> Operand {
    if let found = try related(function, trees) { return found }
    if ["date", "time", "datetime", "strftime"].contains(function) { return try date(function, trees) }
    let arguments = try trees.map(operand)
    func texts(_ kind: Operand.Kind = .text, _ sql: ([String]) -> String) throws -> Operand {
      let texts = try arguments.map { try $0.asText() }
      return Operand(sql: sql(texts.map(\.sql)), kind: kind)
    }
    switch (function, arguments.count) {
    case ("coalesce", 2...), ("ifnull", 2):
      let (values, kind) = try Self.unified(arguments)
      return Operand(sql: "coalesce(\(values.joined(separator: ", ")))", kind: kind)
    case ("nullif", 2):
      // SQLite compares a function's arguments as they are.
      let plain = arguments.map { Operand(sql: $0.sql, kind: $0.kind, constant: $0.constant) }
      let equal = try Comparison.equal.sql(plain[0], plain[1]).sql
      return Operand(
        sql: "(CASE WHEN \(equal) THEN NULL ELSE \(arguments[0].sql) END)", kind: arguments[0].kind)
    case ("iif", 3):
      let (values, kind) = try Self.unified(Array(arguments.dropFirst()))
      let condition = try arguments[0].asTruth()
      return Operand(sql: "(CASE WHEN \(condition) THEN \(values[0]) ELSE \(values[1]) END)", kind: kind)
    case ("min", 2...), ("max", 2...):
      let (values, kind) = try Self.unified(arguments.map(\.numeric))
      let nulls = values.map { "\($0) IS NULL" }.joined(separator: " OR ")
      let best = function == "min" ? "least" : "greatest"
      return Operand(
        sql: "(CASE WHEN \(nulls) THEN NULL ELSE \(best)(\(values.joined(separator: ", "))) END)", kind: kind)
    case ("abs", 1):
      let value = arguments[0].numeric
      guard [.null, .integer, .real, .number].contains(value.kind) else { throw Untranslated.textAsNumber }
      return value.kind == .null ? .null : Operand(sql: "abs(\(value.sql))", kind: value.kind)
    case ("length", 1):
      if arguments[0].kind == .blob {
        return Operand(sql: "octet_length(\(arguments[0].sql))::bigint", kind: .integer)
      }
      return try texts(.integer) { "char_length(\($0[0]))::bigint" }
    case ("lower", 1), ("upper", 1): return try texts { "\(function)(\($0[0]))" }
    case ("trim", 1), ("ltrim", 1), ("rtrim", 1):
      return try texts { "\(function == "trim" ? "btrim" : function)(\($0[0]))" }
    case ("replace", 3): return try texts { "replace(\($0.joined(separator: ", ")))" }
    case ("instr", 2) where arguments.allSatisfy({ $0.kind != .blob }):
      return try texts(.integer) { "strpos(\($0[0]), \($0[1]))::bigint" }
    case ("substr", 2...3), ("substring", 2...3):
      // Counts from the end, or of less than nothing, are SQLite's.
      let numbers = arguments.dropFirst().map { argument -> Int64 in
        if case .integer(let number)? = argument.constant { number } else { -1 }
      }
      guard numbers[0] >= 1, numbers.allSatisfy({ 0...1_000_000_000 ~= $0 }) else {
        throw Untranslated.form(of: function)
      }
      let text = try arguments[0].asText().sql
      return Operand(
        sql: "substr(\(text), \(numbers.map { "\($0)" }.joined(separator: ", ")))", kind: .text)
    case ("trim", _), ("ltrim", _), ("rtrim", _): throw Untranslated.form(of: function)
    default: throw Untranslated.function(function)
    }
  }

  /// A date column in another form, which is made of the same parts.
  private func date(_ function: String, _ trees: [ExpressionTree]) throws -> Operand {
    var format = ["date": "%Y-%m-%d", "time": "%H:%M:%S", "datetime": "%Y-%m-%d %H:%M:%S"][function]
    var trees = trees
    if function == "strftime", case .literal(let text)? = trees.first,
      case .text(let own)? = Value(literal: text)
    {
      format = own
      trees.removeFirst()
    }
    guard let format, trees.count == 1, let column = try operand(trees[0]).column, let type = column.type,
      let form = Self.form(format, isDay: type == .day)
    else { throw Untranslated.form(of: function) }
    switch type {
    case .date(.seconds), .date(.milliseconds):
      return Operand(sql: Operand.date(form, of: column.sql, "TIMESTAMPTZ"), kind: .text)
    case .day: return Operand(sql: Operand.date(form, of: column.sql, "DATE"), kind: .text)
    // Millionths, a version may round into the next day.
    default: throw Untranslated.form(of: function)
    }
  }

  /// A format of `strftime` as one of `to_char`; nil where it has other parts.
  private static func form(_ format: String, isDay: Bool) -> String? {
    let parts: [Character: String] = [
      "Y": "YYYY", "m": "MM", "d": "DD", "H": "HH24", "M": "MI", "S": "SS",
    ]
    // For nothing there is null here.
    if format.isEmpty { return nil }
    var (form, rest) = ("", Substring(format))
    while let character = rest.popFirst() {
      if character == "%" {
        guard let letter = rest.popFirst(), let part = parts[letter] else { return nil }
        // A day begins at midnight.
        // Apart from its neighbours: DDDD is the day of the year, and SSSS the second of the day.
        form += "\"\"" + (isDay && "HMS".contains(letter) ? "\"00\"" : part)
      } else {
        guard character.isASCII, character != "\"", character != "\\" else { return nil }
        form += "\"\(character)\""
      }
    }
    return form
  }

  /// A question about the objects of a to-many relationship; nil where it is none.
  private func related(_ function: String, _ trees: [ExpressionTree]) throws -> Operand? {
    guard let form = RelatedObjects.Form(rawValue: function), case .name(let path, _)? = trees.first,
      trees.count <= 2
    else { return nil }
    guard case .tree(let tree, let node, let source) = scope else { throw Untranslated.function(function) }
    let (root, objects, link) = try tree.begin(at: path, from: node, for: function)
    let inner = ConditionSQL(
      scope: .tree(tree, node: objects, source: source), values: values, variables: variables)
    let condition = try trees.count == 2 ? inner.operand(trees[1]).asTruth() : nil
    // Behind the condition, whose paths lead to further tables.
    let sql = form.sql("\(tree.from(source, root: root)) WHERE \(link)", condition)
    return form == .count ? Operand(sql: sql, kind: .integer) : .truth(sql)
  }
}
