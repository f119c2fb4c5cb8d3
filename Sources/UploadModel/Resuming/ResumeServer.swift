/// What is known about a server's way to resume uploads.
package enum ResumeServer: Hashable, Sendable, Codable {
  /// It speaks tus.
  case tus(TusServer)
  /// Each upload asks it whether it can resume. With the limits that it has announced, if any.
  case http(ResumeLimits?)
  /// A proxy in front of it takes an interim reply for the answer, so it gets only the usual request.
  case usual
}
