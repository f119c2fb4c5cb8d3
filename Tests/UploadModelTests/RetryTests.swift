import Foundation
import Testing

@testable import UploadModel

struct RetryPolicyTests {
  private func refused(attempts: Int, retryAfter: Double? = nil) -> Failure {
    Failure(.refused, status: 503, attempts: attempts, retryAfter: retryAfter)
  }

  /// Full jitter: anywhere between nothing and a bound that doubles up to the cap.
  @Test(arguments: [(1, 1.0), (2, 2), (3, 4), (4, 8), (5, 16), (6, 32), (7, 60), (8, 60), (99, 60)])
  func theBoundDoublesUpToTheCap(_ attempt: Int, _ bound: Double) {
    let policy = RetryPolicy(attempts: 100, base: 1, cap: 60)
    for random in [0, 0.25, 0.5, 0.999] {
      let lost = Failure(.connectionLost("reset"), attempts: attempt)
      #expect(policy.delay(after: lost, random: random) == random * bound)
      // A server that says that it is busy gets at least half of it.
      #expect(
        policy.delay(after: refused(attempts: attempt), random: random) == (1 + random) / 2 * bound)
    }
  }

  @Test(arguments: [
    (0.0, 60.0, 50, 0.0), (5, 5, 3, 2.5), (10, 5, 1, 2.5), (0.5, 1e300, 2000, 268_435_456),
  ])
  func oddPolicies(_ base: Double, _ cap: Double, _ attempt: Int, _ delay: Double) {
    let policy = RetryPolicy(attempts: 3000, base: base, cap: cap)
    let lost = Failure(.connectionLost("reset"), attempts: attempt)
    #expect(policy.delay(after: lost, random: 0.5) == delay)
  }

  /// The server is never asked earlier than it says; those who wait for servers anyway wait for a day.
  @Test(
    arguments: [
      (0.0, 0.5, 0.5), (7, 7.5, 7.5), (59.9, 60.4, 60.4), (60, 60.5, 60.5), (60.1, nil, 60.6),
      (3600, nil, 3600.5), (86_400, nil, 86_400.5), (1e9, nil, nil),
    ] as [(Double, Double?, Double?)])
  func theServersWishIsKept(_ wish: Double, _ delay: Double?, _ patient: Double?) {
    let failure = refused(attempts: 4, retryAfter: wish)
    #expect(RetryPolicy().delay(after: failure, random: 0.5) == delay)
    #expect(RetryPolicy().delay(after: failure, isPatient: true, random: 0.5) == patient)
  }

  /// A server that always asks for a moment's wait.
  @Test func aBusyServerIsNotAskedOften() {
    let policy = RetryPolicy()
    for (made, delay) in [(1, 0.5), (4, 0.5), (5, 12), (8, 45)] {
      let failure = refused(attempts: made, retryAfter: 0)
      #expect(policy.delay(after: failure, busyFor: 9, random: 0.5) == delay)
    }
    #expect(policy.delay(after: refused(attempts: 5, retryAfter: 0), random: 0.5) == nil)
  }

  @Test(arguments: [(1, 1, false), (1, 2, true), (4, 5, true), (5, 5, false), (6, 5, false)])
  func attemptsRunOut(_ made: Int, _ allowed: Int, _ goesOn: Bool) {
    let delay = RetryPolicy(attempts: allowed).delay(after: refused(attempts: made), random: 0.5)
    #expect((delay != nil) == goesOn)
  }

  @Test(
    "What the machine has too little of is waited for, however often that takes",
    arguments: [1, 2, 5, 6, 99])
  func shortage(_ made: Int) throws {
    let failure = Failure(.shortage("Too many open files"), attempts: made)
    for random in [0, 0.999] {
      let delay = try #require(RetryPolicy(attempts: 1).delay(after: failure, random: random))
      #expect(delay >= 0.5 && delay < 4.5)
    }
  }

  @Test(arguments: CauseRow.all)
  func onlyWhatMayPassIsRepeated(_ row: CauseRow) {
    var isUnknown = false
    if case .outcomeUnknown = row.failure.cause { isUnknown = true }
    let careful = RetryPolicy().delay(after: row.failure, random: 0.5)
    let idempotent = RetryPolicy(isIdempotent: true).delay(after: row.failure, random: 0.5)
    #expect((careful != nil) == row.isTransient)
    #expect((idempotent != nil) == (row.isTransient || isUnknown))
  }

  @Test(
    arguments: [
      (nil, nil, nil, false), (true, nil, nil, true),
      (nil, "Idempotency-Key", "{uuid}", true), (nil, "idempotency-key", "hoist-{uuid}", true),
      (false, "Idempotency-Key", "{uuid}", false), (nil, "Idempotency-Key", "constant", false),
      (nil, "X-Key", "{uuid}", false),
    ] as [(Bool?, String?, String?, Bool)])
  func aKeyMakesATargetIdempotentUnlessItSaysOtherwise(
    _ said: Bool?, _ name: String?, _ value: String?, _ expected: Bool
  ) throws {
    let url = try #require(URL(string: "https://a.example/upload"))
    var target = Target(name: "t", url: url)
    target.retry = RetryPolicy(isIdempotent: said)
    if let name, let value {
      target.headers = [.init(name: name, value: try Template(value))]
    }
    #expect(target.isIdempotent == expected)
    let lost = Failure(.outcomeUnknown("no reply"), attempts: 1)
    #expect((target.delay(after: lost, at: url, random: 0) != nil) == expected)
    // Where a redirect leads, no header field goes.
    let other = try #require(URL(string: "https://b.example/upload"))
    #expect(target.isIdempotent(at: other) == (said ?? false))
  }
}

