import Foundation
import Testing

@testable import UploadModel

private func url(_ text: String) -> URL { URL(string: text) ?? URL(fileURLWithPath: "/") }
private let home = url("https://a.example/upload")

/// What ended how, and what it means.
struct VerdictRow: Sendable, CustomTestStringConvertible {
  let end: TransferEnd
  let expected: String
  var testDescription: String

  init(
    _ status: Int?, _ trouble: Failure.Cause? = nil, sentAll: Bool = true, is expected: String
  ) {
    end = TransferEnd(url: home, status: status, trouble: trouble, sentAll: sentAll)
    self.expected = expected
    testDescription =
      "\(status.map(String.init) ?? "no status"), \(trouble.map { "\($0)" } ?? "no trouble"), "
      + (sentAll ? "all sent" : "cut short")
  }

  static let all: [VerdictRow] = [
    // Statuses.
    VerdictRow(200, is: "delivered"), VerdictRow(201, is: "delivered"),
    VerdictRow(204, is: "delivered"), VerdictRow(299, is: "delivered"),
    VerdictRow(199, is: "http-199"), VerdictRow(300, is: "http-300"),
    VerdictRow(304, is: "http-304"), VerdictRow(400, is: "http-400"),
    VerdictRow(401, is: "http-401"), VerdictRow(413, is: "http-413"),
    VerdictRow(500, is: "http-500"), VerdictRow(503, is: "http-503"),
    VerdictRow(599, is: "http-599"),
    // A gateway's own trouble says nothing of the server behind it, once that may have everything.
    VerdictRow(502, is: "outcome-unknown"), VerdictRow(504, is: "outcome-unknown"),
    VerdictRow(502, .connectionLost("reset"), is: "outcome-unknown"),
    VerdictRow(520, is: "outcome-unknown"), VerdictRow(524, is: "outcome-unknown"),
    VerdictRow(598, is: "outcome-unknown"), VerdictRow(524, sentAll: false, is: "http-524"),
    // It never reached the server behind it.
    VerdictRow(521, is: "http-521"), VerdictRow(530, is: "http-530"),
    VerdictRow(502, sentAll: false, is: "http-502"),
    VerdictRow(504, .connectionLost("reset"), sentAll: false, is: "http-504"),
    // Replies before the body was through.
    VerdictRow(413, sentAll: false, is: "http-413"),
    VerdictRow(413, .connectionLost("reset"), sentAll: false, is: "http-413"),
    VerdictRow(200, sentAll: false, is: "connection-lost"),
    VerdictRow(200, .connectionLost("reset"), sentAll: false, is: "connection-lost"),
    VerdictRow(200, .stalled(seconds: 9), sentAll: false, is: "stalled"),
    // Replies whose own body broke off: the status is what counts.
    VerdictRow(200, .connectionLost("reset"), is: "delivered"),
    VerdictRow(503, .stalled(seconds: 9), is: "http-503"),
    // No reply, before the last byte: nothing was stored.
    VerdictRow(nil, .connectionLost("reset"), sentAll: false, is: "connection-lost"),
    VerdictRow(nil, .network("?"), sentAll: false, is: "network"),
    VerdictRow(nil, .unreachable("?"), sentAll: false, is: "unreachable"),
    VerdictRow(nil, .insecure("?"), sentAll: false, is: "insecure"),
    VerdictRow(nil, .stalled(seconds: 9), sentAll: false, is: "stalled"),
    VerdictRow(nil, .connectionRefused("?"), sentAll: false, is: "connection-refused"),
    VerdictRow(nil, .nameNotResolved(host: "a"), sentAll: false, is: "name-not-resolved"),
    VerdictRow(nil, sentAll: false, is: "connection-lost"),
    // No reply, after it: nobody can tell.
    VerdictRow(nil, .connectionLost("reset"), is: "outcome-unknown"),
    VerdictRow(nil, .network("?"), is: "outcome-unknown"),
    VerdictRow(nil, .unreachable("timed out"), is: "outcome-unknown"),
    VerdictRow(nil, .insecure("SSL read"), is: "outcome-unknown"),
    VerdictRow(nil, .stalled(seconds: 9), is: "outcome-unknown"),
    VerdictRow(nil, is: "outcome-unknown"),
    VerdictRow(nil, .notHTTP("?"), is: "not-http"),
    // The file's own faults outweigh any reply.
    VerdictRow(200, .changed(.shrank), sentAll: false, is: "changed"),
    VerdictRow(500, .unreadable("?"), sentAll: false, is: "unreadable"),
    VerdictRow(nil, .missing, sentAll: false, is: "missing"),
    // A cancel does not outweigh the answer to the whole file.
    VerdictRow(200, .cancelled, is: "delivered"),
    VerdictRow(200, .cancelled, sentAll: false, is: "cancelled"),
    VerdictRow(nil, .cancelled, is: "cancelled"),
    VerdictRow(413, .cancelled, is: "http-413"),
  ]
}

