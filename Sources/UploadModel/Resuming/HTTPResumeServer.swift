import UploadDraft

/// What is known about a server that may speak Resumable Uploads for HTTP.
package struct HTTPResumeServer: Hashable, Sendable, Codable {
  /// The limits that it has announced, if any.
  package var limits: ResumeLimits?
  /// The version of the draft in which it is asked whether an upload can resume.
  package var version = DraftVersion.newest
  /// Whether `version` is known to be the server's version, or the server is known to speak no version. If not, older
  /// versions are tried when the server makes no offer.
  package var isSettled = true
}
