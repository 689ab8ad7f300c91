package import ImportModel
internal import JSONStream

/// Holds each document of an import's inputs against what it says of itself.
package struct DocumentCheck {
  /// Where the key's attributes come from, as columns have to be named.
  var keySources: [String] = []
  /// What `count` counts; nil where the envelope tells.
  var count: FeedCount?
  /// Whether the records that were read are in a store now.
  var isStored = false
  /// The pages so far, where `count` is of all of them.
  private(set) var pages: FeedPages?

  package init(keySources: [String] = [], count: FeedCount? = nil, isStored: Bool = false) {
    self.keySources = keySources
    self.count = count
    self.isStored = isStored
  }

  /// A feed of rows that does not have the key's column is another feed, or has changed: no row of it can land.
  func begin(_ envelope: Envelope, input: String) throws(ImportError) {
    guard let names = envelope.names, let missing = keySources.first(where: { !names.contains($0) }) else {
      return
    }
    throw .keyMissing(input, missing, among: names)
  }

  /// A document ended well; does what it said of itself agree with what was read?
  mutating func end(_ envelope: Envelope, read: Int, input: String) throws(ImportError) {
    if read == 0 { try begin(envelope, input: input) }
    if let counted = envelope.count {
      switch count ?? envelope.meaningOfCount {
      case .exact where read != counted, .total where read > counted:
        throw .countDiffers(input, counted: counted, read: read, isStored: isStored)
      case .total: pages = FeedPages(total: counted, read: (pages?.read ?? 0) + read)
      case .exact, .ignore: break
      }
    }
    if read == 0, !envelope.hasRows, envelope.count != 0 {
      throw .noRows(input, envelope, isStored: isStored)
    }
  }
}

/// Pages of a feed that says with each of them how many records there are in all.
public struct FeedPages: Sendable, Hashable {
  /// The records of all pages, as the last one has it.
  public var total: Int
  /// The records of the pages that were read.
  public var read: Int

  /// Whether the pages that were read are all there are.
  public var isWhole: Bool { read == total }
}

extension Envelope {
  /// Keys of a page: which one it is, how many there are, or where the next one is; without their separators.
  private static let ofPages: Set<String> = [
    "next", "nextpage", "nexturl", "nextlink", "nexthref", "nexttoken", "nextpagetoken", "nextcursor",
    "nextoffset", "previous", "prev", "previouspage", "prevpage", "previousurl", "prevurl", "cursor", "limit",
    "offset", "start", "startindex", "skip", "page", "pages", "pagesize", "pagecount", "pagenumber",
    "pagetoken",
    "currentpage", "lastpage", "totalpages", "numpages", "perpage", "itemsperpage", "resultsperpage",
  ]

  /// A page says which one it is, or where the next one is.
  package var meaningOfCount: FeedCount {
    keys.contains { Self.ofPages.contains(NameWords.of($0).joined().lowercased()) } ? .total : .exact
  }
}
