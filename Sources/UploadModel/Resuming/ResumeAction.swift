/// What is to be done about a resumable upload, in order.
package enum ResumeAction: Hashable, Sendable {
  /// Send this, and come back with its end.
  case send(ResumeRequest)
  /// Record where the upload can resume, before anything else is sent.
  case keep(ResumePoint)
  /// Discard what was recorded.
  case forget
  /// Remember what the server can do.
  case learn(ResumeServer)
  /// Take that for true in this run only: it may have been chance.
  case assume(ResumeServer)
  /// Begin the attempt again with what has been learnt, such as that the server speaks another protocol.
  case startAgain
  /// Break off the request under way; it ends with this cause.
  case stop(Failure.Cause)
  /// The attempt is over.
  case end(TransferEnd)
}
