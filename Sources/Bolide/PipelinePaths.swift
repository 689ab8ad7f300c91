internal import ImportModel
internal import JSONStream

extension Pipeline {
  /// The paths of the pipeline that cannot be read, each with its place.
  func pathProblems() -> [PipelineProblem] {
    var problems: [PipelineProblem] = []
    func check(_ path: String, _ part: [String]) {
      guard !path.isEmpty else { return }
      do {
        _ = try FieldPath(path)
      } catch {
        problems.append(
          PipelineProblem(
            file: sourceMap.file ?? name, location: sourceMap.location(of: part), message: "\(error)"))
      }
    }
    func check(_ fields: [Field], of entity: String) {
      for field in fields {
        guard case .path(let path) = field.source else { continue }
        check(path, part(of: entity, attribute: field.attribute) + ["from"])
      }
    }
    if case .path(let path) = records { check(path, ["records"]) }
    check(fields, of: entity)
    for children in children {
      check(children.records, part(of: children) + ["records"])
      if let entity = toMany(of: children)?.destination { check(children.fields, of: entity.name) }
    }
    return problems
  }
}
