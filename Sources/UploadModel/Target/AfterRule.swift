/// What becomes of a local file once its server has proved that it has it.
package enum Disposal: Hashable, Sendable, Codable {
  /// It goes into the trash, or is deleted if there is none on its file system.
  case delete
  /// It goes into this folder; a relative path begins at the file's own folder.
  case move(to: String)
}

/// What becomes of local files after they were sent.
package struct AfterRule: Hashable, Sendable {
  /// What becomes of a file; nil if it stays.
  package var disposal: Disposal?
  /// Statuses by which the server proves that it has the file.
  package var finals: Set<Int> = []

  /// A rule by which files stay.
  package init() {}

  /// What becomes of a file that a target has taken with this receipt; nil if it stays.
  func disposal(for receipt: Receipt, of target: Target) -> Disposal? {
    let isThere = receipt.wasThere && receipt.sent == nil && target.exists?.asksForContent == true
    let isFinal = !receipt.wasThere && finals.contains(receipt.status)
    return receipt.verified != nil || isThere || isFinal ? disposal : nil
  }
}

extension ExistenceCheck {
  /// Whether the server is asked for the content of the file, by a digest, and not just for a name.
  fileprivate var asksForContent: Bool {
    templates.contains { $0.placeholders.contains { $0.digest != nil } }
  }
}
