import ScalarText

/// The labels of targets in a narrow column. A target that is named by its URL is shown by the part of the URL that
/// tells it apart from the others.
struct TargetLabels {
  /// The common beginning of all URLs, up to the end of a part.
  private let shared: String.UnicodeScalarView
  private let isOfOneScheme: Bool

  init(_ names: [String]) {
    let urls = names.filter(Self.isURL).map { Array($0.unicodeScalars) }
    let first = urls.first ?? []
    // Keep at least one character of each URL.
    var count = urls.dropFirst().reduce(urls.count > 1 ? first.count - 1 : 0) { count, url in
      zip(first.prefix(count), url.dropLast()).prefix { $0 == $1 }.count
    }
    while count > 0, !Self.ends.contains(first[count - 1]) { count -= 1 }
    shared = String.UnicodeScalarView(first.prefix(count))
    isOfOneScheme = urls.count < 2 || shared.contains("/")
  }

  func label(_ name: String) -> String {
    guard Self.isURL(name) else { return name }
    let scheme = name.unicodeScalars.prefix { $0 != "/" }.count + 2
    let cut = isOfOneScheme ? max(shared.count, scheme) : 0
    return (cut > scheme ? "…" : "") + String(name.unicodeScalars.dropFirst(cut))
  }

  private static let ends = Set("/:.?&=-_".unicodeScalars)
  private static func isURL(_ name: String) -> Bool { name.contains(scalars: "://") }
}
