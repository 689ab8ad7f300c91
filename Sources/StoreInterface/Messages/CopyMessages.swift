package import ImportModel

// Why objects are not copied into another store, in words. That store's path is put before each.

extension StoreError {
  package static func copyOntoItself(_ path: String) -> StoreError {
    StoreError(.badRequest, at: path, "objects are copied into another store, and this is the same one")
  }

  package static func wholeCopyIntoFile(_ path: String) -> StoreError {
    StoreError(
      .badRequest, at: path, "a whole store is copied to a server, and this is a file",
      hint: "Name an entity whose objects are to be copied; a file is copied by bolide backup.")
  }

  package static func copyLacks(_ entity: Entity) -> StoreError {
    StoreError(
      .modelChange, "there is no entity '\(entity.name)' to copy objects into: nothing was copied",
      hint: "Add it to this store's pipeline, and migrate the store.")
  }

  package static func copyLacks(_ name: String, of entity: Entity) -> StoreError {
    StoreError(
      .modelChange, "\(entity.name) has no place for '\(name)' of the copied objects: nothing was copied",
      hint: "Add it to this store's pipeline, and migrate the store.")
  }

  package static func copyHasOtherKey(_ entity: Entity) -> StoreError {
    StoreError(
      .modelChange, "\(entity.name) has another key than \(entity.key.listed): nothing was copied",
      hint: "Objects are known by their keys: both stores need the same one.")
  }

  package static func copyHasOtherType(
    _ own: Attribute, than type: AttributeType, of entity: Entity
  ) -> StoreError {
    StoreError(
      .modelChange,
      "'\(own.name)' of \(entity.name) is \(own.type.named), and \(type.named) in the copied objects: "
        + "nothing was copied")
  }

  package static func copyBreaksRule(_ entity: Entity, _ reason: String) -> StoreError {
    StoreError(
      .constraint, "copied objects break a rule of \(entity.name) (\(reason)): nothing was copied")
  }
}
