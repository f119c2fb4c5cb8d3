import ScalarText

/// The labels of targets in a narrow column. A target that is named by its URL is shown by the part of the URL that
/// tells it apart from the others.
struct TargetLabels {
  /// The common beginning of all URLs, up to the end of a part.
  private let shared: String.UnicodeScalarView
  private let isOfOneScheme: Bool
  private let names: [String]

  init(_ names: [String]) {
    // In a fixed order, so that each frame cuts them the same way.
    let names = names.sorted()
    self.names = names
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

  /// How many columns the longest label takes.
  func width(ascii: Bool) -> Int {
    names.lazy.map { Glyphs.width(Glyphs.of(label($0), ascii: ascii)) }.max() ?? 0
  }

  /// The labels in a column of this width. Those that do not fit are cut at their ends, or where that tells them apart.
  func fitting(_ width: Int, ascii: Bool) -> [String: [Glyph]] {
    let whole = names.map { Glyphs.of(label($0), ascii: ascii) }
    var shown = whole.map { TextFitting.end($0, to: width, ascii: ascii) }
    let groups = Dictionary(grouping: whole.indices.prefix(Self.mostCompared)) { shown[$0] }
    for group in groups.values.sorted(by: { $0[0] < $1[0] }) where group.count > 1 {
      let others = Set(shown.indices.filter { !group.contains($0) }.map { shown[$0] })
      let cuts = Self.cuts.lazy.map { cut in group.map { cut(whole[$0], width, ascii) } }
      let best = cuts.first { Set($0).count == group.count && others.isDisjoint(with: $0) }
      guard let best = best ?? cuts.max(by: { Set($0).count < Set($1).count }) else { continue }
      for (index, glyphs) in zip(group, best) { shown[index] = glyphs }
    }
    return Dictionary(zip(names, shown)) { first, _ in first }
  }

  private typealias Cut = @Sendable ([Glyph], _ width: Int, _ ascii: Bool) -> [Glyph]

  /// Ways to cut a label to a width, if the end is not enough: from that which leaves most of the beginning.
  private static let cuts: [Cut] = [
    { TextFitting.middle($0, to: $1, ascii: $2) },
    { glyphs, width, ascii in
      TextFitting.middle(glyphs, to: width, keeping: width / 2, ascii: ascii)
    },
    { glyphs, width, ascii in
      TextFitting.middle(glyphs, to: width, keeping: width - 1, ascii: ascii)
    },
  ]

  /// Each label is compared with the others for each frame.
  private static let mostCompared = 100

  private static let ends = Set("/:.?&=-_".unicodeScalars)
  private static func isURL(_ name: String) -> Bool { name.contains(scalars: "://") }
}
