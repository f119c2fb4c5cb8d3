import UploadModel

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
  /// Record what the server can do.
  case record(ResumeServer)
  /// Assume this about the server in this session only, since the evidence may be due to chance.
  case assume(ResumeServer)
  /// Begin the attempt again with what is known now, such as that the server speaks another protocol.
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
