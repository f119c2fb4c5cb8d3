import UploadDraft

/// What is known about a server that may speak Resumable Uploads for HTTP.
package struct HTTPResumeServer: Hashable, Sendable, Codable {
  /// The limits that it has announced, if any.
  package var limits: ResumeLimits?
  /// The version of the draft in which it is asked whether an upload can resume.
  package var version: DraftVersion
  /// Whether this is known to be its version, or none is. If not, older ones are tried when it does not make an offer.
  package var isSettled: Bool

  /// By default, a server that is asked in the newest version, and in no other.
  package init(
    limits: ResumeLimits? = nil, version: DraftVersion = .newest, isSettled: Bool = true
  ) {
    (self.limits, self.version, self.isSettled) = (limits, version, isSettled)
  }
}
