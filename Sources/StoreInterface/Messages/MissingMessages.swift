// What is said of the rows that a full feed has no more.

extension StoreError {
  package static func noCompleteRun(_ pipeline: String?) -> StoreError {
    StoreError(
      .badRequest, "no complete run of \(pipeline.map { "'\($0)'" } ?? "a full feed") is known",
      hint:
        "If each input is the whole catalogue, set `feed: full` in the pipeline, and complete an import."
    )
  }

  package static func severalFullPipelines(_ names: [String]) -> StoreError {
    StoreError(
      .badRequest, "several pipelines with a full feed write to the store",
      hint: "Name one of them: \(names.joined(separator: ", ")).")
  }

  package static func nothingSeen(_ missing: MissingRows) -> StoreError {
    StoreError(
      .guarded, "the last complete run of '\(missing.pipeline)' had no rows: nothing was deleted",
      hint: "If the feed was empty by mistake, import a good one first.")
  }

  package static func tooManyMissing(_ missing: MissingRows, share: Double) -> StoreError {
    let (found, limit) = (missing.share.inPercent, share.inPercent)
    return StoreError(
      .guarded,
      "\(missing.count) of \(missing.count + missing.seen) rows are missing, which is "
        + "\(found) and more than \(limit): nothing was deleted",
      hint: "Review the missing rows, and allow a larger share to delete them.", .deleteMissing)
  }
}

extension Double {
  /// `5 %`, `0.3 %`
  package var inPercent: String {
    let tenths = Int((self * 1000).rounded(.up))
    return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
  }
}
