/// A field that the records of a feed have only since an import under `on-new-field: add`, and the attribute that holds it.
///
/// The store keeps it for the pipeline, whose file does not name it.
package struct AddedField: Sendable, Hashable, Codable {
  /// The field's key in a record, or its column's name.
  package var key: String
  /// The same as a path.
  package var path: String
  /// The attribute of the records' entity.
  package var attribute: Attribute
  /// How a date is written.
  package var dateForm: DateForm?

  package init(key: String, path: String, attribute: Attribute, dateForm: DateForm?) {
    self.key = key
    self.path = path
    self.attribute = attribute
    self.dateForm = dateForm
  }
}

extension Pipeline {
  /// The pipeline with fields that its file does not name. What the file says of the same field or attribute goes before.
  package func adding(_ added: [AddedField]) -> Pipeline {
    guard let index = model.entities.firstIndex(where: { $0.name == entity }) else { return self }
    var pipeline = self
    for field in added {
      guard !pipeline.model.entities[index].has(property: field.attribute.name),
        !fields.contains(where: { $0.source == .path(field.path) })
      else { continue }
      pipeline.model.entities[index].attributes.append(field.attribute)
      pipeline.fields.append(
        Field(
          field.attribute.name, from: .path(field.path), missing: missing, dateForm: field.dateForm))
    }
    return pipeline
  }
}
