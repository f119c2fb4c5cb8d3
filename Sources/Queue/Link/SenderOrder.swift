import Scheduling
import UploadModel

/// Orders to the process that sends a queue. Anything that can be recorded in the queue's file is written to that file
/// instead.
package enum SenderOrder: Hashable, Sendable, Codable {
  /// Send these items again. Items that wait for another attempt are sent at once.
  case retry([ItemID])
  /// Pause these items, and abort those that are being sent.
  case pause([ItemID])
  /// Whether to start further files.
  case start(Bool)
  /// Limit the total rate to this many bytes per second; nil means no limit.
  case limit(Int64?)
  /// Send this many requests to a target at the same time.
  case lanes(Concurrency, target: String)
  /// Retry unreachable servers now.
  case tryServers
  /// Say when no run is about to end.
  case awaitRuns

  /// Whether the order is within bounds. This must be checked, since other processes are not trusted.
  package var isValid: Bool {
    switch self {
    case .retry(let ids), .pause(let ids): ids.count <= Self.mostItems
    case .limit(let limit): limit.map { $0 > 0 } ?? true
    case .lanes(let count, _): count.isValid
    case .start, .tryServers, .awaitRuns: true
    }
  }

  package func apply(to settings: inout SenderSettings) {
    switch self {
    case .start(let isStarted): settings.isStarted = isStarted
    case .limit(let limit): settings.limit = limit
    case .lanes(let count, let target): settings.lanes[target] = count
    case .retry, .pause, .tryServers, .awaitRuns: break
    }
  }

  static let mostItems = 10_000

  /// The order, split so that each part fits on one line.
  var portions: [SenderOrder] {
    func cut(_ ids: [ItemID], _ order: ([ItemID]) -> SenderOrder) -> [SenderOrder] {
      stride(from: 0, to: ids.count, by: Self.mostItems).map {
        order(Array(ids[$0..<min($0 + Self.mostItems, ids.count)]))
      }
    }
    switch self {
    case .retry(let ids): return cut(ids, Self.retry)
    case .pause(let ids): return cut(ids, Self.pause)
    case .start, .limit, .lanes, .tryServers, .awaitRuns: return [self]
    }
  }
}
