import Foundation
import MultipartForm
import Testing

@testable import UploadModel

private func url(_ text: String) -> URL { URL(string: text) ?? URL(fileURLWithPath: "/") }
private let upload = url("https://a.example/upload")
private let identity = FileIdentity(device: 1, inode: 2, size: 10, modified: 3)
private let now = Date(timeIntervalSince1970: 1_800_000_000)

/// What a server says to one request, and what it says before that.
struct HTTPReply: Sendable {
  var interim: [[String: String]] = []
  var status: Int?
  var headers: [String: String] = [:]
  var trouble: Failure.Cause?
  var text = ""
  /// How many seconds all that takes.
  var seconds = 0.0

  static func offer(_ location: String = "/u/1", _ more: [String: String] = [:]) -> [String: String]
  {
    ["location": location, "upload-draft-interop-version": "8"].merging(more) { $1 }
  }
  static func status(
    _ status: Int, _ headers: [String: String] = [:], after interim: [String: String]...
  ) -> HTTPReply {
    HTTPReply(interim: interim, status: status, headers: headers)
  }
  static func lost(after interim: [String: String]...) -> HTTPReply {
    HTTPReply(interim: interim, trouble: .connectionLost("reset"))
  }
  /// What nginx makes of a 104.
  static let taken = offer("/u/1", ["server": "nginx/1.22.1", "date": "x", "connection": "close"])
  /// The state of an upload, as the reply to HEAD tells it.
  static func at(_ offset: Int, complete: Bool = false, _ more: [String: String] = [:]) -> HTTPReply
  {
    HTTPReply(
      status: 204,
      headers: ["upload-offset": "\(offset)", "upload-complete": complete ? "?1" : "?0"]
        .merging(more) { $1 })
  }
  /// The reply of whatever the target's own request was for.
  static func done(_ status: Int = 200, _ more: [String: String] = [:]) -> HTTPReply {
    HTTPReply(status: status, headers: ["upload-complete": "?1"].merging(more) { $1 })
  }
  static func problem(_ status: Int, _ type: String) -> HTTPReply {
    HTTPReply(
      status: status, headers: ["upload-complete": "?0"],
      text: "{\"type\": \"https://iana.org/assignments/http-problem-types#\(type)\"}")
  }
}

