import NIOCore
import Synchronization

/// Since when the server has been waiting for a client. The handler that serves the connection writes it; the one that
/// admits connections reads it.
final class Activity: Sendable {
  /// In nanoseconds of ``NIODeadline``'s clock; zero while the client waits for the server.
  private let idleSince = Atomic<UInt64>(0)

  /// Since when the client has sent or read nothing, or next to nothing; nil while the client waits for the server.
  var since: NIODeadline? {
    get {
      let moment = idleSince.load(ordering: .relaxed)
      return moment == 0 ? nil : .uptimeNanoseconds(moment)
    }
    set { idleSince.store(newValue?.uptimeNanoseconds ?? 0, ordering: .relaxed) }
  }
}
