import MultipartForm

/// A pending move or deletion of a local file. The server has proved that it has the file's content.
package struct Disposal: Hashable, Sendable, Codable {
  package enum Way: Hashable, Sendable, Codable {
    /// It goes into the trash, or is deleted if its file system has no trash.
    case delete
    /// It goes into this folder; a relative path begins at the file's own folder.
    case move(to: String)
  }

  package var way: Way
  /// The moment whose content the server has; nil if it is not known. A file with other content is not the one that the
  /// server has.
  package var moment: FileMoment?

  package init(_ way: Way, of moment: FileMoment?) { (self.way, self.moment) = (way, moment) }
}

/// What becomes of local files after they have been sent.
package struct AfterRule: Hashable, Sendable {
  /// What becomes of a file; nil if it stays.
  package var way: Disposal.Way?
  /// Statuses by which the server proves that it has the file.
  package var finals: Set<Int> = []

  package init() {}

  /// What becomes of a file that a target has accepted with this receipt, at the end of a request; nil if the file
  /// stays. The status of a receipt that came from another address than the target's, by a redirect, proves nothing, and
  /// neither does one whose reply is in doubt. A file that has grown has content that the server lacks.
  func disposal(
    for receipt: Receipt, after end: TransferEnd, of target: Target, isRedirected: Bool
  ) -> Disposal? {
    let isThere =
      receipt.wasThere && receipt.sent == nil && end.provesPresence
      && target.exists?.asksForContent == true
    let isFinal =
      !receipt.wasThere && !isRedirected && receipt.doubt == nil
      && finals.contains(receipt.status)
    guard let way, receipt.growth == nil, receipt.verified != nil || isThere || isFinal else {
      return nil
    }
    return Disposal(way, of: end.moment)
  }
}

extension ExistenceCheck {
  /// Whether the server is asked about the content of the file, by digest, and not just about a name.
  var asksForContent: Bool {
    templates.contains { $0.placeholders.contains { $0.digest != nil } }
  }
}
