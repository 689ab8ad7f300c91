internal import ImportModel
internal import PostgreSQLAccess

/// What leads to deleted rows loses its links or goes with them, by the server's own statements: another program's trigger may keep a row
/// from that, without an error, and the server leaves it with a link that leads nowhere.
extension EntityTriggers {
  /// Ends a statement that has left such a row, in PL/pgSQL.
  var checkChildren: String {
    model.entities.flatMap { holder in
      holder.toOneRelationships.filter {
        $0.destination == entity.name && model.deleteRule(of: $0, in: holder) != .deny
      }.map { toOne in
        // Each old row by the index of the links: a plan for many would read all that may lead here.
        """
        IF EXISTS (SELECT FROM bolide_old AS o WHERE (SELECT r.bolide_id FROM \(quoted(holder.name)) AS r
          WHERE r.\(quoted(toOne.column)) = o.bolide_id LIMIT 1) IS NOT NULL)
        THEN
          \(RowUpdate.raise(holder))
        END IF;
        """
      }
    }.joined(separator: "\n")
  }
}
