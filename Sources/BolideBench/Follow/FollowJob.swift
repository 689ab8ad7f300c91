internal import Bolide
internal import Foundation
internal import Synchronization

/// A reader that follows a store while another process commits: how late it has each transaction.
enum FollowJob {
  /// Sleeps for a while, starts the writer, and follows it to its last commit.
  ///
  /// - Parameters:
  ///   - tool: the program that does a writer's job.
  ///   - count: how many transactions the writer makes.
  /// - Throws: `WrongResult` when a transaction is missing, comes twice, or comes out of order.
  static func run(
    _ writer: SmallCommits.Writer, pipeline: String, store path: String, tool: String, count: Int
  ) throws -> JobOutcome {
    let follower = Follower(try StoreAddress(path).open(), count: count)
    follower.start()
    defer { follower.stop() }
    let sleeping = sleepingPerMinute()

    let job = Job.committing(writer, pipeline: pipeline, store: path, count: count)
    let text = String(decoding: try JSONEncoder().encode(job), as: UTF8.self)
    let folder = URL(filePath: pipeline).deletingLastPathComponent().path(percentEncoded: false)
    var instants: [UInt64] = []
    var outcome = try JobOutcome.measuring {
      let child = try ChildProcess.run(tool, ["bench-job", text], in: folder, name: "writer")
      guard child.status == 0 else { throw WrongResult("the writer failed: \(child.errors)") }
      let writing = try JSONDecoder().decode(JobOutcome.self, from: Data(child.output.utf8))
      instants = writing.instants ?? []
      try follower.wait(seconds: 10)
      return count
    }
    let latencies = try latencies(follower.arrivals, instants, count: count)
    outcome.follow = FollowTimes(latencies: latencies, sleepingPerMinute: sleeping)
    return outcome
  }

  /// What this process takes while its follower has nothing to do.
  private static func sleepingPerMinute() -> Double {
    // Its first look at the store is not sleep.
    usleep(200_000)
    let use = JobOutcome.measuring {
      usleep(1_000_000)
      return 0
    }
    return (use.processorSeconds ?? 0) / use.seconds * 60
  }

  /// Holds what came against what was committed: each transaction once, whole and in order.
  static func latencies(_ arrivals: [Arrival], _ instants: [UInt64], count: Int) throws -> [Double] {
    guard arrivals.count == count, instants.count == count else {
      throw WrongResult("\(arrivals.count) transactions came of \(instants.count), and it must be \(count)")
    }
    return try arrivals.indices.map { index in
      guard arrivals[index].keys == SmallCommits.keys(of: index) else {
        throw WrongResult("commit \(index + 1) came as \(arrivals[index].keys)")
      }
      // A reader may see a commit before the writer is told that it is done.
      return arrivals[index].instant < instants[index]
        ? 0 : Double(arrivals[index].instant - instants[index]) / 1e9
    }
  }
}

/// A transaction as it came to the follower.
struct Arrival: Sendable {
  /// The keys of its objects.
  let keys: [String]
  /// When it came, in nanoseconds of the machine's clock.
  let instant: UInt64
}

/// Follows a store as a user of the library does, beside the thread that waits for it.
private final class Follower: Sendable {
  private let store: any StoreEngine
  private let count: Int
  private let came = Mutex<[Arrival]>([])
  private let task = Mutex<Task<Void, Never>?>(nil)
  private let failure = Mutex<(any Error)?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  init(_ store: any StoreEngine, count: Int) {
    self.store = store
    self.count = count
  }

  var arrivals: [Arrival] { came.withLock { $0 } }

  func start() {
    let task = Task {
      do { try await follow() } catch { failure.withLock { $0 = error } }
      isDone.signal()
    }
    self.task.withLock { $0 = task }
  }

  func stop() { task.withLock { $0?.cancel() } }

  /// Waits until as many transactions came as were promised, or so many seconds are over.
  func wait(seconds: Double) throws {
    // What is missing then, the arrivals tell.
    _ = isDone.wait(timeout: .now() + seconds)
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  private func follow() async throws {
    for try await transaction in Store(store).transactions(after: try store.newestToken()) {
      let instant = SmallCommits.now
      let keys = transaction.changes.compactMap { change -> String? in
        guard change.kind == .insert, case .text(let key) = change.key.first?.value else { return nil }
        return key
      }
      let arrived = came.withLock { arrivals in
        arrivals.append(Arrival(keys: keys, instant: instant))
        return arrivals.count
      }
      if arrived == count { return }
    }
  }
}
