/// What a server has said of itself.
public enum ResumeServer: Hashable, Sendable, Codable {
  /// It speaks tus.
  case tus(TusServer)
  /// It is asked with each upload whether it can go on; nil where it has announced no limits.
  case http(ResumeLimits?)
  /// A proxy before it takes an interim reply for the answer: it gets the usual request and nothing else.
  case usual
}