struct HTTPRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var point: ResumePoint?
  var chunk: Int64?
  var mode = ResumeRules.Mode.http
  var server: ResumeServer?
  let replies: [HTTPReply]
  let expected: [String]

  init(
    _ description: String, from point: ResumePoint? = nil, chunk: Int64? = nil,
    mode: ResumeRules.Mode = .http, knowing server: ResumeServer? = nil, _ replies: [HTTPReply],
    _ expected: [String]
  ) {
    testDescription = description
    (self.point, self.chunk, self.mode, self.server) = (point, chunk, mode, server)
    (self.replies, self.expected) = (replies, expected)
  }

  private static func kept(_ change: (inout ResumePoint) -> Void = { _ in }) -> ResumePoint {
    var point = ResumePoint(
      url: url("https://a.example/u/1"), target: "t", identity: identity, offset: 4, mode: .http)
    change(&point)
    return point
  }
  private static func limits(_ text: String) -> ResumeServer { .http(ResumeLimits(text)) }
  private static let whole = "POST /upload 0..<10 ?1"

  static let all: [HTTPRow] = usual + resumed + pieces + discovery + faults + taken

  private static let plain = "POST /upload 0..<10 plain"
  /// A proxy takes interim replies for the answer.
  private static let taken: [HTTPRow] = [
    HTTPRow(
      "it passes them on as its own: nothing has come yet",
      [.lost(after: HTTPReply.taken), .at(0), .status(204)],
      [
        whole, "keep /u/1 at 0", "learn usual", "stop connection-lost", "HEAD /u/1",
        "DELETE /u/1", "forget", "start again",
      ]),
    HTTPRow(
      "over HTTP/2 there is no Connection",
      [.lost(after: HTTPReply.offer("/u/1", ["server": "n", "date": "x"])), .at(0), .status(404)],
      [
        whole, "keep /u/1 at 0", "learn usual", "stop connection-lost", "HEAD /u/1",
        "DELETE /u/1", "forget", "start again",
      ]),
    HTTPRow(
      "all had come: it is not sent twice",
      [.lost(after: HTTPReply.taken), .at(10, complete: true), .done(201)],
      [
        whole, "keep /u/1 at 0", "learn usual", "stop connection-lost", "HEAD /u/1",
        "keep /u/1 at 10", "PATCH /u/1 10..<10 ?1", "done 201 10",
      ]),
    HTTPRow(
      "most of it had come: it goes on",
      [.lost(after: HTTPReply.taken), .at(6), .done(201)],
      [
        whole, "keep /u/1 at 0", "learn usual", "stop connection-lost", "HEAD /u/1",
        "keep /u/1 at 6", "PATCH /u/1 6..<10 ?1", "done 201 10",
      ]),
    HTTPRow(
      "it holds them back",
      [
        HTTPReply(
          interim: [HTTPReply.offer()], trouble: .connectionLost("reset"), seconds: 6), .at(0),
        .status(204),
      ],
      [
        whole, "keep /u/1 at 0", "learn usual", "stop connection-lost", "HEAD /u/1",
        "DELETE /u/1", "forget", "start again",
      ]),
    HTTPRow(
      "it holds them back until hoist gives up", [HTTPReply(trouble: .stalled(seconds: 60))],
      [whole, "learn usual", "outcome-unknown"]),
    HTTPRow(
      "what could not be sent says nothing of it", [HTTPReply(trouble: .unreachable("no route"))],
      [whole, "outcome-unknown"]),
    HTTPRow("it is known", knowing: .usual, [.status(201)], [plain, "done 201 10"]),
    HTTPRow(
      "it is known, in any protocol", mode: .auto, knowing: .usual, [.status(201)],
      [plain, "done 201 10"]),
    HTTPRow(
      "it is known, and a reply is lost", knowing: .usual, [.lost()], [plain, "outcome-unknown"]),
    HTTPRow(
      "an upload was begun before it was known", from: kept(), knowing: .usual,
      [.at(4), .status(204)],
      ["HEAD /u/1", "DELETE /u/1", "forget", "start again"]),
  ]

  private static let usual: [HTTPRow] = [
    HTTPRow("a server that knows nothing of it", [.status(201)], [whole, "done 201 10"]),
    HTTPRow(
      "an offer is kept before anything else, and the reply is the target's own",
      [.status(201, ["location": "/f/a", "upload-complete": "?1"], after: HTTPReply.offer())],
      [whole, "keep /u/1 at 0", "done 201 10 /f/a"]),
    HTTPRow(
      "the address of the upload is none of the file",
      [.status(200, ["location": "/u/1", "upload-complete": "?1"], after: HTTPReply.offer())],
      [whole, "keep /u/1 at 0", "done 200 10"]),
    HTTPRow(
      "progress is no offer", [.status(200, after: ["upload-offset": "5"])], [whole, "done 200 10"]),
    HTTPRow(
      "an offer of another version is none",
      [.lost(after: HTTPReply.offer("/u/1", ["upload-draft-interop-version": "7"]))],
      [whole, "learn usual", "outcome-unknown"]),
    HTTPRow(
      "an offer without a version is none", [.lost(after: ["location": "/u/1"])],
      [whole, "learn usual", "outcome-unknown"]),
    HTTPRow("a lost reply without an offer", [.lost()], [whole, "learn usual", "outcome-unknown"]),
    HTTPRow("a refusal without an offer", [.status(403)], [whole, "http-403"]),
    HTTPRow(
      "a redirect of the target's own request", [.status(307, ["location": "/new"])],
      [whole, "follow /new"]),
    HTTPRow(
      "a lost line after an offer is no doubt", [.lost(after: HTTPReply.offer())],
      [whole, "keep /u/1 at 0", "connection-lost"]),
    HTTPRow(
      "a server's error after an offer is tried again", [.status(500, after: HTTPReply.offer())],
      [whole, "keep /u/1 at 0", "http-500"]),
    HTTPRow(
      "a refusal of what was sent ends the upload",
      [.status(422, ["upload-complete": "?1"], after: HTTPReply.offer())],
      [whole, "keep /u/1 at 0", "forget", "http-422"]),
    HTTPRow(
      "not all of it was taken",
      [.status(201, ["upload-complete": "?0", "location": "/u/1"]), .at(6), .done()],
      [
        whole, "keep /u/1 at 0", "HEAD /u/1", "keep /u/1 at 6", "PATCH /u/1 6..<10 ?1",
        "done 200 10",
      ]),
    HTTPRow(
      "too large, said with the offer: the upload is taken back",
      [
        HTTPReply(interim: [HTTPReply.offer("/u/1", ["upload-limit": "max-size=9"])]),
        .status(204),
      ],
      [whole, "stop too-large", "DELETE /u/1", "forget", "too-large"]),
    HTTPRow(
      "limits that are malformed are ignored",
      [.status(200, after: HTTPReply.offer("/u/1", ["upload-limit": "max-size=?1, max-age=5"]))],
      [whole, "keep /u/1 at 0", "done 200 10"]),
    HTTPRow(
      "the time for which it is kept is written down",
      [.lost(after: HTTPReply.offer("/u/1", ["upload-limit": "max-age=60, other=1"]))],
      [whole, "keep /u/1 at 0 for 60 s", "connection-lost"]),
  ]

  private static let resumed: [HTTPRow] = [
    HTTPRow(
      "it goes on where the server is", from: kept(), [.at(6), .done(201, ["location": "/f/a"])],
      ["HEAD /u/1", "keep /u/1 at 6 from 6", "PATCH /u/1 6..<10 ?1", "done 201 4 /f/a"]),
    HTTPRow(
      "all there and not complete", from: kept(), [.at(10), .done()],
      ["HEAD /u/1", "keep /u/1 at 10 from 10", "PATCH /u/1 10..<10 ?1", "done 200 0"]),
    HTTPRow(
      "complete, and the server has kept its reply", from: kept(),
      [.at(10, complete: true), .done(201, ["location": "/f/a"])],
      ["HEAD /u/1", "keep /u/1 at 10 from 10", "PATCH /u/1 10..<10 ?1", "done 201 0 /f/a"]),
    HTTPRow(
      "complete, and the reply is lost for good", from: kept(),
      [.at(10, complete: true), .status(400, ["upload-complete": "?0"])],
      ["HEAD /u/1", "keep /u/1 at 10 from 10", "PATCH /u/1 10..<10 ?1", "done 204 0"]),
    HTTPRow(
      "complete, and its processing failed", from: kept(), [.at(10, complete: true), .done(500)],
      ["HEAD /u/1", "keep /u/1 at 10 from 10", "PATCH /u/1 10..<10 ?1", "forget", "http-500"]),
    HTTPRow(
      "forgotten", from: kept(), [.status(404), .status(201)],
      ["HEAD /u/1", whole, "done 201 10"]),
    HTTPRow(
      "forgotten again and again", from: kept(),
      [.status(410), .lost(after: HTTPReply.offer("/u/2"))],
      ["HEAD /u/1", whole, "keep /u/2 at 0 forgotten", "connection-lost"]),
    HTTPRow(
      "a changed file", from: kept { $0.identity.modified = 9 }, [.lost(after: HTTPReply.offer())],
      [whole, "keep /u/1 at 0 fileChanged", "connection-lost"]),
    HTTPRow(
      "a changed form",
      from: kept { $0.form = ResumePoint.Form(boundary: "b", made: now, seal: "s") },
      [.lost(after: HTTPReply.offer())],
      [whole, "keep /u/1 at 0 formChanged", "connection-lost"]),
    HTTPRow(
      "409 asks where the server is", from: kept(),
      [.at(4), .problem(409, "mismatching-upload-offset"), .at(8), .done()],
      [
        "HEAD /u/1", "keep /u/1 at 4 from 4", "PATCH /u/1 4..<10 ?1", "HEAD /u/1",
        "keep /u/1 at 8 from 4", "PATCH /u/1 8..<10 ?1", "done 200 6",
      ]),
    HTTPRow(
      "a lost line with progress", from: kept(), [.at(6), .lost()],
      ["HEAD /u/1", "keep /u/1 at 6 from 6", "PATCH /u/1 6..<10 ?1", "connection-lost advanced"]),
    HTTPRow(
      "a redirect of the upload is followed", from: kept(),
      [.status(308, ["location": "/u/9"]), .at(4), .done()],
      [
        "HEAD /u/1", "HEAD /u/9", "keep /u/1 at 4 from 4", "PATCH /u/1 4..<10 ?1", "done 200 6",
      ]),
  ]

  private static let pieces: [HTTPRow] = [
    HTTPRow(
      "pieces, to a server that has announced limits", chunk: 4,
      [
        .status(204, ["upload-limit": "min-size=0"]),
        .status(201, ["location": "/u/1", "upload-complete": "?0"]),
        .status(204, ["upload-complete": "?0"]),
        .status(204, ["upload-complete": "?0", "upload-offset": "8"]), .done(),
      ],
      [
        "OPTIONS /upload", "learn http", "POST /upload 0..<0 ?0", "keep /u/1 at 0",
        "PATCH /u/1 0..<4 ?0", "keep /u/1 at 4", "PATCH /u/1 4..<8 ?0", "keep /u/1 at 8",
        "PATCH /u/1 8..<10 ?1", "done 200 10",
      ]),
    HTTPRow(
      "no pieces to a server that may know nothing of them", chunk: 4,
      [.status(405), .status(201)], ["OPTIONS /upload", "learn http", whole, "done 201 10"]),
    HTTPRow(
      "no piece is smaller than the server wants", chunk: 2,
      knowing: limits("min-append-size=6"),
      [
        .status(201, ["location": "/u/1", "upload-complete": "?0"]),
        .status(204, ["upload-complete": "?0"]), .done(),
      ],
      [
        "POST /upload 0..<0 ?0", "keep /u/1 at 0", "PATCH /u/1 0..<6 ?0", "keep /u/1 at 6",
        "PATCH /u/1 6..<10 ?1", "done 200 10",
      ]),
    HTTPRow(
      "an offer with a limit turns a whole upload into pieces",
      [
        HTTPReply(interim: [HTTPReply.offer("/u/1", ["upload-limit": "max-append-size=8"])]),
        .at(0), .status(204, ["upload-complete": "?0"]), .done(),
      ],
      [
        whole, "keep /u/1 at 0", "stop too-large", "HEAD /u/1", "keep /u/1 at 0",
        "PATCH /u/1 0..<8 ?0", "keep /u/1 at 8", "PATCH /u/1 8..<10 ?1", "done 200 10",
      ]),
    HTTPRow(
      "413 that says how much it takes at once",
      [
        .status(413, ["upload-limit": "max-append-size=6"]),
        .status(201, ["location": "/u/1", "upload-complete": "?0"]),
        .status(204, ["upload-complete": "?0"]), .done(),
      ],
      [
        whole, "POST /upload 0..<0 ?0", "keep /u/1 at 0", "PATCH /u/1 0..<6 ?0", "keep /u/1 at 6",
        "PATCH /u/1 6..<10 ?1", "done 200 10",
      ]),
    HTTPRow("413 that says nothing", [.status(413)], [whole, "http-413"]),
    HTTPRow(
      "too large by what was announced: nothing is sent", knowing: limits("max-size=9"), [],
      ["too-large"]),
  ]

  private static let discovery: [HTTPRow] = [
    HTTPRow(
      "auto finds the draft", mode: .auto, [.status(204, ["upload-limit": "min-size=0"]), .done()],
      ["OPTIONS /upload", "learn http", whole, "done 200 10"]),
    HTTPRow(
      "auto finds tus", mode: .auto, [.status(204, ["tus-version": "1.0.0"])],
      ["OPTIONS /upload", "learn tus", "start again"]),
    HTTPRow(
      "auto finds nothing", mode: .auto, [.status(404), .status(200)],
      ["OPTIONS /upload", "learn http", whole, "done 200 10"]),
    HTTPRow(
      "auto asks once", mode: .auto, knowing: .http(nil), [.status(200)], [whole, "done 200 10"]),
    HTTPRow(
      "auto does not ask about what was begun", from: kept(), mode: .auto, [.at(4), .done()],
      ["HEAD /u/1", "keep /u/1 at 4 from 4", "PATCH /u/1 4..<10 ?1", "done 200 6"]),
  ]

  private static let faults: [HTTPRow] = [
    HTTPRow(
      "no Location", knowing: limits("max-append-size=4"),
      [.status(201, ["upload-complete": "?0"])],
      ["POST /upload 0..<0 ?0", "resume-no-location"]),
    HTTPRow(
      "it announces that it takes nothing at once", knowing: limits("max-append-size=0"), [],
      ["resume-append-too-small"]),
    HTTPRow(
      "it offers to take nothing at once",
      [HTTPReply(interim: [HTTPReply.offer("/u/1", ["upload-limit": "max-append-size=0"])])],
      [whole, "keep /u/1 at 0", "stop resume-append-too-small", "resume-append-too-small"]),
    HTTPRow(
      "it takes nothing at once any more", from: kept(),
      [.at(4, ["upload-limit": "max-append-size=0"])],
      ["HEAD /u/1", "keep /u/1 at 4 from 4", "resume-append-too-small"]),
    HTTPRow(
      "Location elsewhere", [HTTPReply(interim: [HTTPReply.offer("https://b.example/u")])],
      [whole, "stop resume-location-elsewhere", "resume-location-elsewhere"]),
    HTTPRow(
      "Location that is none", [HTTPReply(interim: [HTTPReply.offer("mailto:a@b.example")])],
      [whole, "stop resume-bad-location", "resume-bad-location"]),
    HTTPRow(
      "two addresses",
      [HTTPReply(interim: [HTTPReply.offer("/u/1"), HTTPReply.offer("/u/2")])],
      [
        whole, "keep /u/1 at 0", "stop resume-location-changed", "resume-location-changed",
      ]),
    HTTPRow(
      "an offset beyond the end", from: kept(), [.at(11)],
      ["HEAD /u/1", "forget", "resume-offset-beyond-end"]),
    HTTPRow(
      "an offset that goes back", from: kept(), [.at(3)],
      ["HEAD /u/1", "forget", "resume-offset-went-back"]),
    HTTPRow(
      "no offset", from: kept(), [.status(204, ["upload-complete": "?0"])],
      ["HEAD /u/1", "resume-no-offset"]),
    HTTPRow(
      "an offset that is no number", from: kept(), [.status(204, ["upload-offset": "\"4\""])],
      ["HEAD /u/1", "resume-no-offset"]),
    HTTPRow(
      "another length", from: kept(), [.at(4, ["upload-length": "12"])],
      ["HEAD /u/1", "forget", "resume-other-length"]),
    HTTPRow(
      "inconsistent lengths", from: kept(), [.at(4), .problem(400, "inconsistent-upload-length")],
      [
        "HEAD /u/1", "keep /u/1 at 4 from 4", "PATCH /u/1 4..<10 ?1", "forget",
        "resume-other-length",
      ]),
    HTTPRow(
      "closed too early", from: kept(), [.at(6, complete: true)],
      ["HEAD /u/1", "forget", "resume-ended-early advanced"]),
    HTTPRow(
      "all of it there, and never complete", from: kept(),
      [
        .at(10), .status(204, ["upload-complete": "?0"]), .at(10),
        .status(204, ["upload-complete": "?0"]), .at(10), .status(204, ["upload-complete": "?0"]),
      ],
      [
        "HEAD /u/1", "keep /u/1 at 10 from 10", "PATCH /u/1 10..<10 ?1", "HEAD /u/1",
        "keep /u/1 at 10 from 10", "PATCH /u/1 10..<10 ?1", "HEAD /u/1", "keep /u/1 at 10 from 10",
        "PATCH /u/1 10..<10 ?1", "forget", "resume-never-complete advanced",
      ]),
    HTTPRow(
      "endless redirects", from: kept(),
      Array(repeating: .status(308, ["location": "/u/1"]), count: 6),
      Array(repeating: "HEAD /u/1", count: 6) + ["redirected"]),
    HTTPRow(
      "a redirect to another server", from: kept(),
      [.status(307, ["location": "https://b.example/1"])], ["HEAD /u/1", "redirected"]),
  ]
}

