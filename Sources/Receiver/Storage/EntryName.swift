/// A name in one folder: a single component of a path, checked as the bytes that the system sees. ``Inbox`` opens files
/// only by such a name and follows no link, so nothing that a client sends can lead out of the folder.
struct EntryName: CustomStringConvertible {
  /// The longest name that Linux file systems accept, in bytes (NAME_MAX).
  static let maxBytes = 255

  let text: String

  /// Nil if the text is empty or too long, contains a slash or a NUL, or is `.` or `..`.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard (1...Self.maxBytes).contains(bytes.count), !bytes.contains(0),
      !bytes.contains(UInt8(ascii: "/")), bytes != Array(".".utf8), bytes != Array("..".utf8)
    else { return nil }
    self.text = text
  }

  /// The name of one of the receiver's own files, whose part after the prefix is short and not chosen by a client.
  init(own name: String) { text = Inbox.ownPrefix + name }

  /// Whether the file can be neither listed nor fetched.
  var isHidden: Bool { text.utf8.first == UInt8(ascii: ".") }

  var description: String { text }
}
