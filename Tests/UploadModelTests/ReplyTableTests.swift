import Foundation
import Testing

@testable import UploadModel

private let home = URL(string: "https://a.example/upload") ?? URL(fileURLWithPath: "/")

/// A reply, what hoist does, and why.
struct ReplyRow: Sendable, CustomTestStringConvertible {
  /// What the target says about itself, beyond its URL.
  enum Kind: Sendable {
    case plain
    /// A second copy does no harm.
    case idempotent
    /// 403 and 502 are temporary and store nothing.
    case named
    /// The wait is in the reply at /parameters/wait, and "try later" is temporary.
    case ruled
    /// A good reply has `</Result>`; without it the outcome is unknown.
    case proving
    /// Only 201 is a success.
    case choosing
  }

  /// What hoist does with the file.
  enum Course: Hashable, Sendable {
    case sent
    /// It sends the file again by itself: after at least this many seconds, or whenever its own policy says.
    case again(after: Double?)
    /// It reports a failure. Another attempt is for the person, or for `--retry-failed`, to make.
    case fails
    /// It reports that the file may have arrived, and sends nothing unasked.
    case unknown
  }

  let status: Int
  var fields: [String: String] = [:]
  var body = ""
  /// Whether the last byte had left.
  var isWhole = true
  var to = Kind.plain
  var course: Course
  /// Whether only the nonce of the digest authentication had expired.
  var hasNonceExpired = false
  /// Whether the reply counts for or against the credentials.
  var isAboutCredentials = false
  let why: String

  var testDescription: String { "\(status)\(isWhole ? "" : " too early"), \(why)" }

