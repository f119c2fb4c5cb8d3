import UploadDraft
import UploadModel

/// Finds the version of the draft (draft-ietf-httpbis-resumable-upload) that a server speaks.
///
/// An offer is requested in the newest version. If the server names another version, that one is used. If it makes no
/// offer, the next older version is tried. After the oldest version, the newest is used again, whatever the outcome.
struct VersionNegotiation {
  /// The version of the next request.
  private(set) var version: DraftVersion
  /// The version of a new upload: the server's, as far as it is known.
  private(set) var offered: DraftVersion
  /// Whether no other version is tried.
  private(set) var isSettled: Bool
  /// Whether a refusal has named a version in this attempt.
  private var isNamed = false

  /// - Parameter upload: the version in which the upload that goes on was offered; nil for a new upload.
  init(with server: HTTPResumeServer, upload: DraftVersion?) {
    (offered, isSettled) = (server.version, server.isSettled)
    version = upload ?? server.version
  }

  /// Begins a new upload, which is not bound to the version of the one before it.
  mutating func beginUpload() { version = offered }

  /// Notes the server's version. Returns whether that is news.
  @discardableResult
  mutating func settle(on found: DraftVersion) -> Bool {
    let isNews = !isSettled || offered != found
    (version, offered, isSettled) = (found, found, true)
    return isNews
  }

  /// Tries no other version.
  mutating func settle() { isSettled = true }

  /// Moves to the next older version. After the oldest, settles on the newest for good.
  mutating func tryOlder() {
    guard let older = version.older.first else {
      settle(on: .newest)
      return
    }
    (version, offered) = (older, older)
  }

  /// Takes the version that a refusal names, if it is another one than the refused one. Returns whether it did. That
  /// happens once in an attempt, so that a server that refuses what it has named is not asked for ever.
  mutating func take(named version: DraftVersion?) -> Bool {
    guard let version, version != self.version, !isNamed else { return false }
    isNamed = true
    settle(on: version)
    return true
  }
}
