/// One run of a pipeline, as the store keeps it.
public struct RunRecord: Sendable {
  /// The pipeline's name.
  public var pipeline: String
  /// The run.
  public var run: PipelineStatus.Run
  /// The transaction of the revert that has undone it.
  public var reverted: Int64?
  /// Whether it is at work, of a run without an end; nil where nobody can tell.
  public var isAtWork: Bool?
  /// What its records had in the fields of attributes; empty where that is not kept any more.
  public var fields: [FieldCount]

  package init(
    pipeline: String, run: PipelineStatus.Run, reverted: Int64?, isAtWork: Bool?, fields: [FieldCount]
  ) {
    self.pipeline = pipeline
    self.run = run
    self.reverted = reverted
    self.isAtWork = isAtWork
    self.fields = fields
  }

  /// `ok`, the code of what ended it, or what became of a run without an end.
  public var outcome: String {
    run.outcome ?? PipelineStatus.state(isAtWork: isAtWork).rawValue
  }
}
