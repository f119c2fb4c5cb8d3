/// The reachability of a server.
package enum Reachability: Hashable, Sendable, Codable {
  /// It cannot be reached, for this reason. The next upload tries it at this moment, or, without one,
  /// tries it now.
  case away(Failure, nextTry: Instant?)
  /// It answers again.
  case back
  /// Nothing waits for it, so it is not tried.
  case unneeded
}
