import Foundation

/// A random session that lasts for a few rounds or, with a seed in `HOIST_MONKEY`, for ten minutes.
public struct MonkeySession: Sendable {
  /// The seeds to run with.
  public static func seeds(usual: [UInt64]) -> [UInt64] {
    ProcessInfo.processInfo.environment["HOIST_MONKEY"].map { [UInt64($0) ?? 1] } ?? usual
  }

  /// What the session's dice begin with.
  public let seed: UInt64
  private let rounds: Int
  private let beginning = Date()
  /// How often everything was at rest.
  private var rests = 0

  /// - Parameter rounds: how many rounds a short session has.
  public init(seed: UInt64, rounds: Int) { (self.seed, self.rounds) = (seed, rounds) }

  /// Begins a round, at whose end everything is at rest; false at the end of the session, which is told.
  public mutating func goesOn() -> Bool {
    let isLong = ProcessInfo.processInfo.environment["HOIST_MONKEY"] != nil
    let seconds = Date().timeIntervalSince(beginning)
    guard isLong ? seconds < 600 : rests < rounds else {
      if isLong { print("seed \(seed): equal at \(rests) rests in \(Int(seconds)) s") }
      return false
    }
    rests += 1
    return true
  }
}