struct RetryAfterTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT, the date of RFC 9110.
  private static let date = Date(timeIntervalSince1970: 784_111_777)

  @Test(arguments: [
    // Seconds.
    ("0", 0.0), ("120", 120), (" 7 ", 7), ("007", 7), ("99999999999999999999999", 1e9),
    (String(repeating: "9", count: 500), 1e9),
    // Fractions, which the standard does not have.
    ("1.5", 1.5), ("0.25", 0.25),
    // The three forms of a date, ten seconds from now.
    ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sunday, 06-Nov-94 08:49:47 GMT", 10),
    ("Sun Nov  6 08:49:47 1994", 10),
    // The past is now; the far future is bounded.
    ("Sun, 06 Nov 1994 08:49:00 GMT", 0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Fri, 31 Dec 9999 23:59:59 GMT", 1e9),
    // Neither.
    ("", nil), (" ", nil), ("-5", nil), ("+5", nil), ("1e3", nil), (".5", nil), ("1.", nil),
    ("1.2.3", nil), ("soon", nil),
    ("٣", nil), ("5 s", nil), ("Sun, 06 Nov 1994 08:49:47 CET", nil), ("1994-11-06", nil),
  ])
  func values(_ value: String, _ seconds: Double?) {
    #expect(RetryAfter.seconds(value, now: Self.date) == seconds)
  }

  /// The clock of the machine here may be wrong, or that of the server.
  @Test(arguments: [-7200.0, 0, 7200, 1e7])
  func timesAreCountedFromTheReplysDate(_ ahead: Double) throws {
    func text(_ seconds: Double) -> String {
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.timeZone = TimeZone(secondsFromGMT: 0)
      formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
      return formatter.string(from: Self.date.addingTimeInterval(seconds))
    }
    var end = TransferEnd(url: try #require(URL(string: "https://a.example/")), status: 503)
    func wait(_ fields: [String: String]) -> Double? {
      end.headers = fields.merging(["date": text(ahead)]) { $1 }
      return RetryPolicy().wait(askedBy: end, now: Self.date)
    }
    #expect(wait(["retry-after": text(ahead + 4)]) == 4)
    #expect(wait(["retry-after": "7"]) == 7)
    let reset = Int(Self.date.timeIntervalSince1970 + ahead) + 9
    // Until the year 2001, this is a number of seconds.
    if reset >= 1_000_000_000 {
      #expect(wait(["x-ratelimit-remaining": "0", "x-ratelimit-reset": "\(reset)"]) == 9)
    }
    // A cache's reply is as old as it says.
    #expect(wait(["age": "3", "retry-after": text(ahead + 4)]) == 1)
    end.headers = ["date": text(ahead)]
    #expect(RetryAfter.seconds(until: text(ahead + 30), in: end, now: Self.date) == 30)
    end.headers = [:]
    #expect(RetryAfter.seconds(until: text(30), in: end, now: Self.date) == 30)
    // The number of seconds since 1970.
    let later = Date(timeIntervalSince1970: 1_795_212_900)
    #expect(RetryAfter.seconds(until: "1795212960", in: end, now: later) == 60)
  }

  /// RFC 9110 §5.6.7: more than 50 years ahead means the past.
  @Test(arguments: [("43", true), ("45", false)])
  func twoDigitYears(_ year: String, _ isAhead: Bool) {
    let value = "Friday, 01-Jan-\(year) 00:00:00 GMT"
    let seconds = RetryAfter.seconds(value, now: Self.date)
    #expect(seconds == (isAhead ? 1e9 : 0))
  }
}