/// A redirect, and where it leads.
struct RedirectRow: Sendable, CustomTestStringConvertible {
  var status = 307
  var from = home
  let location: String?
  var followed = 0
  var allowed: [String] = []
  let outcome: String
  var testDescription: String { "\(status) from \(from) to \(location ?? "nowhere"): \(outcome)" }

  static let all: [RedirectRow] = [
    // Which statuses keep the body.
    RedirectRow(status: 301, location: "/b", outcome: "losesBody /b"),
    // The advice is to put the address into the target, which must not be one in clear.
    RedirectRow(
      status: 301, location: "http://a.example/b?c", outcome: "unencrypted http://a.example/b?…"),
    // The others are in ReplyTableTests.
    RedirectRow(location: "/b", outcome: "follow https://a.example/b"),
    RedirectRow(status: 308, location: "/b", outcome: "follow https://a.example/b"),
    // Relative to where the request went, not to the target.
    RedirectRow(location: "b?c=1", outcome: "follow https://a.example/b?c=1"),
    RedirectRow(
      from: url("https://a.example/deep/er"), location: "b",
      outcome: "follow https://a.example/deep/b"),
    RedirectRow(location: "//a.example/b", outcome: "follow https://a.example/b"),
    RedirectRow(location: "https://a.example:443/b", outcome: "follow https://a.example:443/b"),
    RedirectRow(location: "HTTPS://A.EXAMPLE/b", outcome: "follow HTTPS://A.EXAMPLE/b"),
    // Other origins.
    RedirectRow(location: "https://b.example/", outcome: "otherOrigin https://b.example/"),
    // A query may be a signature.
    RedirectRow(
      location: "https://b.example/a?sig=hunter2", outcome: "otherOrigin https://b.example/a?…"),
    RedirectRow(
      location: "https://a.example:8443/", outcome: "otherOrigin https://a.example:8443/"),
    // Nothing leads from https to http, not even the target's own list.
    RedirectRow(location: "http://a.example/", outcome: "unencrypted http://a.example/"),
    RedirectRow(
      location: "http://b.example/x?a", allowed: ["http://b.example"],
      outcome: "unencrypted http://b.example/x?…"),
    RedirectRow(
      location: "https://b.example/x", allowed: ["https://b.example"],
      outcome: "follow without credentials https://b.example/x"),
    RedirectRow(
      location: "http://b.example/x", allowed: ["https://b.example"],
      outcome: "unencrypted http://b.example/x"),
    RedirectRow(
      from: url("https://b.example/x"), location: "https://a.example/y",
      allowed: ["https://b.example"], outcome: "follow https://a.example/y"),
    // No address, or none for an upload.
    RedirectRow(location: nil, outcome: "noLocation -"),
    RedirectRow(location: " ", outcome: "noLocation -"),
    RedirectRow(location: "ftp://a.example/", outcome: "badLocation ftp://a.example/"),
    RedirectRow(location: "mailto:a@a.example", outcome: "badLocation mailto:a@a.example"),
    RedirectRow(location: "http://", outcome: "badLocation http://"),
    RedirectRow(
      location: "https://me:secret@a.example/b", outcome: "badLocation https://a.example"),
    // How many.
    RedirectRow(location: "/b", followed: 4, outcome: "follow https://a.example/b"),
    RedirectRow(location: "/b", followed: 5, outcome: "tooMany https://a.example/b"),
    RedirectRow(location: "/b", followed: 6, outcome: "tooMany https://a.example/b"),
  ]
}

/// A refusal, and whether the file is sent again.
struct RefusalRow: Sendable, CustomTestStringConvertible {
  let status: Int
  var sentAll = true
  var isIdempotent = false
  var statuses: Set<Int> = []
  let code: String
  let repeats: Bool
  var testDescription: String {
    "\(status)\(sentAll ? "" : ", cut short")\(isIdempotent ? ", idempotent" : ""), \(statuses)"
  }

