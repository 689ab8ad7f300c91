extension String {
  /// Whether a store's address names a PostgreSQL server, and not a file.
  package var isServerAddress: Bool { ["postgresql://", "postgres://"].contains(where: hasPrefix) }
}
