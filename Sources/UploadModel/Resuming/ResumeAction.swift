/// What the caller must do for a resumable upload, in order.
package enum ResumeAction: Hashable, Sendable {
  /// Send this, and report how it ended.
  case send(ResumeRequest)
  /// Compute these digests of a range of the file, and report them.
  case digest(Range<Int64>, Set<ContentDigests.Algorithm>, number: Int)
  /// Discard what has been read from the file, no part of which has been sent.
  case readAnew
  /// Find out whether there was one moment at which the file contained all of the sent bytes, and report the result.
  case verify
  /// Record where the upload can resume, before anything else is sent.
  case keep(ResumePoint)
  /// Discard what was recorded.
  case forget
  /// Remember what the server can do.
  case learn(ResumeServer)
  /// Assume this about the server in this run only, since the evidence may be due to chance.
  case assume(ResumeServer)
  /// Begin the attempt again with what has been learnt, such as that the server speaks another protocol.
  case startAgain
  /// Cut off the request under way, which then ends with this cause.
  case stop(Failure.Cause)
  /// The attempt is over.
  case end(TransferEnd)
}

extension [ResumeAction] {
  /// How the attempt ends; nil if it goes on.
  var end: TransferEnd? {
    for case .end(let end) in reversed() { return end }
    return nil
  }
}

/// Remembers from run to run what is known about servers. Servers that it does not remember are asked again.
package protocol ResumeMemory: Sendable {
  /// What is known about the server at an address, unless it is out of date.
  func resumeServer(at address: String) -> ResumeServer?
  /// Remembers what is known about a server; nil forgets it.
  func remember(_ server: ResumeServer?, at address: String)
}

/// What is known about how a server resumes uploads.
package enum ResumeServer: Hashable, Sendable, Codable {
  /// It speaks tus.
  case tus(TusServer)
  /// Each upload asks the server whether it can resume.
  case http(HTTPResumeServer)
  /// A proxy in front of it takes an interim reply for the final one, so the server gets only the usual request.
  case usual

  /// Whether the end of an attempt may mean that the server has changed since an earlier run looked at it.
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