  static let all: [RefusalRow] = [
    RefusalRow(status: 500, code: "http-500", repeats: false),
    RefusalRow(status: 500, sentAll: false, code: "http-500", repeats: true),
    RefusalRow(status: 500, isIdempotent: true, code: "http-500", repeats: true),
    RefusalRow(status: 500, statuses: [500], code: "http-500", repeats: true),
    RefusalRow(status: 502, code: "outcome-unknown", repeats: false),
    RefusalRow(status: 502, sentAll: false, code: "http-502", repeats: true),
    RefusalRow(status: 502, isIdempotent: true, code: "http-502", repeats: true),
    RefusalRow(status: 502, statuses: [502], code: "http-502", repeats: true),
    RefusalRow(status: 504, statuses: [502], code: "outcome-unknown", repeats: false),
    RefusalRow(status: 504, isIdempotent: true, code: "http-504", repeats: true),
    RefusalRow(status: 408, code: "http-408", repeats: true),
    RefusalRow(status: 425, code: "http-425", repeats: true),
    RefusalRow(status: 429, code: "http-429", repeats: true),
    RefusalRow(status: 503, code: "http-503", repeats: true),
    RefusalRow(status: 520, code: "outcome-unknown", repeats: false),
    RefusalRow(status: 520, sentAll: false, code: "http-520", repeats: true),
    RefusalRow(status: 524, code: "outcome-unknown", repeats: false),
    RefusalRow(status: 524, isIdempotent: true, code: "http-524", repeats: true),
    RefusalRow(status: 521, code: "http-521", repeats: true),
    RefusalRow(status: 522, code: "http-522", repeats: true),
    RefusalRow(status: 523, code: "http-523", repeats: true),
    RefusalRow(status: 525, code: "http-525", repeats: true),
    RefusalRow(status: 526, code: "http-526", repeats: true),
    RefusalRow(status: 527, code: "http-527", repeats: true),
    RefusalRow(status: 530, code: "http-530", repeats: true),
    // A status that is not known is like 500.
    RefusalRow(status: 599, code: "http-599", repeats: false),
    RefusalRow(status: 599, sentAll: false, code: "http-599", repeats: true),
    RefusalRow(status: 507, sentAll: false, code: "http-507", repeats: false),
    RefusalRow(status: 520, statuses: [520], code: "http-520", repeats: true),
  ]
}

struct VerdictTests {
  let target = Target(name: "t", url: home)

  /// The status is that of another reply, to the question how much has arrived.
  @Test func whereTheReplyWasLostItsStatusIsNotJudged() {
    var target = target
    target.response.ok = [201...201]
    var end = TransferEnd(url: home, status: 204)
    end.isReplyLost = true
    let verdict = Verdict.judge(end, target: target, attempt: 1, redirects: 0, now: .now)
    guard case .delivered = verdict else {
      Issue.record("\(verdict)")
      return
    }
  }

  @Test(arguments: [
    ("{\"a\":", true, "outcome-unknown"), ("{\"rc\": 7}", true, "rejected"),
    ("{\"rc\": 0}", true, "delivered"), ("{\"a\":", false, "outcome-unknown"),
    ("", true, "outcome-unknown"),
  ])
  func anAnswerThatBrokeOffIsJudgedOnlyWhereItIsWhole(
    _ text: String, _ broke: Bool, _ expected: String
  ) throws {
    var target = target
    target.response.failures = [
      FailureRule(.pointer(try JSONPointer("/rc")), test: .differs(.integer(0)))
    ]
    let end = TransferEnd(
      url: home, status: 200, reply: Reply(text: text),
      trouble: broke ? .connectionLost("reset") : nil)
    let verdict = Verdict.judge(end, target: target, attempt: 1, redirects: 0, now: .now)
    switch verdict {
    case .delivered: #expect(expected == "delivered")
    case .failed(let failure): #expect(failure.code == expected, "\(failure)")
    case .follow: Issue.record("follows")
    }
  }

  @Test(arguments: VerdictRow.all)
  func ends(_ row: VerdictRow) {
    let verdict = Verdict.judge(row.end, target: target, attempt: 2, redirects: 0, now: .now)
    switch verdict {
    case .delivered(let receipt):
      #expect(row.expected == "delivered")
      #expect(receipt.attempts == 2 && receipt.status == row.end.status)
    case .failed(let failure):
      #expect(failure.code == row.expected)
      #expect(failure.attempts == 2 && failure.status == row.end.status)
    case .follow(let url, _): Issue.record("follows to \(url)")
    }
  }

