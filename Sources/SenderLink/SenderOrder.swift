import UploadModel

/// Orders for the process that sends a queue. What can be written to the queue is written there instead.
package enum SenderOrder: Hashable, Sendable, Codable {
  /// Send these again, or those that wait for another attempt now.
  case retry([ItemID])
  /// Pause these, and break off those that are being sent.
  case pause([ItemID])
  /// Begin further files, or begin none.
  case start(Bool)
  /// Limit everything that is sent to this many bytes a second; nil for no limit.
  case limit(Int64?)
  /// Send this many requests to a target at once.
  case lanes(Int, target: String)
  /// Try servers that cannot be reached now.
  case tryServers

  /// How many requests can go to a target at once.
  package static let laneRange = 1...64

  /// Whether it makes sense, since other processes are not trusted.
  package var isValid: Bool {
    switch self {
    case .retry(let ids), .pause(let ids): ids.count <= Self.mostItems
    case .limit(let limit): limit.map { $0 > 0 } ?? true
    case .lanes(let count, _): Self.laneRange.contains(count)
    case .start, .tryServers: true
    }
  }

  /// Applies it to settings, if it changes any.
  package func apply(to settings: inout SenderSettings) {
    switch self {
    case .start(let isStarted): settings.isStarted = isStarted
    case .limit(let limit): settings.limit = limit
    case .lanes(let count, let target): settings.lanes[target] = count
    case .retry, .pause, .tryServers: break
    }
  }

  /// The most items in one line.
  static let mostItems = 10_000

  /// The order in portions that fit into a line.
  var portions: [SenderOrder] {
    func cut(_ ids: [ItemID], _ order: ([ItemID]) -> SenderOrder) -> [SenderOrder] {
      stride(from: 0, to: ids.count, by: Self.mostItems).map {
        order(Array(ids[$0..<min($0 + Self.mostItems, ids.count)]))
      }
    }
    switch self {
    case .retry(let ids): return cut(ids, Self.retry)
    case .pause(let ids): return cut(ids, Self.pause)
    case .start, .limit, .lanes, .tryServers: return [self]
    }
  }
}
