import ScalarText

// All text in here is Unicode scalars.

/// A file name that a stranger chose, made safe for a file in one folder.
///
/// It has no directories, is not hidden, and has no special meaning on any common system, so that any machine can share
/// the folder. All this is decided on Unicode scalars: a combining mark after a slash makes a different `Character`,
/// but the system still sees the slash.
struct SafeFileName: Hashable {
  private typealias Scalars = Substring.UnicodeScalarView

  /// Everything before the extension.
  let stem: String
  /// The extension with its dot, or an empty string.
  let suffix: String

  init(_ sent: String) {
    let kept = Self.lastComponent(sent.unicodeScalars[...]).filter { !Self.isDropped($0) }
    // Unix hides files with a leading dot; Windows strips trailing dots and blanks.
    var name = Scalars(kept.map { Self.forbidden.contains($0) ? "_" : $0 })
      .drop(while: Self.isDotOrBlank)
    while let end = name.last, Self.isDotOrBlank(end) { name.removeLast() }
    if name.isEmpty { name = "file".unicodeScalars[...] }
    if Self.isDevice(name) { name.insert("_", at: name.startIndex) }
    (stem, suffix) = Self.split(name)
  }

  /// The name. With a mark, a variation such as `photo (2).jpg`, for when the name itself is taken.
  func candidate(_ mark: String? = nil) -> String {
    let end = (mark.map { " (\($0))" } ?? "") + suffix
    return Self.shorten(stem, to: EntryName.maxBytes - end.utf8.count) + end
  }

  /// Characters that Windows does not allow in names. On Windows, a colon even names a stream inside the file;
  /// elsewhere, a backslash is an ordinary character.
  private static let forbidden: Set<Unicode.Scalar> = ["<", ">", ":", "\"", "|", "?", "*", "\\"]

  /// The name without the folders that clients may put in front of it (RFC 7578, section 4.2). Old browsers on Windows
  /// send whole paths, which start with a drive or two backslashes.
  private static func lastComponent(_ sent: Scalars) -> Scalars {
    func after(_ separator: Unicode.Scalar, _ path: Scalars) -> Scalars {
      path.lastIndex(of: separator).map { path[path.index(after: $0)...] } ?? path
    }
    let start = Array(sent.prefix(3))
    let isOfWindows =
      start.starts(with: ["\\", "\\"])
      || start.count == 3 && start[0].properties.isAlphabetic && start[1] == ":" && start[2] == "\\"
    return after("/", isOfWindows ? after("\\", sent) : sent)
  }

  /// Whether a scalar is a control character, which acts on terminals, or an invisible one that reorders text, which
  /// can disguise an extension.
  private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: scalar.properties.isBidiControl
    }
  }

  private static func isDotOrBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "." || scalar.properties.isWhitespace
  }

  /// Names that Windows gives to devices, whatever their extension
  /// (https://learn.microsoft.com/windows/win32/fileio/naming-a-file).
  private static func isDevice(_ name: Scalars) -> Bool {
    var base = String(name.prefix { $0 != "." }).uppercased().unicodeScalars[...]
    while base.last == " " { base.removeLast() }
    if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(String(base)) { return true }
    guard let digit = base.popLast(), ["COM", "LPT"].contains(String(base)) else { return false }
    return "0123456789¹²³".unicodeScalars.contains(digit)
  }

  private static func split(_ name: Scalars) -> (stem: String, suffix: String) {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex
    else { return (String(name), "") }
    var start = dot
    // `a.tar.gz` becomes `a (2).tar.gz`.
    if let inner = name[..<dot].lastIndex(of: "."), inner != name.startIndex,
      String(name[inner..<dot]).lowercasedASCII.hasSameScalars(as: ".tar")
    {
      start = inner
    }
    // A suffix of more than 32 bytes is not an extension, and could leave no room for the stem.
    let suffix = String(name[start...])
    return suffix.utf8.count <= 32 ? (String(name[..<start]), suffix) : (String(name), "")
  }

  /// The longest prefix of a text that has at most `limit` bytes and does not cut a character, unless the first
  /// character alone exceeds the limit.
  private static func shorten(_ text: String, to limit: Int) -> String {
    guard text.utf8.count > limit else { return text }
    let most = text.utf8.index(text.startIndex, offsetBy: limit)
    let end = text.indices.prefix { $0 <= most }.last
    // Rounded down to a whole scalar.
    guard let end, end > text.startIndex else { return String(text.unicodeScalars[..<most]) }
    return String(text[..<end])
  }
}
