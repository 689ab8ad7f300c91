internal import PostgreSQLAccess
internal import StoreInterface

/// Where a store's history was written last: in which cluster, on which timeline of it, in which database, and as which table.
///
/// A standby that was promoted has a timeline of its own, a dump that was restored another table, mostly in another cluster, and a
/// copy that `CREATE DATABASE … TEMPLATE` made another database. Each may lack the last commits, with what readers have acknowledged:
/// their places came back with the store, and they would follow the wrong history without noticing. So each named reader is marked as
/// diverged, until it is put somewhere. A token tells it by its nonce.
///
/// Changes that wait for their number get it first. The server's ids may begin anew, by which it is told whether an open transaction still
/// comes: what is under way by now, as one that was prepared, is waited for.
enum StoreOrigin {
  static let functions = [
    // `system/timeline/database/table`; null on a standby, which writes nothing, and where the server does not say it.
    """
    CREATE OR REPLACE FUNCTION bolide_origin() RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    BEGIN
      IF pg_is_in_recovery() THEN RETURN NULL; END IF;
      RETURN (SELECT system_identifier FROM pg_control_system()) || '/' ||
        substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) || '/' ||
        (SELECT oid FROM pg_database WHERE datname = current_database()) || '/' || 'bolide_store'::regclass::oid;
    EXCEPTION WHEN undefined_function OR insufficient_privilege OR feature_not_supported THEN
      RETURN NULL;
    END $$
    """,
    """
    CREATE OR REPLACE FUNCTION bolide_arrive() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(\(SystemTables.lockClass), hashtext(current_schema()));
      IF (SELECT origin IS DISTINCT FROM bolide_origin() FROM bolide_store) THEN
        UPDATE bolide_open SET until = \(SystemTables.nextXID);
        PERFORM bolide_number();
        UPDATE bolide_reader SET diverged = true;
        UPDATE bolide_store SET origin = bolide_origin();
      END IF;
    END $$
    """,
  ]

  /// Names this database, too, where a store of an earlier format has what the rest of it is.
  static let named = """
    UPDATE bolide_store SET origin = regexp_replace(origin, '/([0-9]+)$',
      '/' || (SELECT oid FROM pg_database WHERE datname = current_database()) || '/\\1')
    """

  /// Whether the store was written elsewhere, and nobody has noticed.
  static let isElsewhere = "(SELECT coalesce(origin <> bolide_origin(), false) FROM bolide_store)"

  /// Notices that the store was written elsewhere. Not inside a transaction.
  static func check(_ connection: PostgreSQLConnection) throws {
    guard try connection.run("SELECT \(isElsewhere)").integer(0, 0) != 0 else { return }
    try connection.inTransaction { try connection.run("SELECT bolide_arrive()") }
  }
}
