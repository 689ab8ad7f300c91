package import TypedRows

/// Counts rejected records by what is wrong with them.
package struct RejectTally {
  package private(set) var kinds: [RejectKind] = []
  private var places: [Kind: Int] = [:]
  private static let most = 100

  private struct Kind: Hashable {
    let entity: String?
    let attribute: String?
    let code: String
    let message: String
  }

  package init() {}

  package mutating func add(_ rejects: some Sequence<RejectedRecord>) {
    for reject in rejects {
      let kind = Kind(
        entity: reject.entity, attribute: reject.attribute, code: reject.code, message: reject.message)
      if let place = places[kind] {
        kinds[place].count += 1
      } else if kinds.count < Self.most {
        places[kind] = kinds.count
        kinds.append(RejectKind(first: reject, count: 1))
      }
    }
  }
}
