import NIOCore
import Synchronization

/// The open connections, so that a receiver can end them in an orderly way. A connection learns here whether it must
/// make room.
final class ConnectionSet: Sendable {
  private struct State {
    struct Entry {
      var channel: any Channel
      var activity: Activity
      var network: [UInt8]
      var isBusy = false
    }
    var channels: [ObjectIdentifier: Entry] = [:]
    var demand = ConnectionPolicy<ObjectIdentifier, [UInt8]>.Demand()
    var turnedAway: Set<ObjectIdentifier> = []
    var isStopping = false
    var hasAborted = false
    var whenEmpty: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// Adds a connection. If the receiver is already stopping, the connection is closed at once.
  func add(_ channel: any Channel, _ activity: Activity) {
    let network = ClientName.network(of: channel.remoteAddress)
    let isLate = state.withLock { state in
      state.channels[ObjectIdentifier(channel)] = State.Entry(
        channel: channel, activity: activity, network: network)
      return state.isStopping
    }
    if isLate { abort([channel]) }
  }

  func remove(_ channel: any Channel) {
    let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.channels[ObjectIdentifier(channel)] = nil
      state.turnedAway.remove(ObjectIdentifier(channel))
      guard state.channels.isEmpty else { return nil }
      defer { state.whenEmpty = nil }
      return state.whenEmpty
    }
    continuation?.resume()
  }

  func mark(_ channel: any Channel, isBusy: Bool) {
    state.withLock { $0.channels[ObjectIdentifier(channel)]?.isBusy = isBusy }
  }

  /// Since when a connection has been idle; nil if it is not idle or is gone.
  func idleSince(_ channel: ObjectIdentifier) -> NIODeadline? {
    state.withLock { $0.channels[channel]?.activity.since }
  }

  /// Marks a connection that is about to be added, so that none of its requests is served.
  func turnAway(_ channel: any Channel) {
    state.withLock { _ = $0.turnedAway.insert(ObjectIdentifier(channel)) }
  }

  /// Whether none of a connection's requests is served.
  func isTurnedAway(_ channel: any Channel) -> Bool {
    state.withLock { $0.turnedAway.contains(ObjectIdentifier(channel)) }
  }

  /// The places that others wait for.
  var demand: ConnectionPolicy<ObjectIdentifier, [UInt8]>.Demand {
    get { state.withLock { $0.demand } }
    set { state.withLock { $0.demand = newValue } }
  }

  /// Whether a connection should end after its current request: the receiver stops, or others wait for its place.
  func mustEnd(_ channel: any Channel) -> Bool {
    state.withLock { state in
      state.isStopping
        || state.channels[ObjectIdentifier(channel)].map { state.demand.includes($0.network) }
          ?? false
    }
  }

  /// Whether connections should end after their current request.
  var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Whether requests were cut off because the receiver stopped.
  var hasAborted: Bool { state.withLock { $0.hasAborted } }

  /// Closes idle connections now, and lets the others finish their request.
  func beginStopping() {
    abort(
      state.withLock { state in
        state.isStopping = true
        return state.channels.values.filter { !$0.isBusy }.map(\.channel)
      })
  }

  /// Closes all connections, even in the middle of a request.
  func abortAll() {
    abort(
      state.withLock { state in
        state.hasAborted = true
        return state.channels.values.map(\.channel)
      })
  }

  /// Waits until all connections are gone. Only one caller at a time may wait.
  func waitUntilEmpty() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if !state.channels.isEmpty { state.whenEmpty = continuation }
        return state.channels.isEmpty
      }
      if isEmpty { continuation.resume() }
    }
  }

  private func abort(_ channels: [any Channel]) {
    for channel in channels {
      channel.triggerUserOutboundEvent(LingeringClose.Abort(), promise: nil)
    }
  }
}
