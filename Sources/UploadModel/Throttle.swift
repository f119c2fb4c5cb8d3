/// Keeps what is sent to a rate, however many files it is sent in.
///
/// libcurl bounds each transfer by itself, and between two pieces only: the first piece of every file
/// leaves at once, and a transfer whose share grows makes up for the time before. So what really leaves
/// is counted here. While more has left than was due, nothing new begins and less is given to what is
/// under way.
public struct Throttle: Hashable, Sendable {
  /// Bytes a second; nil for no bound.
  public private(set) var rate: Int64?
  /// Bytes that a transfer may have taken and not sent yet.
  private let piece: Int64
  /// Up to which moment all that has left is paid for.
  private var paid = Moment(seconds: 0)

  /// A throttle that is open, for transfers that take up to `piece` bytes at once.
  public init(piece: Int64) { self.piece = piece }

  /// Bounds what is sent from now on. What is owed from before is let off.
  public mutating func set(_ rate: Int64?, at now: Moment) {
    self.rate = rate.flatMap { $0 > 0 ? $0 : nil }
    paid = now
  }

  /// Notes bytes that leave.
  public mutating func note(_ bytes: Int64, at now: Moment) {
    guard let rate, bytes > 0 else { return }
    paid = max(paid, now) + Double(bytes) / Double(rate)
  }

  /// The seconds for which nothing new may begin.
  ///
  /// - Parameter transfers: how many are under way.
  public func delay(at now: Moment, transfers: Int) -> Double {
    max(0, paid - now - slack(transfers))
  }

  /// The bytes a second that all that is under way may send together; nil for no bound.
  ///
  /// - Parameter transfers: how many are under way.
  public func bound(at now: Moment, transfers: Int) -> Int64? {
    guard let rate else { return nil }
    return delay(at: now, transfers: transfers) > 0 ? max(1, rate / 4 * 3) : rate
  }

  /// The seconds that may be owed at any time: the pieces that were taken ahead, and a moment.
  private func slack(_ transfers: Int) -> Double {
    guard let rate else { return .infinity }
    return 0.1 + Double(piece) * Double(transfers) / Double(rate)
  }
}
