extension StoreError {
  /// What would help, for programs: the call that `hint` describes in words.
  public enum Remedy: Sendable, Hashable {
    /// Start again from a snapshot, of a named reader or of none.
    case snapshot(reader: String?)
    /// Read from the oldest transaction that is kept, or start from a snapshot.
    case oldest
    /// Read the changes after the newest token from time to time.
    case poll
    /// Read the store's schema.
    case schema
    /// Move a reader that exists.
    case resetReader(String)
    /// Delete missing rows, with a larger share allowed.
    case deleteMissing
    /// Link from the relationship at the other end.
    case link(entity: String, relationship: String)
    /// Create the store, although there was one.
    case createStore
    /// Try the import, and keep nothing.
    case trial
    /// Import once all the same: accept what a guard has found, by its name. Or undo what a run has changed, where it has.
    case accept(String, undoing: Run? = nil)
    /// List the runs.
    case runs
    /// Read the rejected records.
    case rejects
    /// Verify the store.
    case verify
    /// Verify the store and repair it.
    case rebuild
    /// Migrate the store to the pipeline.
    case migrate
    /// Migrate the store to the pipeline, and drop these by name.
    case drop([String])
    /// Open a fetched property's store at a path; nil where any path would do.
    case attach(String, path: String?)
    /// Fetch the objects for which a fetched property finds nothing.
    case dangling(String)
    /// Trust the store's schema.
    case trustSchema
  }

  /// A run of an import.
  public struct Run: Sendable, Hashable {
    /// The store's file.
    public var store: String
    /// The run's number.
    public var number: Int64

    package init(store: String, number: Int64) {
      self.store = store
      self.number = number
    }
  }

  /// What could be dropped, by name, to remedy it.
  package var droppable: [String] {
    if case .drop(let names) = remedy { names } else { [] }
  }
}