  /// What a server answers every time, and whether the file goes out again.
  @Test(arguments: RefusalRow.all)
  func whatMayBeStoredGoesAgainOnlyWhereThatDoesNoHarm(_ row: RefusalRow) {
    var target = target
    target.retry = RetryPolicy(isIdempotent: row.isIdempotent, statuses: row.statuses)
    let end = TransferEnd(url: home, status: row.status, sentAll: row.sentAll)
    guard
      case .failed(let failure) = Verdict.judge(
        end, target: target, attempt: 1, redirects: 0, now: .now)
    else {
      Issue.record("not failed")
      return
    }
    #expect(failure.code == row.code)
    #expect((target.delay(after: failure, at: home, random: 0) != nil) == row.repeats)
  }

  @Test(arguments: RedirectRow.all)
  func redirects(_ row: RedirectRow) {
    var target = target
    target.redirectOrigins = Set(row.allowed.compactMap { Origin(url($0)) })
    let end = TransferEnd(
      url: row.from, status: row.status, headers: row.location.map { ["location": $0] } ?? [:])
    let verdict = Verdict.judge(
      end, target: target, attempt: 1, redirects: row.followed, now: .now)
    switch verdict {
    case .follow(let url, let keepsCredentials):
      #expect(
        row.outcome
          == "follow \(keepsCredentials ? "" : "without credentials ")\(url.absoluteString)"
      )
    case .failed(let failure):
      switch failure.cause {
      case .redirected(let location, let why): #expect(row.outcome == "\(why) \(location ?? "-")")
      case .unencrypted(let location): #expect(row.outcome == "unencrypted \(location)")
      default: Issue.record("\(failure)")
      }
    case .delivered: Issue.record("delivered")
    }
  }

  @Test func theReceiptKeepsWhatIsKnown() {
    let end = TransferEnd(
      url: home, status: 201, headers: ["location": "/files/1"], reply: Reply(text: "ok"),
      bytes: 42, seconds: 1.5)
    #expect(
      Verdict.judge(end, target: target, attempt: 3, redirects: 0, now: .now)
        == .delivered(
          Receipt(
            status: 201, url: "https://a.example/files/1", reply: Reply(text: "ok"), attempts: 3,
            seconds: 1.5,
            bytes: 42)))
  }

  /// The pattern for the address and the one for the deletion are kept apart.
  @Test(
    arguments: [
      (#"{"url": "/f/1", "del": "/d/1"}"#, "", "https://a.example/f/1", "https://a.example/d/1"),
      (#"{"url": "/f/1"}"#, "", "https://a.example/f/1", nil),
      ("see https://b/1 or drop https://b/2", "regex", "https://b/1", "https://b/2"),
      ("see https://b/1", "regex", "https://b/1", nil),
      ("", "header", nil, "https://a.example/h?yes"),
    ] as [(String, String, String?, String?)])
  func theReceiptKeepsWhatDeletesTheFile(
    _ reply: String, _ way: String, _ url: String?, _ deletion: String?
  ) throws {
    var target = target
    switch way {
    case "regex":
      target.response.url = ReplyValue(.pattern(try Pattern(#"see (\S+)"#)))
      target.response.deletionURL = ReplyValue(.pattern(try Pattern(#"drop (\S+)"#)))
    case "header":
      target.response.deletionURL = ReplyValue(.header("x-delete"), suffix: "?yes")
    default:
      target.response.url = ReplyValue(.pointer(try JSONPointer("/url")))
      target.response.deletionURL = ReplyValue(.pointer(try JSONPointer("/del")))
    }
    let end = TransferEnd(
      url: home, status: 201, headers: ["x-delete": "/h"], reply: Reply(text: reply))
    guard
      case .delivered(let receipt) = Verdict.judge(
        end, target: target, attempt: 1, redirects: 0, now: .now)
    else {
      Issue.record("not delivered")
      return
    }
    #expect(receipt.url == url && receipt.deletionURL == deletion)
  }

  @Test func theFailureKeepsTheReplyAndTheServersWish() {
    let end = TransferEnd(
      url: home, status: 503, headers: ["retry-after": "7"], reply: Reply(text: "busy"))
    #expect(
      Verdict.judge(end, target: target, attempt: 1, redirects: 0, now: .now)
        == .failed(
          Failure(.refused, status: 503, reply: Reply(text: "busy"), attempts: 1, retryAfter: 7)))
  }

  @Test(arguments: [
    ("http://a.example/x", "http://a.example"), ("HTTP://A.Example:80/", "http://a.example"),
    ("https://a.example:443", "https://a.example"),
    ("http://a.example:443/", "http://a.example:443"),
    ("https://a:8443/x?y#z", "https://a:8443"), ("http://[::1]:3000/", "http://[::1]:3000"),
    ("http://[::1]/", "http://[::1]"), ("ftp://a.example/", nil), ("/only/a/path", nil),
    ("http:///nohost", nil), ("file:///etc/passwd", nil), ("mailto:a@b.c", nil),
  ])
  func origins(_ text: String, _ origin: String?) {
    #expect(URL(string: text).flatMap { Origin($0) }?.description == origin)
  }
}

@Suite("What a refusal says beside its status")
struct RefusalWordsTests {
  private func failure(
    _ status: Int, _ headers: [String: String] = [:], _ text: String = "", size: Int64 = 5
  ) throws -> Failure {
    var end = TransferEnd(url: home, status: status, headers: headers, reply: Reply(text: text))
    end.sent = SentFile(name: "a", mediaType: "text/plain", size: size)
    let verdict = Verdict.judge(
      end, target: Target(name: "t", url: home), attempt: 1, redirects: 0, now: Date())
    guard case .failed(let failure) = verdict else { throw InvalidInput("\(verdict)") }
    return failure
  }

  private static let moved = """
    <?xml version="1.0"?>
    <Error><Code>PermanentRedirect</Code><Endpoint>b.s3-eu-west-1.amazonaws.com</Endpoint></Error>
    """
  private static let malformed = """
    <Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>
    """

  @Test("S3's region and endpoint are named, whichever way it gives them")
  func regions() throws {
    let region = ["x-amz-bucket-region": "eu-west-1"]
    for (failure, places) in [
      (
        try failure(301, region, Self.moved),
        ["b.s3-eu-west-1.amazonaws.com in the region eu-west-1"]
      ),
      (try failure(301, region), ["the region eu-west-1"]),
      (try failure(307, [:], Self.moved), ["b.s3-eu-west-1.amazonaws.com"]),
      (try failure(400, region, Self.malformed), ["the region eu-west-1", "auth.sigv4.region"]),
    ] {
      for place in places {
        #expect(failure.explanation.contains(place), "\(failure.explanation)")
      }
    }
    // A redirect that says where it leads is one as ever.
    let plain = try failure(301, ["location": "/b", "x-amz-bucket-region": "eu-west-1"])
    #expect(plain.cause == .redirected(to: "/b", .losesBody))
    #expect(
      try failure(301, [:], "<Endpoint>a</Endpoint>").cause == .redirected(to: "a", .otherRegion))
    #expect(
      try failure(301, [:], "no <Endpoint>a</Endpoint>").cause == .redirected(to: nil, .losesBody))
  }

  @Test(
    "an address is shown without what may be a secret",
    arguments: [
      ("https://h/a", "https://h/a"), ("https://h/a?b=c", "https://h/a?…"),
      ("https://h/a#token=b?c", "https://h/a#…"), ("https://me:p@w@h/a@b", "https://…@h/a@b"),
      ("/a?b", "/a?…"), ("", ""), ("://", "://"), ("a://@", "a://…@"),
    ])
  func shown(_ address: String, _ words: String) {
    #expect(Verdict.shown(address) == words)
  }

  @Test("an empty file is called empty where that may be why", arguments: [400, 411, 413, 422])
  func empty(_ status: Int) throws {
    #expect(try failure(status, size: 0).explanation.contains("The file is empty."))
    #expect(try !failure(status).explanation.contains("empty"))
    #expect(try !failure(404, size: 0).explanation.contains("empty"))
  }

  @Test("what may pass by itself")
  func temporary() throws {
    #expect(try failure(421, ["retry-after": "3"]).isTransient)
    #expect(try !failure(421).isTransient)
    #expect(try failure(413, ["retry-after": "3"]).isTransient)
    #expect(try !failure(413).isTransient)
    #expect(try failure(407).explanation.contains("the proxy requires credentials"))
  }
}
