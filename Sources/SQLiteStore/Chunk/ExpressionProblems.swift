package import ImportModel

extension Pipeline {
  /// What is wrong with the pipeline's expressions, each compiled against the attributes that it may name.
  package func expressionProblems() -> [PipelineProblem] {
    guard let entity = model.entity(named: entity), let check = try? ExpressionCheck(entity) else {
      return []
    }
    var problems: [PipelineProblem] = []
    func compile(_ expression: String, _ part: [String]) {
      guard !expression.isEmpty, let problem = check.problem(expression) else { return }
      problems.append(
        PipelineProblem(
          file: places.file ?? name, place: places.place(of: part),
          message: "the expression cannot be used: \(problem)"))
    }
    for field in fields {
      guard case .expression(let text) = field.source else { continue }
      compile(text, part(of: entity.name, attribute: field.attribute) + ["value"])
    }
    for (index, text) in checks.enumerated() { compile(text, ["check", "\(index)"]) }
    for link in links {
      for key in link.ownerKey { compile(key.expression, ["link", link.relationship, "to", key.attribute]) }
    }
    return problems
  }
}
