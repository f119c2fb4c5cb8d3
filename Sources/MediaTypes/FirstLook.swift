/// What the first bytes of a file tell without libmagic, which takes milliseconds for a text: it looks for the marks of
/// dozens of languages on every line.
enum FirstLook: Equatable, Sendable {
  /// The type is certain enough.
  case type(MediaType)
  /// libmagic must look at this many bytes of the file, or at all of the sample.
  case ask(Int)
  /// libmagic must look at this many bytes, and at the whole sample if it then knows no type or one that others share.
  case askTwice(Int)

  /// How many bytes of a file are enough for a first look.
  static let length = 4096

  /// How many bytes that are no text are enough for libmagic: it has no signature of something small behind them.
  private static let binaryLength = 1104

  /// Looks at the first bytes of a file; there is at least one.
  init(_ head: [UInt8]) {
    if let certain = Self.certain.first(where: { $0.matches(head) }).flatMap({ MediaType($0.type) })
    {
      self = .type(certain)
    } else if !Self.isText(head) {
      self = .askTwice(Self.binaryLength)
    } else if head.count > 1, Self.looksLikeProse(head), let plain = MediaType("text/plain") {
      self = .type(plain)
    } else {
      // libmagic recognises JSON only by all of it.
      let first = head.first { !Self.isBlank($0) }
      self = first.map(Array("{[".utf8).contains) == true ? .ask(.max) : .ask(Self.length)
    }
  }

  /// Whether libmagic should also look at the rest of a sample of `count` bytes, after this answer to the first bytes
  /// of content that is no text.
  static func isOpen(_ type: MediaType?, of count: Int) -> Bool {
    guard let type, type != .octetStream else { return count > smallestImage }
    return shared.contains(type.description)
  }

  /// Nothing smaller has its signature behind the bytes of a first look: that of an ISO 9660 image is at 32 KiB.
  private static let smallestImage = 32 * 1024

  /// The types of the first bytes that archives and documents share.
  private static let shared: Set<String> = [
    "application/zip", "application/x-ole-storage", "application/gzip",
  ]

  /// The signatures that libmagic calls by the same type, whatever follows.
  private static let certain = Signature.all.filter {
    ["image/jpeg", "image/gif", "application/pdf"].contains($0.type)
  }

  // MARK: Text

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  /// Whether bytes are the beginning of a text in UTF-8.
  static func isText(_ head: [UInt8]) -> Bool {
    var isASCII = true
    for byte in head {
      // Backspace, the blanks and the escapes of terminals occur in texts.
      guard byte >= 0x20 && byte != 0x7F || (0x08...0x0D).contains(byte) || byte == 0x1B else {
        return false
      }
      if byte >= 0x80 { isASCII = false }
    }
    // The last character may be cut off.
    return isASCII
      || (0...3).contains { String(validating: head.dropLast($0), as: UTF8.self) != nil }
  }

  /// Whether a text begins like a page for browsers.
  static func isHTML(_ head: [UInt8]) -> Bool {
    contains("<!doctype html", in: head) || contains("<html", in: head)
  }

  /// Whether there is the beginning of a PDF in bytes that come before it.
  static func isPDF(_ head: [UInt8]) -> Bool { contains("%pdf-", in: head) }

  /// Whether a text begins like prose, a log or a list, so that libmagic would find no language and no format.
  private static func looksLikeProse(_ head: [UInt8]) -> Bool {
    let text = head.drop(while: isBlank)
    guard let first = text.first, !marks.contains(first) else { return false }
    let start = text.prefix(longestWord).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    return !words.contains { start.starts(with: $0) } && !looksLikeTable(head)
      && !contains("<html", in: head.prefix(1024))
  }

  /// What code, markup and settings begin with.
  private static let marks = Set("#<{[%@\"'*/\\;(!.&$|~^-".utf8)

  /// What languages, messages and other formats begin with, in lower case.
  private static let words: [[UInt8]] = [
    "from ", "from: ", "to: ", "received: ", "return-path: ", "delivered-to: ", "date: ",
    "subject: ", "message-id: ", "mime-version: ", "path: ", "newsgroups: ", "xref: ", "article ",
    "relay-version: ", "content-type: ", "x-", "begin", "diff ", "index: ", "import ", "package ",
    "def ", "class ", "use ", "require", "module ", "var ", "let ", "const ", "function",
    "typedef", "struct", "extern ", "static ", "int ", "void ", "msgid ", "digraph", "graph ",
    "set ", "proc ", "cmake", "dn: ", "version ", "p1", "p2", "p3", "p4", "p5", "p6",
  ].map { Array($0.utf8) }

  private static let longestWord = words.map(\.count).max() ?? 0

  /// Whether the first two lines have the same number of commas, as those of a table (CSV) have.
  private static func looksLikeTable(_ head: [UInt8]) -> Bool {
    let lines = head.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
    let commas = lines.prefix(2).map { line in line.count { $0 == UInt8(ascii: ",") } }
    guard let first = commas.first, first > 0 else { return false }
    return commas.count == 1 || commas[1] == first
  }

  /// Whether bytes contain a text in lower case, in whichever case they have it.
  private static func contains(_ word: String, in bytes: some Collection<UInt8>) -> Bool {
    let word = Array(word.utf8)
    var rest = bytes[...]
    while let start = rest.firstIndex(of: word[0]) {
      rest = rest[start...]
      if rest.prefix(word.count).map({ (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }) == word {
        return true
      }
      rest = rest.dropFirst()
    }
    return false
  }
}
