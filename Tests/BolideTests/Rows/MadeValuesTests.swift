import Bolide
import Testing

/// What comes out of the library can be made: tests of programs that use it need no store.
@Suite struct MadeValuesTests {
  @Test func `history`() throws {
    let change = HistoryChange(
      transaction: 3, kind: .insert, entity: "Quake", id: 7,
      key: [.init(name: "id", type: .string, value: "a")],
      previous: [], isDerived: false)
    let token = try HistoryToken(parsing: "b1-k3v9qd-3-x7mw2p")
    let transaction = HistoryTransaction(
      number: 3, token: token, at: "2026-05-12T03:14:07.000Z", changeCount: 1, changes: [change])
    #expect(transaction.isWhole && transaction.author == nil && transaction.changes == [change])
    #expect(Set([ObjectID(entity: "Quake", id: 7)]).contains(ObjectID(entity: change.entity, id: change.id)))
    let snapshot = Snapshot(
      token: token, at: transaction.at, pendingChanges: 0, counts: [.init(entity: "Quake", rows: 1)])
    #expect(snapshot.counts.map(\.rows) == [1])
  }

  @Test func `reports and errors`() {
    var progress = RunProgress()
    (progress.counts.read, progress.counts.inserted, progress.counts.rejected) = (2, 1, 1)
    let reject = RejectedRecord(
      code: "not-a-number", message: "no number", attribute: "depth", input: "feed", record: 2, byte: 9,
      line: 2,
      column: 3)
    let report = ImportReport(
      pipeline: "quakes", run: 1, progress: progress, seconds: 2, firstRejects: [reject],
      rejectLimit: .count(1))
    #expect(report.verdict == .someRejected && report.rowsPerSecond == 1)
    #expect(
      ImportReport(pipeline: "quakes", run: 1, progress: progress, seconds: 0).verdict == .tooManyRejected)
    let error = StoreError(.locked, at: "a.sqlite", "another import is running", hint: "Wait.")
    #expect(error.message == "a.sqlite: another import is running" && error.hint == "Wait.")
    var failure = ImportError(.badInput, code: "input-ends", "the input ends")
    failure.report = report
    #expect(failure.message == "the input ends" && failure.report == report)
    let edited = EditReport(counts: [.init(entity: "Quake", inserted: 0, updated: 1, deleted: 0)])
    #expect(edited.token == nil && edited.counts.map(\.updated) == [1])
  }
}
