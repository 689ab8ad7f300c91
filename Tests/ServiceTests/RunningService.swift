import Bolide
import Foundation
import Logging
import ServiceLifecycle

/// Stands for a web framework: answers requests until the service shuts down, and ends with the last one.
private struct WebServer: Service {
  let requests: AsyncStream<@Sendable () async -> Void>

  func run() async {
    await withDiscardingTaskGroup { tasks in
      for await request in requests.cancelOnGracefulShutdown() { tasks.addTask(operation: request) }
    }
  }
}

/// A service that runs, with what a client can do.
struct RunningService: Sendable {
  let service: FireballService
  private let group: ServiceGroup
  private let life: Task<Void, any Error>
  private let requests: AsyncStream<@Sendable () async -> Void>.Continuation

  /// Starts it.
  init(path: String, pipeline: Pipeline, index: SearchIndex) async throws {
    service = try await FireballService(path: path, pipeline: pipeline, index: index)
    let (stream, requests) = AsyncStream<@Sendable () async -> Void>.makeStream()
    self.requests = requests
    let group = ServiceGroup(
      services: [service, WebServer(requests: stream)],
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    self.group = group
    life = Task { try await group.run() }
  }

  /// Asks for something.
  func request<Answer: Sendable>(
    _ route: @escaping @Sendable (FireballService) async throws -> Answer
  ) async throws -> Answer {
    try await withCheckedThrowingContinuation { continuation in
      requests.yield { [service] in
        do { continuation.resume(returning: try await route(service)) } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }

  /// Ends it as SIGTERM would, and waits until it has ended.
  func shutDown() async throws {
    await group.triggerGracefulShutdown()
    try await end()
  }

  /// Waits until it has ended.
  func end() async throws { try await life.value }
}

/// What a client has received so far.
actor Received<Element: Sendable> {
  private(set) var elements: [Element] = []

  func append(_ element: Element) { elements.append(element) }
}
