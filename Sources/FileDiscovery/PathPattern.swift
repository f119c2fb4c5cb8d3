// All text in here is Unicode scalars.
/// A pattern for paths in the style of `.gitignore`.
///
/// `*` matches anything but a slash, `?` one character, `[a-z]` one of a set, `**` any number of folders. A
/// pattern with a slash before its end is relative to the folder that it was written for; any other matches
/// names at every depth. A trailing slash restricts it to folders. A leading `!` reverses an earlier pattern.
/// Source: gitignore(5), "Pattern format".
package struct PathPattern: Hashable, Sendable {
  /// Whether the pattern reverses an earlier one.
  package let isNegated: Bool
  private let isForFolders: Bool
  private let isAnchored: Bool
  private let segments: [[Unicode.Scalar]]

  /// Parses a line; nil if the line contains no pattern.
  package init?(_ line: some StringProtocol) {
    var rest = Array(line.unicodeScalars)[...]
    while rest.last == " ", rest.dropLast().last != "\\" { rest.removeLast() }
    isNegated = rest.first == "!"
    if isNegated { rest.removeFirst() }
    isForFolders = rest.last == "/"
    if isForFolders { rest.removeLast() }
    isAnchored = rest.contains("/")
    if rest.first == "/" { rest.removeFirst() }
    segments = rest.split(separator: "/", omittingEmptySubsequences: true).map(Array.init)
    guard !segments.isEmpty else { return nil }
  }

  /// Whether the pattern matches the file or folder at this path, which is relative to the pattern's folder.
  package func matches(_ path: some Collection<String>, isFolder: Bool) -> Bool {
    if isForFolders, !isFolder { return false }
    let names = path.map { Array($0.unicodeScalars) }
    guard isAnchored else { return names.last.map { Self.matches(segments[0], $0) } ?? false }
    return Self.matches(segments[...], names[...])
  }

  private static func matches(
    _ segments: ArraySlice<[Unicode.Scalar]>, _ names: ArraySlice<[Unicode.Scalar]>
  ) -> Bool {
    // Element n says whether the segments so far match the first n names.
    var reached = [true] + Array(repeating: false, count: names.count)
    for (index, segment) in zip(segments.indices, segments) {
      var next = Array(repeating: false, count: names.count + 1)
      if segment == ["*", "*"] {
        guard let first = reached.firstIndex(of: true) else { return false }
        // At the end, `**` stands for everything inside, and so for at least one name.
        let isLast = index == segments.endIndex - 1
        for end in next.indices.dropFirst(isLast ? first + 1 : first) { next[end] = true }
      } else {
        for (end, name) in names.enumerated() where reached[end] {
          next[end + 1] = matches(segment, name)
        }
      }
      reached = next
    }
    return reached[names.count]
  }

  /// Matches a single name, in time at worst proportional to the product of both lengths: only the last `*` ever needs
  /// a retry.
  private static func matches(_ pattern: [Unicode.Scalar], _ name: [Unicode.Scalar]) -> Bool {
    var (at, place) = (0, 0)
    var retry: (at: Int, place: Int)?
    while place < name.count {
      if at < pattern.count, pattern[at] == "*" {
        at += 1
        retry = (at, place)
      } else if at < pattern.count, let length = one(pattern, at, takes: name[place]) {
        at += length
        place += 1
      } else if let last = retry {
        (at, place) = (last.at, last.place + 1)
        retry = (last.at, last.place + 1)
      } else {
        return false
      }
    }
    return pattern[at...].allSatisfy { $0 == "*" }
  }

  /// How many scalars of the pattern match this scalar; nil if they do not match.
  private static func one(
    _ pattern: [Unicode.Scalar], _ start: Int, takes scalar: Unicode.Scalar
  ) -> Int? {
    switch pattern[start] {
    case "?": return 1
    case "\\" where start + 1 < pattern.count: return pattern[start + 1] == scalar ? 2 : nil
    case "[":
      guard let (brackets, length) = Brackets.read(pattern[start...]) else { fallthrough }
      return brackets.contains(scalar) ? length : nil
    default: return pattern[start] == scalar ? 1 : nil
    }
  }

  /// A bracket expression: a set of characters and ranges.
  private struct Brackets {
    private var ranges: [ClosedRange<Unicode.Scalar>] = []
    private var isInverted = false

    /// Parses from `[` on. The length includes both brackets. Nil if the bracket is not closed.
    static func read(_ text: ArraySlice<Unicode.Scalar>) -> (Brackets, length: Int)? {
      var brackets = Brackets()
      var rest = text.dropFirst()
      if rest.first == "!" || rest.first == "^" {
        brackets.isInverted = true
        rest.removeFirst()
      }
      var isFirst = true
      while let scalar = rest.popFirst() {
        if scalar == "]", !isFirst { return (brackets, text.count - rest.count) }
        isFirst = false
        let low = scalar == "\\" ? rest.popFirst() ?? scalar : scalar
        if rest.first == "-", let high = rest.dropFirst().first, high != "]" {
          rest = rest.dropFirst(2)
          if low <= high { brackets.ranges.append(low...high) }
        } else {
          brackets.ranges.append(low...low)
        }
      }
      return nil
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
      ranges.contains { $0.contains(scalar) } != isInverted
    }
  }
}