  static let all: [ReplyRow] = [
    // Successes.
    ReplyRow(status: 201, course: .sent, why: "the server took it"),
    ReplyRow(
      status: 200, isWhole: false, course: .again(after: nil), why: "it cannot have all of it"),
    ReplyRow(
      status: 200, body: "<Result>\n</Result>", to: .proving, course: .sent, why: "it says so"),
    ReplyRow(status: 200, to: .proving, course: .unknown, why: "an empty reply says nothing"),
    ReplyRow(
      status: 200, body: "<html>Welcome</html>", to: .proving, course: .unknown,
      why: "a proxy's page says nothing of the file"),
    ReplyRow(
      status: 200, body: "<Result>\n<Loc", to: .proving, course: .unknown,
      why: "the end is missing, which may have said no"),
    ReplyRow(
      status: 200, body: "<Error>SlowDown</Error>", to: .proving, course: .fails,
      why: "a rule says that this is a failure"),
    ReplyRow(
      status: 200, body: "sorry, try later", to: .ruled, course: .again(after: nil),
      why: "a rule says that this is temporary"),
    // Redirects to what became of it (RFC 9110 §15.4).
    ReplyRow(
      status: 303, fields: ["location": "/done?key=a"], course: .sent, why: "it was carried out"),
    ReplyRow(
      status: 303, fields: ["location": "/done"], to: .idempotent, course: .sent,
      why: "it was carried out"),
    ReplyRow(
      status: 303, fields: ["location": "/login"], isWhole: false, course: .fails,
      why: "nothing can have come of a part"),
    ReplyRow(status: 303, course: .unknown, why: "it leads nowhere"),
    ReplyRow(
      status: 303, fields: ["location": "/done"], to: .choosing, course: .unknown,
      why: "the target takes only 201 for a success"),
    ReplyRow(
      status: 303, fields: ["location": "/done"], to: .proving, course: .unknown,
      why: "the target's rules say what a good reply looks like"),
    ReplyRow(
      status: 302, fields: ["location": "/done"], course: .unknown,
      why: "it may lead to the result, or to a page to sign in"),
    ReplyRow(status: 302, course: .unknown, why: "it leads nowhere"),
    ReplyRow(
      status: 302, fields: ["location": "/login"], isWhole: false, course: .fails,
      why: "nothing can have come of a part"),
    ReplyRow(
      status: 302, fields: ["location": "/done"], to: .idempotent, course: .fails,
      why: "a copy does no harm, but does not help either"),
    ReplyRow(
      status: 301, fields: ["location": "https://b.example/"], course: .fails,
      why: "it has moved, and took nothing here"),
    ReplyRow(
      status: 307, fields: ["location": "http://a.example/upload"], course: .fails,
      why: "it would go on in clear"),
    // The server's own troubles.
    ReplyRow(status: 500, course: .unknown, why: "it may have stored the file before it failed"),
    ReplyRow(
      status: 500, isWhole: false, course: .again(after: nil), why: "it cannot have all of it"),
    ReplyRow(status: 500, to: .idempotent, course: .again(after: nil), why: "a copy does no harm"),
    ReplyRow(status: 501, course: .fails, why: "it will not learn that by itself"),
    ReplyRow(status: 503, course: .again(after: nil), why: "it is busy, and took nothing"),
    ReplyRow(status: 507, course: .fails, why: "somebody has to make room"),
    ReplyRow(status: 555, course: .unknown, why: "what is not known means the same as 500"),
    // A gateway that lost the server behind it.
    ReplyRow(status: 502, course: .unknown, why: "the server behind it may have stored the file"),
    ReplyRow(status: 502, isWhole: false, course: .again(after: nil), why: "nothing was passed on"),
    ReplyRow(status: 502, to: .named, course: .again(after: nil), why: "the target knows better"),
    ReplyRow(status: 504, course: .unknown, why: "the server behind it may have stored the file"),
    ReplyRow(status: 520, course: .unknown, why: "the server behind it may have stored the file"),
    ReplyRow(status: 524, course: .unknown, why: "the server behind it may have stored the file"),
    ReplyRow(status: 524, isWhole: false, course: .again(after: nil), why: "it cannot have it all"),
    ReplyRow(
      status: 524, to: .idempotent, course: .again(after: nil), why: "a copy does no harm"),
    ReplyRow(status: 598, course: .unknown, why: "the server behind it may have stored the file"),
    ReplyRow(
      status: 503,
      body: "upstream connect error or disconnect/reset before headers. reset reason: "
        + "connection termination",
      course: .unknown, why: "Envoy had passed the file on"),
    ReplyRow(
      status: 503,
      body: "upstream connect error or disconnect/reset before headers. reset reason: "
        + "connection failure",
      course: .again(after: nil), why: "Envoy reached nobody"),
    // A gateway that never reached it.
    ReplyRow(status: 521, course: .again(after: nil), why: "the server behind it is down"),
    ReplyRow(status: 522, course: .again(after: nil), why: "no connection was made"),
    ReplyRow(status: 526, course: .again(after: nil), why: "no connection was made"),
    ReplyRow(status: 530, course: .again(after: nil), why: "its name has no address"),
    // Waits that servers ask for.
    ReplyRow(status: 429, course: .again(after: nil), why: "too many requests"),
    ReplyRow(
      status: 429, fields: ["retry-after": "7"], course: .again(after: 7), why: "it says when"),
    ReplyRow(
      status: 429, fields: ["retry-after": "0.75"], course: .again(after: 0.75),
      why: "fractions of a second are understood"),
    ReplyRow(
      status: 429, fields: ["retry-after": "61"], course: .fails,
      why: "it must not be asked earlier, and nobody allows to wait that long"),
    ReplyRow(
      status: 429, body: #"{"ok":false,"parameters":{"retry_after":8}}"#, course: .again(after: 8),
      why: "Telegram says when in the body"),
    ReplyRow(
      status: 429, body: #"{"message":"limited","retry_after":0.65,"global":false}"#,
      course: .again(after: 0.65), why: "Discord says when in the body"),
    ReplyRow(
      status: 429, body: #"{"parameters":{"wait":"12"}}"#, to: .ruled, course: .again(after: 12),
      why: "the target says where to look"),
    ReplyRow(
      status: 429, fields: ["x-ratelimit-remaining": "0", "x-ratelimit-reset": "1000000020"],
      course: .again(after: 20), why: "the limit ends at this time"),
    ReplyRow(
      status: 429, fields: ["ratelimit-remaining": "0", "ratelimit-reset": "30"],
      course: .again(after: 30), why: "the limit ends after this time"),
    ReplyRow(
      status: 403, fields: ["retry-after": "3"], course: .again(after: 3),
      why: "GitHub's secondary limit"),
    ReplyRow(
      status: 403, fields: ["x-ratelimit-remaining": "0"], course: .again(after: nil),
      why: "GitHub's limit"),
    ReplyRow(
      status: 403, fields: ["x-ratelimit-remaining": "12"], course: .fails,
      isAboutCredentials: true, why: "they do not permit this"),
    ReplyRow(status: 403, to: .named, course: .again(after: nil), why: "the target knows better"),
    ReplyRow(
      status: 401, course: .again(after: nil), hasNonceExpired: true,
      why: "the nonce has expired, and they are right"),
    ReplyRow(status: 401, course: .fails, isAboutCredentials: true, why: "they are not valid"),
    ReplyRow(
      status: 413, fields: ["retry-after": "5"], course: .again(after: 5),
      why: "the condition is temporary (RFC 9110 §15.5.14)"),
    ReplyRow(status: 413, course: .fails, why: "the file is too large"),
    ReplyRow(
      status: 404, fields: ["retry-after": "5"], course: .fails, why: "nothing will be there"),
    // Temporary by its text.
    ReplyRow(
      status: 400, body: "<Error><Code>RequestTimeout</Code></Error>", course: .again(after: nil),
      why: "S3 waited for the body, and stored nothing"),
    ReplyRow(
      status: 400, body: "<Error><Code>RequestTimeTooSkewed</Code></Error>", course: .fails,
      why: "somebody has to set the clock"),
    ReplyRow(
      status: 400,
      body: #"{"status":"ERROR","message":"Dataset cannot be edited due to dataset lock."}"#,
      course: .again(after: nil), why: "Dataverse is still busy with the last file"),
    ReplyRow(
      status: 409, body: "dataset lock", course: .fails, why: "the rule is for another status"),
    ReplyRow(
      status: 409, body: "try later", to: .ruled, course: .again(after: nil),
      why: "the target's rule is for any status"),
    ReplyRow(status: 400, body: "no such album", course: .fails, why: "the request is wrong"),
    ReplyRow(
      status: 202, to: .choosing, course: .unknown,
      why: "a success that the target does not list is no refusal"),
  ]

