/// What is known of a server that could not be reached.
public enum Reachability: Hashable, Sendable {
  /// It cannot be reached, for this reason. The next upload tries it at this moment, or, without one,
  /// tries it now.
  case away(Failure, nextTry: Instant?)
  /// It answers again.
  case back
  /// Nothing is to be sent there any more, and so nobody tries it.
  case unneeded
}
