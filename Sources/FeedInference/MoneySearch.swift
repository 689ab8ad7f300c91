internal import FeedReading
internal import ImportModel

/// Finds amounts of money, which are decimals: a double has no 0.10.
///
///     price "12.50", currency "EUR"    →  decimal with scale 2
///
/// The name has to say it, and the values: numbers with some decimals, and few of them.
enum MoneySearch {
  /// Gives the attributes that are money their type.
  ///
  /// - Parameter sources: what was seen of each attribute, and where.
  static func apply(to attributes: inout [DraftAttribute], _ sources: [DraftSource]) {
    let currencies = sources.filter { namesCurrency($0.path) && $0.values.texts > 0 }
    let prices = sources.filter { $0.values.decimals != nil && Kind($0.path) == .always }
    for (index, source) in sources.enumerated() {
      guard let decimals = source.values.decimals, let kind = Kind(source.path) else { continue }
      let object = source.path.dropLast()
      let currency = currencies.first { $0.path.dropLast() == object }?.path.last
      let isBesidePrice = prices.contains { $0.path.dropLast() == object }
      guard kind == .always || currency != nil || isBesidePrice || kind == .withCents && decimals.most == 2
      else { continue }
      attributes[index].choice.takeAsMoney(decimals, currency: currency)
    }
  }

  /// What a name says of money.
  private enum Kind {
    /// It is money.
    case always
    /// It is money if the numbers have cents.
    case withCents
    /// It is money if its neighbours are.
    case besideMoney

    /// Nil for a name that does not speak of money: `price_change`, `fee_type`.
    init?(_ path: [String]) {
      var found: Kind?
      // `price/value` is named by both its keys; `total_price_usd` by its last words.
      for word in path.suffix(2).flatMap({ NameWords.of($0) }).reversed() {
        let word = word.lowercased()
        let singular = word.hasSuffix("s") ? String(word.dropLast()) : word
        if MoneySearch.prices.contains(singular) {
          self = .always
          return
        }
        if MoneySearch.sums.contains(singular) {
          found = .withCents
        } else if MoneySearch.others.contains(singular) {
          found = found ?? .besideMoney
        } else if !MoneySearch.neutral.contains(word) {
          // A total of something else, such as rain.
          if found != nil { found = .besideMoney }
          break
        }
      }
      guard let found else { return nil }
      self = found
    }
  }

  private static func namesCurrency(_ path: [String]) -> Bool {
    NameWords.of(path.last ?? "").contains { ["currency", "ccy"].contains($0.lowercased()) }
  }

  private static let prices: Set<String> = [
    "price", "cost", "fee", "fare", "salary", "wage", "revenue", "subtotal", "msrp", "payment", "invoice",
    "refund", "expense", "vat",
  ]

  private static let sums: Set<String> = [
    "amount", "total", "balance", "tax", "rent", "budget", "deposit", "income", "payout",
  ]

  private static let others: Set<String> = [
    "charge", "discount", "paid", "due", "credit", "debit", "tip", "bid", "ask",
  ]

  /// Words beside those that leave the meaning as it is: codes of currencies too, and objects that hold the fields.
  private static let neutral: Set<String> = [
    "value", "min", "max", "low", "high", "lowest", "highest", "average", "avg", "net", "gross", "incl",
    "excl", "with", "without", "including", "excluding", "per", "unit", "item", "line", "in", "old", "new",
    "original", "current", "properties", "attributes", "fields", "data", "record", "result", "before",
    "after", "order", "account", "grand", "opening", "closing",
    "transaction", "usd", "eur", "gbp", "jpy", "chf", "cad", "aud", "nzd", "sek", "nok", "dkk", "pln", "czk",
    "huf", "cny", "inr", "brl", "mxn", "zar", "krw", "sgd", "hkd",
  ]
}

extension TypeChoice {
  /// Makes numbers with decimals amounts of money.
  fileprivate mutating func takeAsMoney(_ decimals: (fewest: Int, most: Int), currency: String?) {
    guard type == .double || alternative?.type == .double else { return }
    // Cents are money's, even where a feed leaves out a nought.
    let decimal = AttributeType.decimal(scale: max(2, decimals.most))
    if type == .double { type = decimal }
    if alternative?.type == .double { alternative?.type = decimal }
    let places = "\(decimals.most) \(decimals.most == 1 ? "decimal" : "decimals")"
    notes.insert(
      "money, by its name\(currency.map { " and `\($0)` beside it" } ?? ""), "
        + (decimals.fewest == decimals.most ? "always \(places)" : "at most \(places)"), at: 0)
  }
}