@Suite("What a server of Resumable Uploads for HTTP is asked next")
struct HTTPResumeMachineTests {
  @Test("Each conversation goes as it should", arguments: HTTPRow.all)
  func conversation(_ row: HTTPRow) throws {
    var target = Target(name: "t", url: upload)
    target.resume = ResumeRules(mode: row.mode, chunk: row.chunk)
    var machine = HTTPResumeMachine(
      target: target, identity: identity, creation: upload, length: 10, point: row.point,
      server: row.server)
    var replies = row.replies[...]
    var pending = machine.start(now: now)
    var trace: [String] = []
    while !pending.isEmpty {
      let action = pending.removeFirst()
      trace.append(words(action, target))
      guard case .send(let request) = action else { continue }
      #expect(
        trace.last?.hasSuffix(" plain") == true
          || request.headers.contains(ResumeRequest.Header("Upload-Draft-Interop-Version", "8")))
      let next = replies.popFirst()
      let reply = try #require(next, "nothing more was to be asked: \(trace)")
      var end = TransferEnd(
        url: request.url, status: reply.status, headers: reply.headers,
        reply: Reply(text: reply.text, mediaType: "application/problem+json"),
        trouble: reply.trouble, bytes: Int64(request.content?.count ?? 0))
      for interim in reply.interim {
        let later = now + reply.seconds
        for action in machine.handle(interim: interim, at: request.url, now: later) {
          trace.append(words(action, target))
          if case .stop(let cause) = action { (end.trouble, end.sentAll) = (cause, false) }
        }
      }
      pending += machine.handle(end, now: now)
    }
    #expect(trace == row.expected)
    #expect(replies.isEmpty)
  }

  private func words(_ action: ResumeAction, _ target: Target) -> String {
    switch action {
    case .send(let request):
      let complete = request.headers.first { $0.name == "Upload-Complete" }
      return [
        request.method, request.url.path, request.content.map { "\($0)" },
        request.headers.isEmpty ? "plain" : complete?.value,
      ].compactMap { $0 }.joined(separator: " ")
    case .keep(let point):
      return "keep \(point.url.path) at \(point.offset)"
        + (point.start > 0 ? " from \(point.start)" : "") + (point.loss.map { " \($0)" } ?? "")
        + (point.expires.map { " for \(Int($0.timeIntervalSince(now))) s" } ?? "")
    case .forget: return "forget"
    case .learn(.tus): return "learn tus"
    case .learn(.http): return "learn http"
    case .learn(.usual): return "learn usual"
    case .startAgain: return "start again"
    case .stop(let cause): return "stop \(Failure(cause).code)"
    case .end(let end):
      switch Verdict.judge(end, target: target, attempt: 1, redirects: 0, now: now) {
      case .delivered(let receipt):
        let place = receipt.url.flatMap { URL(string: $0)?.path }
        return "done \(receipt.status) \(receipt.bytes)" + (place.map { " \($0)" } ?? "")
      case .failed(let failure): return failure.code + (end.hasAdvanced ? " advanced" : "")
      case .follow(let url, _): return "follow \(url.path)"
      }
    }
  }

  /// A server that takes a byte at once: 110,000 requests for a file.
  @Test(
    "Few small pieces are sent, many are not",
    arguments: [
      ("max-append-size=1", 100, true), ("max-append-size=1", 101, false),
      ("max-append-size=1", 110_000, false), ("max-append-size=16383", 2_000_000, false),
      ("max-append-size=16384", 2_000_000, true),
      ("max-append-size=1, min-append-size=5000", 110_000, true),
    ])
  func floor(_ limits: String, _ length: Int64, _ isSent: Bool) {
    var target = Target(name: "t", url: upload)
    target.resume = ResumeRules(mode: .http)
    var machine = HTTPResumeMachine(
      target: target, identity: identity, creation: upload, length: length, point: nil,
      server: .http(ResumeLimits(limits)))
    let words = machine.start(now: now).map { self.words($0, target) }
    #expect(words == [isSent ? "POST /upload 0..<0 ?0" : "resume-append-too-small"])
  }

  @Test("Offsets of a form are those of the file in what is shown")
  func form() {
    var target = Target(name: "t", url: upload)
    target.resume = ResumeRules(mode: .http)
    let form = ResumePoint.Form(boundary: "b", made: now, seal: "s", lead: 100)
    let point = ResumePoint(
      url: url("https://a.example/u/1"), target: "t", identity: identity, mode: .http, form: form)
    var machine = HTTPResumeMachine(
      target: target, identity: identity, creation: upload, length: 130, lead: 100, form: form,
      point: point, server: nil)
    _ = machine.start(now: now)
    let end = TransferEnd(
      url: upload, status: 204, headers: ["upload-offset": "106", "upload-complete": "?0"])
    let actions = machine.handle(end, now: now)
    guard case .keep(let kept)? = actions.first, case .send(let request)? = actions.last else {
      Issue.record("\(actions)")
      return
    }
    #expect(
      kept.offset == 106 && kept.start == 6 && kept.isAtStart && kept.words == "resumed at 60 %")
    #expect(request.content == 106..<130)
    #expect(machine.course.fileOffset(50) == 0 && machine.course.fileOffset(120) == 10)
  }
}
