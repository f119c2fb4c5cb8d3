import Foundation

/// Decides what to ask a server next, for one attempt at an upload: replies in, requests out. It touches nothing.
/// What outlives it is the `ResumePoint`.
public protocol ResumeMachine: Sendable {
  /// What it knows, whatever the protocol.
  var course: ResumeCourse { get }
  /// Begins.
  ///
  /// - Parameter loss: why the file does not let the upload go on, where it does not.
  mutating func start(without loss: ResumePoint.Loss?, now: Date) -> [ResumeAction]
  /// Takes in an interim reply to the request under way, header names in lower case.
  mutating func handle(interim headers: [String: String], at url: URL, now: Date) -> [ResumeAction]
  /// Takes in how the last request ended.
  mutating func handle(_ end: TransferEnd, now: Date) -> [ResumeAction]
}

extension ResumeMachine {
  /// Begins with a file that holds what was sent of it.
  mutating func start(now: Date) -> [ResumeAction] { start(without: nil, now: now) }
}