  var target: Target {
    var target = Target(name: "t", url: home)
    switch to {
    case .plain: break
    case .idempotent: target.retry.isIdempotent = true
    case .named: target.retry.statuses = [403, 502]
    case .ruled:
      target.retry.waitPlace = .pointer(JSONPointer(tokens: ["parameters", "wait"]))
      target.retry.signs = [Self.rule("try later", is: true)].map { ReplySign($0) }
    case .proving:
      target.response.failures = [
        Self.rule("<Error>.*", is: true), Self.rule("</Result>\\s*$", is: false),
      ]
      target.response.unreadable = .unknown
    case .choosing: target.response.ok = [201...201]
    }
    return target
  }

  private static func rule(_ source: String, is found: Bool) -> FailureRule {
    guard let pattern = try? Pattern(source) else {
      return FailureRule(.header("a mistake in the test"), test: .missing(true))
    }
    return FailureRule(.pattern(pattern), test: .equals(.bool(found)))
  }

  var end: TransferEnd {
    var end = TransferEnd(
      url: home, status: status, headers: fields, reply: Reply(text: body), sentAll: isWhole)
    end.hasNonceExpired = hasNonceExpired
    return end
  }

  /// The same reply before the last byte: the server cannot have the file, so nothing is unknown, and nothing was taken.
  var early: ReplyRow {
    var row = self
    row.isWhole = false
    let isUnlisted = to == .choosing && (200..<300).contains(status)
    if (300..<400).contains(status) || isUnlisted {
      row.course = .fails
    } else if course == .unknown || (200..<300).contains(status) {
      row.course = .again(after: nil)
    }
    return row
  }
}

