import Foundation
import UploadModel

/// Decides what to ask a server next, for one attempt at an upload: replies in, requests out. It does no I/O.
/// Only the `ResumePoint` outlives it.
package protocol ResumeMachine: Sendable {
  init(_ start: ResumeStart) throws(Failure.Cause)
  /// The request that makes the server forget an upload; nil if there is no such request.
  static func termination(
    of point: ResumePoint, at target: Target, _ values: Template.Values
  ) -> ResumeRequest?
  /// The part that does not depend on the protocol.
  var course: ResumeCourse { get }
  /// Whether the server may have the whole file, although no reply says so and the upload can resume.
  var mayBeWhole: Bool { get }
  /// Whether requests carry pieces of the target's own body, including its form. If not, they carry pieces of the file,
  /// which may each be in a form that is made for that request.
  static var sendsTargetsBody: Bool { get }
  /// Begins the attempt. `loss` says why the file keeps the upload from resuming, if it does.
  mutating func start(without loss: ResumePoint.Loss?) -> [ResumeAction]
  /// Handles an interim reply to the request under way. Header names are in lower case.
  mutating func handle(interim headers: [String: String], at url: URL, now: Date) -> [ResumeAction]
  /// Whether the request under way must be cancelled if the server wants its content without having made an offer.
  var awaitsOffer: Bool { get }
  /// Handles a server that wants the content without having made an offer.
  mutating func handleLackOfOffer() -> [ResumeAction]
  /// Handles the digests that were asked for.
  mutating func handle(_ digests: ContentDigests, number: Int) -> [ResumeAction]
  /// Handles the result of `ResumeAction.verify`: nil if at one moment the file contained all of the sent bytes.
  mutating func handle(verified trouble: Failure.Cause?) -> [ResumeAction]
  /// Whether the file's bytes are sent in any order, several requests at once.
  var sendsInAnyOrder: Bool { get }
  /// How many requests are under way, or about to be.
  var width: Int { get }
  /// Whether one more request may be sent at the same time as those under way.
  var wantsMore: Bool { get }
  /// Sends one more request at the same time as those under way.
  mutating func sendMore() -> [ResumeAction]
  /// Whether the request under way may finish the upload, so that its reply is the reply to the upload.
  var mayFinish: Bool { get }
  /// Whether the request under way carries no part of the file, because the server already has all of it.
  var isFinishing: Bool { get }
  /// Whether the machine only waits for the other requests under way before it handles a failure.
  var isBreakingOff: Bool { get }
  /// Called for a request whose end is held back (`ResumeRequest.holdsEnd`), once everything before its end has been
  /// sent.
  mutating func handleHeldEnd() -> [ResumeAction]
  mutating func handle(_ end: TransferEnd, now: Date) -> [ResumeAction]
}

/// The defaults are for a protocol that sends one request after the other, each with a part of the file itself. Its
/// server makes no offers and can be asked what it has, so a request that arrives twice does no harm.
extension ResumeMachine {
  package static var sendsTargetsBody: Bool { false }
  package var mayBeWhole: Bool { false }
  package var awaitsOffer: Bool { false }
  package var sendsInAnyOrder: Bool { false }
  package var width: Int { 1 }
  package var wantsMore: Bool { false }
  package var mayFinish: Bool { true }
  package var isFinishing: Bool { false }
  package var isBreakingOff: Bool { false }
  package mutating func handle(
    interim headers: [String: String], at url: URL, now: Date
  ) -> [ResumeAction] { [] }
  package mutating func handleLackOfOffer() -> [ResumeAction] { [] }
  package mutating func handle(_ digests: ContentDigests, number: Int) -> [ResumeAction] { [] }
  package mutating func handle(verified trouble: Failure.Cause?) -> [ResumeAction] { [] }
  package mutating func sendMore() -> [ResumeAction] { [] }
  package mutating func handleHeldEnd() -> [ResumeAction] { [] }
}
