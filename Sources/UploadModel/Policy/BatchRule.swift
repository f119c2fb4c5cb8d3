/// How many files a target takes in one request.
package struct BatchRule: Hashable, Sendable {
  /// The most files in one request, from 1.
  package var maxFiles: Int
  /// The most bytes that the files of one request may have together. A larger file goes alone.
  package var maxBytes: Int64
  /// Whether a refused request is split in half and sent again, so that one bad file cannot make the other files fail.
  package var splitsRefused: Bool

  package init(maxFiles: Int, maxBytes: Int64 = 64 << 20, splitsRefused: Bool = false) {
    self.maxFiles = maxFiles
    self.maxBytes = maxBytes
    self.splitsRefused = splitsRefused
  }
}

extension Target {
  /// Why the target cannot batch files, as a sentence without its full stop; nil if the target can batch files. A
  /// request has only one place for a value that differs from file to file.
  package var batchConflict: String? {
    guard batch != nil else { return nil }
    if body == .binary { return "a binary body carries one file, but a batch has several" }
    if address?.placeholders.contains(where: \.belongsToFile) == true {
      return
        "the URL differs from file to file, but a batch has several files; remove one or the other"
    }
    if ticket?.templates.flatMap(\.placeholders).contains(where: \.belongsToFile) == true {
      return "a ticket is for one file, but a batch has several files; remove one or the other"
    }
    if response.failures.contains(where: { $0.template?.isLiteral == false }) {
      return
        "fail_when compares with the checksum of one file, but a batch has several files; remove one or the other"
    }
    for (kind, fields) in [("field", fields), ("query item", query), ("header", headers)] {
      for field in fields {
        guard let slot = field.value.placeholders.first(where: \.belongsToFile) else { continue }
        return
          "the \(kind) \"\(field.name)\" contains {\(slot.rawValue)}, which differs from file to "
          + "file, but a batch sends several files in one request; remove one or the other"
      }
    }
    return nil
  }
}

extension Template.Placeholder {
  /// Whether the placeholder's value differs from file to file.
  package var belongsToFile: Bool {
    !(Self.always + Self.ofReplies + [.id, .opened]).contains(self)
  }
}
