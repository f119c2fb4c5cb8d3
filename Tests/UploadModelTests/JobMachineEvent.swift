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
  /// The server answers 200, 408, 403, 500, or 307 with another address.
  case good, busy, refused, erring, moved
  /// The connection is lost after the whole file was sent, so that it may have arrived.
  case silent
  /// hoist itself has broken the attempt off.
  case brokenOff
  /// There is no file to send; or a request before the file is answered 408.
  case notMade, turnedAway

  static let url = URL(string: "http://a.example/upload") ?? URL(fileURLWithPath: "/")

  /// The event for a machine in this state.
  func event(for machine: JobMachine, _ target: Target) -> JobMachine.Event {
    switch self {
    case .start: .start
    case .cancel: .cancel
    case .pause: .pause
    case .retry: .retry
    case .timer: .timerFired
    case .startOver: .startOver(after: nil)
    case .notBegun: .notBegun
    case .good: machine.judged(Self.answered(200), for: target)
    case .busy: machine.judged(Self.answered(408), for: target)
    case .refused: machine.judged(Self.answered(403), for: target)
    case .erring: machine.judged(Self.answered(500), for: target)
    case .moved:
      machine.judged(Self.answered(307, headers: ["location": "/elsewhere"]), for: target)
    case .silent:
      machine.judged(TransferEnd(url: Self.url, trouble: .connectionLost("reset")), for: target)
    case .brokenOff:
      machine.judged(
        TransferEnd(url: Self.url, trouble: .cancelled, sentAll: false), for: target)
    case .notMade: .failed(Failure(.missing), at: Instant(seconds: 100), random: 0.5)
    case .turnedAway:
      .failed(Failure(.refused, status: 408), at: Instant(seconds: 100), random: 0.5)
    }
  }

  private static func answered(_ status: Int, headers: [String: String] = [:]) -> TransferEnd {
    TransferEnd(url: url, status: status, headers: headers)
  }
}

extension JobMachine {
  /// The event of an attempt's end, judged as the engine judges it, by default at second 100.
  func judged(
    _ end: TransferEnd, for target: Target, at instant: Instant = Instant(seconds: 100),
    wall: Date = Date(timeIntervalSince1970: 0), random: Double = 0.5
  ) -> Event {
    let current: CurrentAttempt? = if case .attempting(let current) = state { current } else { nil }
    let verdict = Verdict.judge(
      end, target: target, attempt: end.hasAdvanced ? 1 : current?.number ?? 1,
      redirects: 0, now: wall)
    return .ended(end, verdict, isRedirected: false, at: instant, wall: wall, random: random)
  }
}
