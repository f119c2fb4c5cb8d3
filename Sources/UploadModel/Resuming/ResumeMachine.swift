import Foundation

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
  /// Begin the attempt again with what was learnt: the server speaks another protocol.
  case startAgain
  /// Break off the request under way; it ends with this cause.
  case stop(Failure.Cause)
  /// The attempt is over.
  case end(TransferEnd)
}

/// What a server has said of itself.
public enum ResumeServer: Hashable, Sendable, Codable {
  /// It speaks tus.
  case tus(TusServer)
  /// It is asked with each upload whether it can go on; nil where it has announced no limits.
  case http(ResumeLimits?)
}

/// Keeps from run to run what servers have said of themselves. What cannot be kept is asked again.
public protocol ResumeMemory: Sendable {
  /// What the server at an address has said, unless that is too long ago.
  func resumeServer(at address: String) -> ResumeServer?
  /// Keeps that; nil forgets what was kept.
  func remember(_ server: ResumeServer?, at address: String)
}

/// Decides what to ask a server next, for one attempt at an upload: replies in, requests out. It touches nothing.
/// What outlives it is the `ResumePoint`.
public protocol ResumeMachine: Sendable {
  /// What it knows, whatever the protocol.
  var course: ResumeCourse { get }
  /// Begins.
  mutating func start(now: Date) -> [ResumeAction]
  /// Takes in an interim reply to the request under way, header names in lower case.
  mutating func handle(interim headers: [String: String], at url: URL, now: Date) -> [ResumeAction]
  /// Takes in how the last request ended.
  mutating func handle(_ end: TransferEnd, now: Date) -> [ResumeAction]
}
