/// What commands do that both programs list.
package enum CommandAbstract {
  package static let bench = "Measure and verify throughput on this machine."
  package static let generate = "Generate synthetic feeds, deterministic by seed."
}
