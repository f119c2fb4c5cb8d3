import Foundation
import UploadModel

/// What can happen to an upload.
enum JobMachineEvent: Sendable, CaseIterable {
  case start, cancel, pause
  /// The user retries or resumes it.
  case retry
  /// The time to wait before the next attempt is over.
  case timer
  /// It ended for the sake of others, and starts over; or it had not begun.
  case startOver, notBegun
  /// The server answers 200, 503, 403, 500, or 307 with another address.
  case good, busy, refused, erring, moved
  /// The connection is lost after the whole file was sent, so that it may have arrived.
  case silent
  /// hoist itself has broken the attempt off.
  case brokenOff

  static let url = URL(string: "http://a.example/upload") ?? URL(fileURLWithPath: "/")

  var event: JobMachine.Event {
    switch self {
    case .start: .start
    case .cancel: .cancel
    case .pause: .pause
    case .retry: .retry
    case .timer: .timerFired
    case .startOver: .startOver(after: nil)
    case .notBegun: .notBegun
    case .good: Self.answered(200)
    case .busy: Self.answered(503)
    case .refused: Self.answered(403)
    case .erring: Self.answered(500)
    case .moved: Self.answered(307, headers: ["location": "/elsewhere"])
    case .silent: Self.ended(TransferEnd(url: Self.url, trouble: .connectionLost("reset")))
    case .brokenOff:
      Self.ended(TransferEnd(url: Self.url, trouble: .cancelled, sentAll: false))
    }
  }

  private static func answered(_ status: Int, headers: [String: String] = [:]) -> JobMachine.Event {
    ended(TransferEnd(url: url, status: status, headers: headers))
  }

  /// An attempt ends like this, at second 100.
  static func ended(_ end: TransferEnd) -> JobMachine.Event {
    .ended(end, at: Instant(seconds: 100), wall: Date(timeIntervalSince1970: 0), random: 0.5)
  }
}
