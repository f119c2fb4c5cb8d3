import UploadDraft

/// What is known about how a server resumes uploads.
package enum ResumeServer: Hashable, Sendable, Codable {
  /// It speaks tus.
  case tus(TusServer)
  /// Each upload asks the server whether it can resume.
  case http(HTTPResumeServer)
  /// A proxy in front of it takes an interim reply for the final one, so the server gets only the usual request.
  case usual

  /// Whether the end of an attempt may mean that the server has changed since an earlier session looked at it.
  package func isRefuted(by end: TransferEnd) -> Bool {
    // Nothing was sent, because the file exceeds a remembered limit.
    if case .tooLarge = end.trouble { return true }
    if case .unresumable = end.trouble { return true }
    // Only a refusal counts, since content that was taken is not sent again, whatever the server says about itself.
    guard let status = end.status, (400..<500).contains(status) else { return false }
    // An ordinary upload can be refused for many reasons. It means a change only if the reply says that the server
    // speaks tus (tus 1.0.0, "Tus-Version").
    guard case .tus = self else {
      return end.headers["tus-version"] != nil || end.headers["tus-resumable"] != nil
    }
    // These statuses concern who sends what, not how.
    return ![401, 403, 407, 413, 429].contains(status)
  }
}

/// What is known about a server that may speak Resumable Uploads for HTTP.
package struct HTTPResumeServer: Hashable, Sendable, Codable {
  /// The limits that it has announced, if any.
  package var limits: ResumeLimits?
  /// The version of the draft in which it is asked whether an upload can resume.
  package var version = DraftVersion.newest
  /// Whether `version` is known to be the server's version, or the server is known to speak no version. If not, older
  /// versions are tried when the server makes no offer.
  package var isSettled = true

  package init(
    limits: ResumeLimits? = nil, version: DraftVersion = .newest, isSettled: Bool = true
  ) {
    (self.limits, self.version, self.isSettled) = (limits, version, isSettled)
  }
}

/// Remembers from session to session what is known about servers. Servers that it does not remember are asked again.
package protocol ResumeMemory: Sendable {
  /// What is known about the server at an address, unless it is out of date.
  func resumeServer(at address: String) -> ResumeServer?
  /// Remembers what is known about a server; nil forgets it.
  func remember(_ server: ResumeServer?, at address: String)
}
