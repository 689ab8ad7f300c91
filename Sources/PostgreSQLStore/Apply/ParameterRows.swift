/// Parameters that are arrays of one length, as a table: a row has an element of each.
///
/// The functions stand in a select list and go on in step: in FROM the server would write each array's elements out first.
///
/// - Parameters:
///   - names: what the columns are called, of the parameters from `$1` on.
///   - place: what a column with the row's place from 1 on is called; nil for none.
func parameterRows(_ names: [String], place: String? = nil) -> String {
  let columns = names.enumerated().map { "unnest($\($0 + 1)) AS \($1)" }
  let places = place.map { ["generate_series(1, cardinality($1)) AS \($0)"] } ?? []
  return "(SELECT \((columns + places).joined(separator: ", "))) AS x"
}
