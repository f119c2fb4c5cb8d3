/// What is to be done about an upload that can go on, in order.
public enum ResumeAction: Hashable, Sendable {
  /// Send this, and come back with its end.
  case send(ResumeRequest)
  /// Write down where the upload can go on, before anything else is sent.
  case keep(ResumePoint)
  /// What was written down is of no use any more.
  case forget
  /// Remember what the server can do.
  case learn(ResumeServer)
  /// Take that for true in this run and no longer: it may have been chance.
  case assume(ResumeServer)
  /// Begin the attempt again with what was learnt: the server speaks another protocol.
  case startAgain
  /// Break off the request under way; it ends with this cause.
  case stop(Failure.Cause)
  /// The attempt is over.
  case end(TransferEnd)
}
