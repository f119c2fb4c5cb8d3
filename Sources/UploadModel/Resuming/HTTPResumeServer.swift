import UploadDraft

/// What is known about a server that may speak Resumable Uploads for HTTP.
package struct HTTPResumeServer: Hashable, Sendable, Codable {
  /// The limits that it has announced, if any.
  package var limits: ResumeLimits?
  /// The version of the draft in which it is asked whether an upload can resume.
  package var version: DraftVersion
  /// Whether `version` is known to be its version, or it is known to speak none. If not, older ones are tried when it
  /// makes no offer.
  package var isSettled: Bool

  /// By default, a server that is asked only in the newest version.
  package init(
    limits: ResumeLimits? = nil, version: DraftVersion = .newest, isSettled: Bool = true
  ) {
    (self.limits, self.version, self.isSettled) = (limits, version, isSettled)
  }
}
