package import ImportModel

extension Pipeline {
  /// What is wrong with the pipeline's expressions, each compiled against the attributes that it may name.
  package func expressionProblems() -> [PipelineProblem] {
    guard let entity = model.entity(named: entity), let check = try? ExpressionCheck(entity) else {
      return []
    }
    var problems: [PipelineProblem] = []
    func compile(_ expression: String, _ part: [String], _ check: ExpressionCheck) {
      guard !expression.isEmpty, let problem = check.problem(expression) else { return }
      problems.append(.expression(problem, at: part, of: self))
    }
    func compile(_ fields: [Field], _ checks: [String], of entity: Entity, _ check: ExpressionCheck) {
      for field in fields {
        guard case .expression(let text) = field.source else { continue }
        compile(text, part(of: entity.name, attribute: field.attribute) + ["value"], check)
      }
      for (index, text) in checks.enumerated() {
        compile(text, part(of: entity.name) + ["check", "\(index)"], check)
      }
    }
    compile(fields, checks, of: entity, check)
    for link in links {
      for key in link.ownerKey {
        compile(key.expression, ["link", link.relationship, "to", key.attribute], check)
      }
    }
    for children in children {
      guard let child = toMany(of: children)?.destination, let check = try? ExpressionCheck(child) else {
        continue
      }
      compile(children.fields, children.checks, of: child, check)
    }
    return problems + filterProblems()
  }

  /// What is wrong with the filters of aggregates, each compiled against the attributes of the objects they run over.
  package func filterProblems() -> [PipelineProblem] {
    model.entities.flatMap { owner in
      owner.attributes.compactMap { attribute -> PipelineProblem? in
        guard let aggregate = attribute.derivation?.aggregate, let filter = aggregate.filter,
          let relationship = owner.relationship(named: aggregate.relationship),
          let child = model.toMany(relationship)?.destination,
          let problem = (try? ExpressionCheck(child.filterable))?.problem(filter)
            ?? (try? DateCalls.problem(inFilter: filter, of: child.filterable))
        else { return nil }
        let part = part(of: owner.name, attribute: attribute.name) + ["where"]
        return .expression(problem, at: part, of: self)
      }
    }
  }
}

extension Entity {
  /// The entity with the attributes that an aggregate's filter may name: those that are stored and not derived.
  package var filterable: Entity {
    var entity = self
    entity.attributes = writableAttributes
    return entity
  }
}
