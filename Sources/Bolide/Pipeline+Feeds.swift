public import FeedInference
internal import FeedReading
internal import ImportInput
public import ImportModel

extension Pipeline {
  /// Reads a source as an import would, without a store, and says how it fits.
  ///
  /// The source is read to its end on a thread of its own, in bounded memory. Of the keys of large inputs a share is compared.
  /// - Throws: `ImportError` for what would end an import early; `CancellationError` where the task was cancelled.
  public func check(_ source: ImportSource) async throws -> FeedCheck {
    try await reading { try FeedCheck(self, source.source, label: source.label, cancellation: $0) }
  }
}

extension PipelineInference {
  /// Surveys sources as one feed, and drafts a pipeline that imports them.
  ///
  ///     let inference = try await PipelineInference(of: [.file("feed.json")])
  ///     let pipeline = try Pipeline(yaml: inference.pipelineText)
  ///
  /// Each source is read two to six times, in order, on a thread of its own and in bounded memory.
  /// - Parameters:
  ///   - sources: one at least. Records of all must be in the same place.
  ///   - choices: what is decided and not looked for.
  /// - Throws: `ImportError` where no pipeline would import them; `CancellationError` where the task was cancelled.
  public init(of sources: [ImportSource], choices: InferenceChoices = InferenceChoices()) async throws {
    self = try await reading { cancellation in
      try PipelineInference(
        sources.map { ($0.source, $0.label) }, choices, cancellation: cancellation)
    }
  }
}

/// Reads on a thread of its own, and stops where the task is cancelled.
private func reading<Answer: Sendable>(
  _ body: @escaping @Sendable (Cancellation) throws -> Answer
) async throws -> Answer {
  let cancellation = Cancellation()
  return try await withTaskCancellationHandler {
    do {
      return try await CallQueue(limit: 1).run { try body(cancellation) }
    } catch let error as ImportError where error.kind == .cancelled {
      throw CancellationError()
    }
  } onCancel: {
    cancellation.cancel()
  }
}