@Suite("What becomes of a file after a reply")
struct ReplyTableTests {
  static let now = Date(timeIntervalSince1970: 1_000_000_000)

  @Test(arguments: ReplyRow.all + ReplyRow.all.filter(\.isWhole).map(\.early))
  func replies(_ row: ReplyRow) {
    let target = row.target
    let isTemporary = target.retry.isTemporary(row.end, now: Self.now)
    let isAboutCredentials = [401, 403].contains(row.status) && !isTemporary
    #expect(isAboutCredentials == row.isAboutCredentials)
    switch Verdict.judge(row.end, target: target, attempt: 1, redirects: 0, now: Self.now) {
    case .delivered: #expect(row.course == .sent)
    case .follow(let url, _): Issue.record("follows to \(url)")
    case .failed(let failure):
      let wait = target.delay(after: failure, at: home, random: 0.5)
      let course: ReplyRow.Course =
        if wait != nil {
          .again(after: failure.retryAfter)
        } else if failure.mayHaveArrived { .unknown } else { .fails }
      #expect(course == row.course, "\(failure)")
      if let asked = failure.retryAfter, let wait { #expect(wait >= asked) }
      // What will pass by itself needs nobody, and what may have arrived is not sent again with what failed.
      #expect(failure.needsPerson == !failure.isTransient)
      #expect(failure.isTransient == false || !failure.mayHaveArrived)
    }
  }

  @Test func aRedirectToTheResultIsItsAddress() {
    let end = TransferEnd(url: home, status: 303, headers: ["location": "/done?key=a&etag=%22b%22"])
    let verdict = Verdict.judge(
      end, target: Target(name: "t", url: home), attempt: 1, redirects: 0, now: Self.now)
    guard case .delivered(let receipt) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect(receipt.url == "https://a.example/done?key=a&etag=%22b%22" && receipt.doubt == nil)
  }

  @Test func whereToLookIsSaid() {
    let end = TransferEnd(url: home, status: 302, headers: ["location": "/done?key=a"])
    let verdict = Verdict.judge(
      end, target: Target(name: "t", url: home), attempt: 1, redirects: 0, now: Self.now)
    guard case .failed(let failure) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect(
      failure.explanation
        == "The server answered 302 Found, and it is unclear whether it stored the file: it points to "
        + "https://a.example/done?…, which may be the result. Check the server before you retry: a retry may store the "
        + "file twice.")
  }

  /// A file is sent with three nonces at most, however many attempts it may have.
  @Test func noncesAreNotTriedForEver() {
    var target = Target(name: "t", url: home)
    target.retry.attempts = 9
    for attempt in 1...4 {
      let failure = Failure(.nonceExpired, status: 401, attempts: attempt)
      #expect((target.delay(after: failure, at: home, random: 0) != nil) == (attempt < 3))
    }
  }

  /// A file that fails because of a wait says what was asked, and what would help.
  @Test func aWaitThatIsTooLongIsSaid() throws {
    let end = TransferEnd(url: home, status: 429, headers: ["retry-after": "300"])
    let target = Target(name: "t", url: home)
    guard
      case .failed(let failure) = Verdict.judge(
        end, target: target, attempt: 1, redirects: 0, now: Self.now)
    else {
      Issue.record("not failed")
      return
    }
    #expect(target.delay(after: failure, at: home, random: 0) == nil)
    #expect(
      failure.explanation
        == "The server refused it: 429 Too Many Requests. The server asks to wait 5 min. Retry after that; a "
        + "target waits for at most retry.max by itself.")
  }
}
