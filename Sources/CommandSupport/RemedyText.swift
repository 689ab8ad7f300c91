import Bolide

extension StoreError.Remedy {
  /// The remedy as a command, or as the option of the present one.
  ///
  /// - Parameter path: the store's path; nil where the error is about none.
  func command(_ path: String?) -> String {
    let store = path?.shellWord ?? "STORE"
    return switch self {
    case .snapshot(nil): "bolide snapshot \(store)"
    case .snapshot(let reader?): "bolide snapshot \(store) --reader \(reader.shellWord) -- COMMAND"
    case .oldest: "--from oldest, or \(Self.snapshot(reader: nil).command(path))"
    case .poll: "bolide changes \(store) --since TOKEN"
    case .schema: "bolide schema \(store)"
    case .resetReader(let name): "bolide readers \(store) reset \(name.shellWord)"
    case .deleteMissing: "bolide missing \(store) --delete --guard SHARE"
    case .link(let entity, let relationship):
      "bolide link \(store) \(entity.shellWord) \(relationship.shellWord)"
    case .createStore: "bolide import --create always"
    case .trial: "bolide import --dry-run"
    case .accept(let name, nil): "--accept \(name.shellWord)"
    case .accept(let name, let run?):
      "--accept \(name.shellWord). To undo this import: bolide revert \(run.store.shellWord) --run \(run.number)"
    case .runs: "bolide runs \(store)"
    case .rejects: "bolide rejects \(store)"
    case .verify: "bolide verify \(store)"
    case .rebuild: "bolide verify \(store) --rebuild"
    case .migrate: "bolide migrate \(store) PIPELINE"
    case .drop(let names):
      "bolide migrate \(store) PIPELINE" + names.map { " --drop \($0.shellWord)" }.joined()
    case .attach(let name, let path): "--attach \("\(name)=\(path ?? "PATH")".shellWord)"
    case .dangling(let name): "--dangling \(name.shellWord)"
    case .trustSchema: "--trust-schema"
    }
  }

  /// A hint with the command that does what the hint's last words say.
  func hint(_ words: String?, _ store: String?) -> String {
    guard let words else { return command(store) }
    return "\(words.hasSuffix(".") ? String(words.dropLast()) : words): \(command(store))"
  }
}
