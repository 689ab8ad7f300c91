import Bolide
import Foundation
import ServiceLifecycle

/// A service that takes feeds from its clients, answers questions, tells clients what changes, and keeps another system's index
/// up to date.
///
/// Each route is a function, so that any web framework can have the sockets: a request's body is an asynchronous sequence of bytes,
/// and what a route answers bit by bit goes to a writer that waits for the client.
struct FireballService: Service {
  let store: Store
  let pipeline: Pipeline
  let index: SearchIndex

  /// Opens the store, or makes it.
  init(path: String, pipeline: Pipeline, index: SearchIndex) async throws {
    store = try await Store(path: path, for: pipeline, lockWait: .seconds(5))
    (self.pipeline, self.index) = (pipeline, index)
  }

  // MARK: Routes

  /// `POST /fireballs`: imports a feed, and tells the client how far it is.
  ///
  /// A client that goes away cancels its task. Then, and when the service shuts down, the import stops at the end of a chunk; what
  /// was committed stays, and the client may send the same feed again.
  func upload<Body: AsyncSequence & Sendable>(
    _ body: Body, to writer: @escaping @Sendable (UploadEvent) async throws -> Void
  ) async throws where Body.Element: Collection<UInt8> {
    try await cancelWhenGracefulShutdown {
      var options = ImportOptions()
      options.rejectLimit = .percent(1)
      do {
        let run = store.importing(pipeline, on: body, named: "upload", options: options)
        for try await progress in run {
          try await writer(.progress(read: progress.read, rejected: progress.rejected))
        }
        try await writer(.finished(UploadSummary(try await run.report)))
      } catch {
        try await writer(.failed(Refusal(error)))
      }
    }
  }

  /// `GET /fireballs?over=0.1&limit=10`: the largest fireballs.
  func largest(over energy: Double, limit: Int) async throws -> [Fireball] {
    try await refusing {
      try await store.fetch(
        ObjectQuery(
          "Fireball", where: "impactEnergy > \(energy)", sort: [.init("impactEnergy", ascending: false)],
          limit: limit),
        as: Fireball.self)
    }
  }

  /// `PATCH /fireballs/DATE`: corrects what a feed has said.
  ///
  /// - Returns: the place in history behind the correction, for `changes(after:to:)`; nil where it changed nothing.
  func correct(_ date: Date, impactEnergy: Double, by author: String) async throws -> String? {
    try await refusing {
      try await store.update(
        "Fireball", where: "date = \(date)", set: ["impactEnergy": impactEnergy],
        options: EditOptions(author: author)
      ).token?.description
    }
  }

  /// `GET /fireballs/changes`, with the last event's name in `Last-Event-ID`: what has changed, and what changes from now on.
  ///
  /// It ends when the client goes away or the service shuts down.
  func changes(
    after lastEvent: String?, to writer: @escaping @Sendable (ChangeEvent) async throws -> Void
  ) async throws {
    try await refusing {
      let token = try lastEvent.map { try HistoryToken(parsing: $0) }
      for try await change in store.changes(of: "Fireball", as: Fireball.self, after: token)
        .cancelOnGracefulShutdown()
      {
        try await writer(
          ChangeEvent(
            id: change.token?.description, kind: change.kind.rawValue, fireball: change.object,
            author: change.author))
      }
    }
  }

  private func refusing<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
    do { return try await body() } catch { throw Refusal(error) }
  }

  // MARK: Life

  /// Keeps the index up to date until the service shuts down, and closes the store.
  ///
  /// The web server is a service behind this one: it shuts down first, and with it the uploads.
  func run() async throws {
    try await cancelWhenGracefulShutdown {
      let start = try await store.newestToken()
      if try await !store.namedReaders().contains(where: { $0.name == "search" }) {
        try await store.addReader("search", from: .beginning)
      }
      try await catchUp()
      for try await _ in store.transactions(after: start) { try await catchUp() }
    }
    try await store.close()
  }

  /// Sends the index what it has not seen. A transaction that it did not take is sent again the next time, also after a crash.
  private func catchUp() async throws {
    do {
      _ = try await store.deliver(to: "search") { try await index.apply($0.changes) }
    } catch let error as StoreError where [.tokenExpired, .tokenDiverged].contains(error.code) {
      // Its history is gone, or the store was restored from a copy: begin again with all objects.
      let (snapshot, rows) = try await store.snapshotRows()
      await index.clear()
      for try await row in rows { await index.put(row) }
      try await store.resetReader("search", to: .token(snapshot.token))
    } catch is CancellationError {
      // The service shuts down; the index goes on from here the next time.
    }
  }
}

/// A fireball, as clients get it.
struct Fireball: Codable, Hashable, Sendable {
  var date: Date
  var impactEnergy: Double?
  var latitude: Double?
  var longitude: Double?
}

/// What a client is told of its upload.
enum UploadEvent: Hashable, Sendable {
  case progress(read: Int, rejected: Int)
  case finished(UploadSummary)
  case failed(Refusal)
}

/// What became of an upload.
struct UploadSummary: Codable, Hashable, Sendable {
  var inserted, updated, unchanged, rejected: Int
  /// The first records that were rejected: where they are and why, without their values.
  var problems: [String]
  var isGood: Bool

  init(_ report: ImportReport) {
    let counts = report.progress.counts
    (inserted, updated, unchanged) = (counts.inserted, counts.updated, counts.unchanged)
    rejected = counts.rejected
    problems = report.firstRejects.map { "record \($0.record), line \($0.line): \($0.code)" }
    isGood = report.verdict != .tooManyRejected
  }
}

/// A change, as clients get it; `id` is the name of the event.
struct ChangeEvent: Codable, Hashable, Sendable {
  var id: String?
  var kind: String
  var fireball: Fireball?
  var author: String?
}

/// Why a request was not answered: an HTTP status, a word for programs, and a sentence.
struct Refusal: Error, Codable, Hashable, Sendable {
  var status: Int
  var code: String
  var message: String

  init(_ error: any Error) {
    switch error {
    case let error as Refusal:
      self = error
    case let error as ImportError:
      let status =
        switch error.kind {
        case .noInput, .badInput: 400
        case .cancelled, .store(.busy), .store(.locked), .store(.closed): 503
        default: 500
        }
      self.init(status, error.code, error.message)
    case let error as StoreError:
      let status =
        switch error.code {
        case .tokenExpired, .tokenDiverged: 410
        case .notAToken, .tokenOfAnotherStore, .tokenFromTheFuture, .badRequest, .typeMismatch: 400
        case .busy, .locked, .closed: 503
        default: 500
        }
      self.init(status, "\(error.code)", error.message)
    default:
      self.init(503, "cancelled", "the service shuts down")
    }
  }

  private init(_ status: Int, _ code: String, _ message: String) {
    (self.status, self.code, self.message) = (status, code, message)
  }
}
