/// A name that a stranger chose, made fit to be a file in one folder.
///
/// It has no directories, is not hidden, and is no name that some system treats specially, so that the
/// folder can be shared with any machine.
struct SafeFileName: Hashable {
  /// The longest name that Linux file systems take, in bytes (NAME_MAX).
  static let maxBytes = 255

  /// Everything before the extension.
  let stem: String
  /// The extension with its dot, or nothing.
  let suffix: String

  init(_ sent: String) {
    // Clients send whole paths of any system (RFC 7578, section 4.2: directories are to be ignored).
    let last = sent.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last ?? ""
    var name = String(
      String.UnicodeScalarView(
        last.unicodeScalars.filter { !Self.isDropped($0) }.map {
          Self.forbidden.contains($0) ? "_" : $0
        }))
    // Hidden on Unix in front, cut off by Windows at the end.
    name = String(name.drop { $0 == "." || $0.isWhitespace })
    while let end = name.last, end == "." || end.isWhitespace { name.removeLast() }
    if name.isEmpty { name = "file" }
    if Self.isDevice(name) { name = "_" + name }
    (stem, suffix) = Self.split(name)
  }

  /// The name, or a variation of it in case it is taken: `photo (2).jpg`.
  func candidate(_ mark: String? = nil) -> String {
    let end = (mark.map { " (\($0))" } ?? "") + suffix
    return Self.shorten(stem, to: Self.maxBytes - end.utf8.count) + end
  }

  /// What Windows takes in no name, and a colon there even names a stream inside the file.
  private static let forbidden: Set<Unicode.Scalar> = ["<", ">", ":", "\"", "|", "?", "*"]

  /// Control characters (they act on terminals) and the invisible ones that reorder text, which
  /// disguise an extension.
  private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: scalar.properties.isBidiControl
    }
  }

  /// Names that Windows gives to devices, whatever their extension
  /// (https://learn.microsoft.com/windows/win32/fileio/naming-a-file).
  private static func isDevice(_ name: String) -> Bool {
    var base = name.prefix { $0 != "." }.uppercased()
    while base.last == " " { base.removeLast() }
    if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(base) { return true }
    guard base.count == 4, base.hasPrefix("COM") || base.hasPrefix("LPT") else { return false }
    return base.last.map { "0123456789¹²³".contains($0) } ?? false
  }

  private static func split(_ name: String) -> (stem: String, suffix: String) {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
    var start = dot
    // `a.tar.gz` becomes `a (2).tar.gz`.
    if let inner = name[..<dot].lastIndex(of: "."), inner != name.startIndex,
      name[inner..<dot].lowercased() == ".tar"
    {
      start = inner
    }
    // Something that long is no extension, and must not leave the stem without room.
    guard name[start...].utf8.count <= 32 else { return (name, "") }
    return (String(name[..<start]), String(name[start...]))
  }

  /// The longest beginning of a text that has at most so many bytes and cuts no character, unless the
  /// first one alone is longer.
  private static func shorten(_ text: String, to limit: Int) -> String {
    guard text.utf8.count > limit else { return text }
    var length = 0
    let characters = text.prefix {
      length += $0.utf8.count
      return length <= limit
    }
    guard characters.isEmpty else { return String(characters) }
    length = 0
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix {
          length += UTF8.width($0)
          return length <= limit
        }))
  }
}
