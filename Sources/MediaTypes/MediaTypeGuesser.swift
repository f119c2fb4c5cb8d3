import Synchronization

/// Guesses the media type of a file by its name or, if no table knows the name, by its first bytes. A type that the
/// caller gives takes precedence.
///
/// If a table knows the name, only the first few hundred bytes are read, and only if they could contradict it
/// (``MediaTypeGuess/contradiction``). Among tables the longest matching pattern wins, so that `.tar.gz` in one table
/// beats `.gz` in another. At equal length the earlier table wins, unless it has several types for the pattern and a
/// later one has just one.
///
/// ```swift
/// let guess = MediaTypeGuesser.system.guess(path: "photo.jpg")
/// print(guess.type, guess.source)  // image/jpeg by extension .jpg (mime.types)
/// ```
public struct MediaTypeGuesser: Sendable {
  /// A guesser with this machine's tables, which are loaded on first use.
  public static let system = MediaTypeGuesser(
    tables: NameTable.ofThisMachine() + [.builtIn], content: ContentSniffer())

  private let tables: [NameTable]
  private let content: ContentSniffer
  private let endings = Endings()

  /// Makes a guesser with tables of your own.
  /// - Parameters:
  ///   - tables: in order of precedence.
  ///   - content: examines files whose names no table knows.
  public init(tables: [NameTable], content: ContentSniffer) {
    self.tables = tables
    self.content = content
  }

  /// Guesses the type of the file at a path.
  ///
  /// Never fails: a file that cannot be read or recognised is ``MediaType/octetStream``, with the reason.
  /// - Parameters:
  ///   - path: the raw bytes of the path, since file names need not be UTF-8. If a table knows the file's name, at
  ///     most its first bytes are read.
  ///   - override: the type to use in any case.
  public func guess(path: [UInt8], override: MediaType? = nil) -> MediaTypeGuess {
    if let override { return MediaTypeGuess(type: override, source: .override) }
    let slash = UInt8(ascii: "/")
    let trimmed = path[...(path.lastIndex { $0 != slash } ?? -1)]
    let name = Array(trimmed[((trimmed.lastIndex(of: slash) ?? -1) + 1)...])
    guard var guess = guess(name: name) else { return content.guess(path: path) }
    if Signature.canContradict(guess.type), let head = ContentSniffer.head(of: path) {
      guess.contradiction = Signature.contradiction(of: guess.type, head)
    }
    return guess
  }

  /// Guesses the type of the file at a path.
  public func guess(path: String, override: MediaType? = nil) -> MediaTypeGuess {
    guess(path: Array(path.utf8), override: override)
  }

  /// Guesses by a file's name alone; nil if no table knows it, or if it reveals nothing about the content.
  public func guess(name: some StringProtocol) -> MediaTypeGuess? { guess(name: Array(name.utf8)) }

  /// Frees the memory that is only needed to examine content, until the next file that needs it.
  public func unload() { content.unload() }

  /// Guesses by the raw bytes of a file's name alone; nil if no table knows it, or if it reveals nothing about the
  /// content.
  public func guess(name bytes: [UInt8]) -> MediaTypeGuess? {
    guard !bytes.isEmpty else { return nil }
    let name = FileName(bytes)
    guard let ending = name.ending, ending.count <= Endings.longest,
      tables.allSatisfy({ $0.goesBySuffix(name) })
    else {
      return guess(name)
    }
    return endings.guess(for: Array(ending)) { guess(name) }
  }

  private func guess(_ name: FileName) -> MediaTypeGuess? {
    var best: (match: NameTable.Match, table: Int)?
    for table in tables.indices {
      guard let match = tables[table].match(name) else { continue }
      let (length, longest) = (match.pattern.utf8.count, best?.match.pattern.utf8.count ?? 0)
      let decides = length == longest && best?.match.isAmbiguous == true && !match.isAmbiguous
      if length > longest || decides { best = (match, table) }
    }
    guard let best, let type = best.match.type else { return nil }
    return MediaTypeGuess(
      type: type,
      source: .extensionTable(pattern: best.match.pattern, name: tables[best.table].title))
  }
}

/// Guesses that were made for the endings of names. A folder has thousands of files, but only a few endings.
private final class Endings: Sendable {
  private let known = Mutex<[[UInt8]: MediaTypeGuess?]>([:])
  private static let most = 256
  /// Longer ones are hardly shared by two files.
  static let longest = 16

  func guess(for ending: [UInt8], _ make: () -> MediaTypeGuess?) -> MediaTypeGuess? {
    if let guess = known.withLock({ $0[ending] }) { return guess }
    let guess = make()
    known.withLock { known in
      if known.count >= Self.most { known = [:] }
      known.updateValue(guess, forKey: ending)
    }
    return guess
  }
}
