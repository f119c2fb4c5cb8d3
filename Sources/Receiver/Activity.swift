import NIOCore
import Synchronization

/// Since when a server has waited for a client. Written where the connection is served, read where
/// connections are let in.
final class Activity: Sendable {
  /// In nanoseconds of ``NIODeadline``'s clock; zero while the client waits for the server.
  private let idleSince = Atomic<UInt64>(0)

  /// The moment since when nothing, or next to nothing, came or went; nil while it is the server's turn.
  var since: NIODeadline? {
    get {
      let moment = idleSince.load(ordering: .relaxed)
      return moment == 0 ? nil : .uptimeNanoseconds(moment)
    }
    set { idleSince.store(newValue?.uptimeNanoseconds ?? 0, ordering: .relaxed) }
  }
}
