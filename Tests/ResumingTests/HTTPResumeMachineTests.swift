import Foundation
import MultipartForm
import Testing
import UploadDraft

@testable import Resuming
@testable import UploadModel

private func url(_ text: String) -> URL { Conversation.url(text) }
private let upload = url("https://a.example/upload")
private let identity = Conversation.identity
private let now = Conversation.now

extension ServerReply {
  fileprivate static func offer(_ location: String = "/u/1", _ more: [String: String] = [:])
    -> [String: String]
  {
    ["location": location, "upload-draft-interop-version": "8"].merging(more) { $1 }
  }
  /// What nginx makes of a 104.
  fileprivate static let taken = offer(
    "/u/1", ["server": "nginx/1.22.1", "date": "x", "connection": "close"])
  /// The same, when all of the request had been sent.
  fileprivate static let takenWithAll = ServerReply(
    interim: [taken], trouble: .connectionLost("reset"), hasAll: true)
  /// The state of an upload, as the reply to HEAD tells it.
  fileprivate static func at(_ offset: Int, complete: Bool = false, _ more: [String: String] = [:])
    -> ServerReply
  {
    ServerReply(
      status: 204,
      headers: ["upload-offset": "\(offset)", "upload-complete": complete ? "?1" : "?0"]
        .merging(more) { $1 })
  }
  /// The reply of whatever the target's own request was for.
  fileprivate static func done(_ status: Int = 200, _ more: [String: String] = [:]) -> ServerReply {
    ServerReply(status: status, headers: ["upload-complete": "?1"].merging(more) { $1 })
  }
  fileprivate static func problem(_ status: Int, _ type: String) -> ServerReply {
    ServerReply(
      status: status, headers: ["upload-complete": "?0"],
      text: "{\"type\": \"https://iana.org/assignments/http-problem-types#\(type)\"}")
  }
}

@Suite("What a server of Resumable Uploads for HTTP is asked next")
struct HTTPResumeMachineTests {
  private static func row(
    _ description: String, from point: ResumePoint? = nil, chunk: Int64? = nil,
    mode: ResumeRules.Mode = .http, knowing server: ResumeServer? = known(),
    because loss: ResumePoint.Loss? = nil, _ replies: [ServerReply], _ expected: [String]
  ) -> Conversation {
    Conversation(
      testDescription: description, rules: ResumeRules(mode: mode, chunk: chunk), point: point,
      server: server, loss: loss, replies: replies, expected: expected)
  }

  private static func kept(_ change: (inout ResumePoint) -> Void = { _ in }) -> ResumePoint {
    var point = ResumePoint(
      url: url("https://a.example/u/1"), target: "t", identity: identity, offset: 4, mode: .http,
      draft: .eight)
    change(&point)
    return point
  }
  private static func limits(_ text: String) -> ResumeServer { known(ResumeLimits(text)) }
  /// A server of which that is known, and the version.
  private static func known(
    _ limits: ResumeLimits? = nil, version: Int64 = 8, isSettled: Bool = true
  ) -> ResumeServer {
    .http(
      HTTPResumeServer(
        limits: limits, version: DraftVersion(rawValue: version) ?? .newest, isSettled: isSettled))
  }
  private static let whole = "POST /upload 0..<10 ?1"

  static let all: [Conversation] =
    usual + resumed + pieces + discovery + versions + old + faults + taken
    + uncertain

  /// The file may have changed since a process that was killed had sent of it.
  private static let uncertain: [Conversation] = [
    row(
      "the server had all of it: it is not sent again unasked", from: kept(),
      because: .fileUncertain, [.at(10, complete: true)],
      ["HEAD /u/1", "forget", "outcome-unknown"]),
    row(
      "it had some of it, which goes before the new upload comes", from: kept(),
      because: .fileUncertain, [.at(4), .status(204), .done(201)],
      ["HEAD /u/1", "DELETE /u/1", whole, "done 201 10"]),
    row(
      "it does not delete: no more comes to it", from: kept(), because: .fileUncertain,
      [.at(4), .status(405), .done(201)], ["HEAD /u/1", "DELETE /u/1", whole, "done 201 10"]),
    row(
      "it has forgotten it", from: kept(), because: .fileUncertain, [.status(404), .done(201)],
      ["HEAD /u/1", whole, "done 201 10"]),
    row(
      "what answers does not say: nothing is sent", from: kept(), because: .fileUncertain,
      [.status(200)], ["HEAD /u/1", "resume-no-offset"]),
    row(
      "it cannot say: nothing is sent", from: kept(), because: .fileUncertain, [.status(503)],
      ["HEAD /u/1", "http-503"]),
    row(
      "it cannot be reached: nothing is sent", from: kept(), because: .fileUncertain, [.lost()],
      ["HEAD /u/1", "connection-lost"]),
    row(
      "another file is another upload", from: kept(), because: .fileChanged, [.done(201)],
      [whole, "done 201 10"]),
  ]

  private static let plain = "POST /upload 0..<10 plain"
  /// A proxy takes interim replies for the answer.
  private static let taken: [Conversation] = [
    row(
      "it passes them on as its own: nothing has come yet",
      [.lost(after: ServerReply.taken), .at(0), .status(204)],
      [
        whole, "keep /u/1 at 0", "record usual", "stop connection-lost", "HEAD /u/1",
        "DELETE /u/1", "forget", "start again",
      ]),
    row(
      "over HTTP/2 there is no Connection",
      [
        .lost(after: ServerReply.offer("/u/1", ["server": "n", "date": "x"])), .at(0), .status(404),
      ],
      [
        whole, "keep /u/1 at 0", "record usual", "stop connection-lost", "HEAD /u/1",
        "DELETE /u/1", "forget", "start again",
      ]),
    row(
      "all had come: it is not sent twice",
      [.lost(after: ServerReply.taken), .at(10, complete: true), .done(201)],
      [
        whole, "keep /u/1 at 0", "record usual", "stop connection-lost", "HEAD /u/1",
        "keep /u/1 at 10", "PATCH /u/1 10..<10 ?1", "done 201 10",
      ]),
    row(
      "most of it had come: it goes on",
      [.lost(after: ServerReply.taken), .at(6), .done(201)],
      [
        whole, "keep /u/1 at 0", "record usual", "stop connection-lost", "HEAD /u/1",
        "keep /u/1 at 6", "PATCH /u/1 6..<10 ?1", "done 201 10",
      ]),
    row(
      "one that is late is one like any other: the server is slow, or the way to it is long",
      [
        ServerReply(
          interim: [ServerReply.offer()], status: 201, headers: ["upload-complete": "?1"],
          seconds: 3600)
      ],
      [whole, "keep /u/1 at 0", "done 201 10"]),
    row(
      "it does not delete: the upload goes on",
      [.lost(after: ServerReply.taken), .at(0), .status(405), .at(2), .done(201)],
      brokenOff + [
        "DELETE /u/1", "HEAD /u/1", "keep /u/1 at 2", "PATCH /u/1 2..<10 ?1", "done 201 10",
      ]),
    row(
      "it does not delete, for all of it has come meanwhile",
      [
        .lost(after: ServerReply.taken), .at(0), .status(403), .at(10, complete: true), .done(201),
      ],
      brokenOff + [
        "DELETE /u/1", "HEAD /u/1", "keep /u/1 at 10", "PATCH /u/1 10..<10 ?1", "done 201 10",
      ]),
    row(
      "the reply to the deletion is lost, and the upload is gone",
      [.lost(after: ServerReply.taken), .at(0), .lost(), .status(404), .status(201)],
      brokenOff + ["DELETE /u/1", "HEAD /u/1", plain, "done 201 10"]),
    row(
      "the server cannot be asked what became of the deletion: later",
      [.lost(after: ServerReply.taken), .at(0), .lost(), .lost()],
      brokenOff + ["DELETE /u/1", "HEAD /u/1", "connection-lost"]),
    row(
      "all was sent, and the server says that it deletes it",
      [.takenWithAll, .at(0), .status(204)],
      brokenOff + ["DELETE /u/1", "forget", "start again"]),
    row(
      "all was sent, and the server knows no DELETE",
      [.takenWithAll, .at(0), .status(404), .at(10, complete: true), .done(201)],
      brokenOff + [
        "DELETE /u/1", "HEAD /u/1", "keep /u/1 at 10", "PATCH /u/1 10..<10 ?1", "done 201 10",
      ]),
    row(
      "all was sent, and the server no longer knows the upload: it may be stored",
      [.takenWithAll, .at(0), .status(404), .status(404)],
      brokenOff + ["DELETE /u/1", "HEAD /u/1", "forget", "outcome-unknown"]),
    row(
      "all was sent, and the server has forgotten the upload at once: it may be stored",
      [.takenWithAll, .status(410)], brokenOff + ["forget", "outcome-unknown"]),
    row(
      "it holds them back until hoist gives up", [ServerReply(trouble: .stalled(seconds: 60))],
      [whole, "record usual", "outcome-unknown"]),
    row(
      "a stall in the middle may happen once: it is not remembered",
      [ServerReply(trouble: .stalled(seconds: 60), sentAll: false)],
      [whole, "assume usual", "stalled"]),
    row(
      "so may a deadline", [ServerReply(trouble: .outOfTime(seconds: 60))],
      [whole, "assume usual", "outcome-unknown"]),
    row(
      "what could not be sent says nothing of it", [ServerReply(trouble: .unreachable("no route"))],
      [whole, "outcome-unknown"]),
    row("it is known", knowing: .usual, [.status(201)], [plain, "done 201 10"]),
    row(
      "it is known, and passes interim replies on all the same", knowing: .usual,
      [.status(201, after: ServerReply.taken)], [plain, "done 201 10"]),
    row(
      "it is known, in any protocol", mode: .auto, knowing: .usual, [.status(201)],
      [plain, "done 201 10"]),
    row(
      "it is known, and a reply is lost", knowing: .usual, [.lost()], [plain, "outcome-unknown"]),
    row(
      "an upload was begun before it was known", from: kept(), knowing: .usual,
      [.at(4), .status(204)],
      ["HEAD /u/1", "DELETE /u/1", "forget", "start again"]),
    row(
      "an upload was begun before it was known, and cannot be deleted", from: kept(),
      knowing: .usual, [.at(4), .status(501), .at(4), .done(201)],
      [
        "HEAD /u/1", "DELETE /u/1", "HEAD /u/1", "keep /u/1 at 4 from 4", "PATCH /u/1 4..<10 ?1",
        "done 201 6",
      ]),
  ]

  private static let brokenOff = [
    whole, "keep /u/1 at 0", "record usual", "stop connection-lost", "HEAD /u/1",
  ]

  private static let usual: [Conversation] = [
    row("a server that knows nothing of it", [.status(201)], [whole, "done 201 10"]),
    row(
      "an offer is kept before anything else, and the reply is the target's own",
      [.status(201, ["location": "/f/a", "upload-complete": "?1"], after: ServerReply.offer())],
      [whole, "keep /u/1 at 0", "done 201 10 /f/a"]),
    row(
      "an offer that is relayed twice is one",
      [.status(201, after: ServerReply.offer(), ServerReply.offer())],
      [whole, "keep /u/1 at 0", "done 201 10"]),
    row(
      "its address may be absolute, the other time relative",
      [.status(201, after: ServerReply.offer("https://a.example/u/1"), ServerReply.offer("u/1"))],
      [whole, "keep /u/1 at 0", "done 201 10"]),
    row(
      "the address of the upload is not that of the file",
      [.status(200, ["location": "/u/1", "upload-complete": "?1"], after: ServerReply.offer())],
      [whole, "keep /u/1 at 0", "done 200 10"]),
    row(
      "progress is no offer", [.status(200, after: ["upload-offset": "5"])], [whole, "done 200 10"]),
    row(
      "an offer of an unknown version is ignored",
      [.lost(after: ServerReply.offer("/u/1", ["upload-draft-interop-version": "11"]))],
      [whole, "assume usual", "outcome-unknown"]),
    row(
      "an offer without a version is ignored", [.lost(after: ["location": "/u/1"])],
      [whole, "assume usual", "outcome-unknown"]),
    row("a lost reply without an offer", [.lost()], [whole, "assume usual", "outcome-unknown"]),
    row("a refusal without an offer", [.status(403)], [whole, "http-403"]),
    row(
      "a redirect of the target's own request", [.status(307, ["location": "/new"])],
      [whole, "follow /new"]),
    row(
      "a lost line after an offer is no doubt", [.lost(after: ServerReply.offer())],
      [whole, "keep /u/1 at 0", "connection-lost"]),
    row(
      "a server's error after an offer is tried again", [.status(500, after: ServerReply.offer())],
      [whole, "keep /u/1 at 0", "http-500"]),
    row(
      "a refusal of what was sent ends the upload",
      [.status(422, ["upload-complete": "?1"], after: ServerReply.offer())],
      [whole, "keep /u/1 at 0", "forget", "http-422"]),
    row(
      "not all of it was taken",
      [.status(201, ["upload-complete": "?0", "location": "/u/1"]), .at(6), .done()],
      [
        whole, "keep /u/1 at 0", "HEAD /u/1", "keep /u/1 at 6", "PATCH /u/1 6..<10 ?1",
        "done 200 10",
      ]),
    row(
      "too large, said with the offer: the upload is taken back",
      [
        ServerReply(interim: [ServerReply.offer("/u/1", ["upload-limit": "max-size=9"])]),
        .status(204),
      ],
      [whole, "stop too-large", "DELETE /u/1", "forget", "too-large"]),
    row(
      "limits that are malformed are ignored",
      [.status(200, after: ServerReply.offer("/u/1", ["upload-limit": "max-size=?1, max-age=5"]))],
      [whole, "keep /u/1 at 0", "done 200 10"]),
    row(
      "the time for which it is kept is written down",
      [.lost(after: ServerReply.offer("/u/1", ["upload-limit": "max-age=60, other=1"]))],
      [whole, "keep /u/1 at 0 for 60 s", "connection-lost"]),
  ]

  private static let resumed: [Conversation] = [
    row(
      "it goes on where the server is", from: kept(), [.at(6), .done(201, ["location": "/f/a"])],
      ["HEAD /u/1", "keep /u/1 at 6 from 6", "PATCH /u/1 6..<10 ?1", "done 201 4 /f/a"]),
    row(
      "all there and not complete", from: kept(), [.at(10), .done()],
      ["HEAD /u/1", "keep /u/1 at 10 from 10", "PATCH /u/1 10..<10 ?1", "done 200 0"]),
    row(
      "complete, and the server has kept its reply", from: kept(),
      [.at(10, complete: true), .done(201, ["location": "/f/a"])],
      ["HEAD /u/1", "keep /u/1 at 10 from 10", "PATCH /u/1 10..<10 ?1", "done 201 0 /f/a"]),
    row(
      "complete, and the reply is lost for good", from: kept(),
      [.at(10, complete: true), .status(400, ["upload-complete": "?0"])],
      ["HEAD /u/1", "keep /u/1 at 10 from 10", "PATCH /u/1 10..<10 ?1", "done 204 0"]),
    row(
      "complete, and its processing failed", from: kept(), [.at(10, complete: true), .done(500)],
      ["HEAD /u/1", "keep /u/1 at 10 from 10", "PATCH /u/1 10..<10 ?1", "forget", "http-500"]),
    row(
      "forgotten", from: kept(), [.status(404), .status(201)],
      ["HEAD /u/1", whole, "done 201 10"]),
    row(
      "forgotten again and again", from: kept(),
      [.status(410), .lost(after: ServerReply.offer("/u/2"))],
      ["HEAD /u/1", whole, "keep /u/2 at 0 forgotten", "connection-lost"]),
    row(
      "a changed file", from: kept { $0.identity.modified = 9 },
      [.lost(after: ServerReply.offer())],
      [whole, "keep /u/1 at 0 fileChanged", "connection-lost"]),
    row(
      "a changed form",
      from: kept { $0.form = ResumePoint.Form(boundary: "b", made: now, seal: "s") },
      [.lost(after: ServerReply.offer())],
      [whole, "keep /u/1 at 0 formChanged", "connection-lost"]),
    row(
      "what began with tus starts over", from: kept { $0.mode = nil },
      [.lost(after: ServerReply.offer())],
      [whole, "keep /u/1 at 0 formChanged", "connection-lost"]),
    row(
      "409 asks where the server is", from: kept(),
      [.at(4), .problem(409, "mismatching-upload-offset"), .at(8), .done()],
      [
        "HEAD /u/1", "keep /u/1 at 4 from 4", "PATCH /u/1 4..<10 ?1", "HEAD /u/1",
        "keep /u/1 at 8 from 4", "PATCH /u/1 8..<10 ?1", "done 200 6",
      ]),
    row(
      "a lost line with progress", from: kept(), [.at(6), .lost()],
      ["HEAD /u/1", "keep /u/1 at 6 from 6", "PATCH /u/1 6..<10 ?1", "connection-lost advanced"]),
    row(
      "a redirect of the upload is followed", from: kept(),
      [.status(308, ["location": "/u/9"]), .at(4), .done()],
      [
        "HEAD /u/1", "HEAD /u/9", "keep /u/1 at 4 from 4", "PATCH /u/1 4..<10 ?1", "done 200 6",
      ]),
  ]

  private static let pieces: [Conversation] = [
    row(
      "pieces, to a server that has announced limits", chunk: 4, knowing: nil,
      [
        .status(204, ["upload-limit": "min-size=0", "upload-draft-interop-version": "8"]),
        .status(201, ["location": "/u/1", "upload-complete": "?0"]),
        .status(204, ["upload-complete": "?0"]),
        .status(204, ["upload-complete": "?0", "upload-offset": "8"]), .done(),
      ],
      [
        "OPTIONS /upload in 10", "record http", "POST /upload 0..<0 ?0", "keep /u/1 at 0",
        "PATCH /u/1 0..<4 ?0", "keep /u/1 at 4", "PATCH /u/1 4..<8 ?0", "keep /u/1 at 8",
        "PATCH /u/1 8..<10 ?1", "done 200 10",
      ]),
    row(
      "no pieces to a server that may know nothing of them", chunk: 4, knowing: nil,
      [.status(405), .status(201)],
      [
        "OPTIONS /upload in 10", "record http 10 perhaps", whole10, "assume http 9 perhaps",
        "done 201 10",
      ]),
    row(
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
    row(
      "an offer with a limit turns a whole upload into pieces",
      [
        ServerReply(interim: [ServerReply.offer("/u/1", ["upload-limit": "max-append-size=8"])]),
        .at(0), .status(204, ["upload-complete": "?0"]), .done(),
      ],
      [
        whole, "keep /u/1 at 0", "stop too-large", "HEAD /u/1", "keep /u/1 at 0",
        "PATCH /u/1 0..<8 ?0", "keep /u/1 at 8", "PATCH /u/1 8..<10 ?1", "done 200 10",
      ]),
    row(
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
    row("413 that says nothing", [.status(413)], [whole, "http-413"]),
    row(
      "too large by what was announced: nothing is sent", knowing: limits("max-size=9"), [],
      ["too-large"]),
  ]

  private static let whole10 = whole + " in 10"
  private static func named(_ version: Int, _ more: [String: String] = [:]) -> [String: String] {
    ["upload-draft-interop-version": "\(version)"].merging(more) { $1 }
  }

  private static let discovery: [Conversation] = [
    row(
      "auto finds the draft, and its version", mode: .auto, knowing: nil,
      [.status(204, named(10, ["upload-limit": "min-size=0"])), .done()],
      ["OPTIONS /upload in 10", "record http 10", whole10, "done 200 10"]),
    row(
      "auto finds the draft in another version", mode: .auto, knowing: nil,
      [.status(400, named(6)), .status(201)],
      ["OPTIONS /upload in 10", "record http 6", whole + " in 6", "done 201 10"]),
    row(
      "auto finds tus", mode: .auto, knowing: nil, [.status(204, ["tus-version": "1.0.0"])],
      ["OPTIONS /upload in 10", "record tus", "start again"]),
    row(
      "auto finds nothing", mode: .auto, knowing: nil, [.status(404), .status(200)],
      ["OPTIONS /upload in 10", "record http 10", whole10, "done 200 10"]),
    row(
      "auto asks once", mode: .auto, knowing: .http(HTTPResumeServer()), [.status(200)],
      [whole10, "done 200 10"]),
    row(
      "auto does not ask about what was begun", from: kept(), mode: .auto, knowing: nil,
      [.at(4), .done()],
      ["HEAD /u/1", "keep /u/1 at 4 from 4", "PATCH /u/1 4..<10 ?1", "done 200 6"]),
  ]

  /// A request of which no content has left: the server has said 100, and nothing more for a while.
  private static let asked = ServerReply(interim: [[:]], trouble: .cancelled)
  private static let notTus = ServerReply.status(412, ["tus-resumable": "1.0.0"])
  private static let brokenOffForOffer = "stop resume-other-version"
  private static func offer(_ version: Int) -> [String: String] {
    ServerReply.offer("/u/1", named(version))
  }

  /// Which version a server speaks.
  private static let versions: [Conversation] = [
    row(
      "the newest is taken", knowing: nil, [.lost(after: offer(10))],
      [whole10, "keep /u/1 at 0", "record http 10", "connection-lost"]),
    row(
      "the server makes its offer in another one", knowing: nil, [.lost(after: offer(3))],
      [whole10, "keep /u/1 at 0", "record http 3", "connection-lost"]),
    row(
      "a known server has changed", [.lost(after: offer(9))],
      [whole, "keep /u/1 at 0", "record http 9", "connection-lost"]),
    row(
      "it wants the content without an offer: the older ones are tried", knowing: nil,
      [asked, asked, asked, asked, .lost(after: offer(6))],
      [
        whole10, brokenOffForOffer, whole + " in 9", brokenOffForOffer, whole, brokenOffForOffer,
        whole + " in 7", brokenOffForOffer, whole + " in 6", "keep /u/1 at 0", "record http 6",
        "connection-lost",
      ]),
    row(
      "none is taken: it is an ordinary server", knowing: known(version: 4, isSettled: false),
      [asked, asked, .status(201, after: [:])],
      [
        whole + " in 4", brokenOffForOffer, "POST /upload 0..<10 incomplete ?0 in 3",
        brokenOffForOffer, "record http 10", whole10, "done 201 10",
      ]),
    row(
      "the oldest is taken", knowing: known(version: 4, isSettled: false),
      [asked, .lost(after: offer(3))],
      [
        whole + " in 4", brokenOffForOffer, "POST /upload 0..<10 incomplete ?0 in 3",
        "keep /u/1 at 0", "record http 3", "connection-lost",
      ]),
    row(
      "it names its version in a refusal", knowing: nil,
      [.status(400, named(6)), .status(201, after: offer(6))],
      [whole10, "record http 6", whole + " in 6", "keep /u/1 at 0", "done 201 10"]),
    row(
      "it names one version after the other", knowing: nil,
      [.status(400, named(6)), .status(400, named(5))],
      [whole10, "record http 6", whole + " in 6", "http-400"]),
    row(
      "a tus server refuses versions that it does not know", knowing: nil,
      [notTus, notTus, notTus, notTus, .status(201, after: offer(6))],
      [
        whole10, whole + " in 9", whole, whole + " in 7", whole + " in 6", "keep /u/1 at 0",
        "record http 6", "done 201 10",
      ]),
    row("412 for another reason stands", knowing: nil, [.status(412)], [whole10, "http-412"]),
    row(
      "a server's error may have taken it, whatever it names", knowing: nil,
      [.status(500, named(6))], [whole10, "http-500"]),
    row(
      "a point of another target says nothing of this one's server",
      from: kept { ($0.target, $0.draft) = ("other", .three) },
      [.status(201)], [whole, "done 201 10"]),
    row(
      "a line that is lost with the oldest is no proof of anything",
      knowing: known(version: 3, isSettled: false),
      [ServerReply(trouble: .connectionLost("reset"), sentAll: false)],
      ["POST /upload 0..<10 incomplete ?0 in 3", "assume http 10", "connection-lost"]),
    row(
      "a refusal for another reason stands", knowing: nil, [.status(403)], [whole10, "http-403"]),
    row(
      "it takes a small file as any other: the next one is offered in the version before",
      knowing: nil, [.status(201)], [whole10, "assume http 9 perhaps", "done 201 10"]),
    row(
      "it took the file in the oldest: it is an ordinary server",
      knowing: known(version: 3, isSettled: false), [.status(201)],
      ["POST /upload 0..<10 incomplete ?0 in 3", "record http 10", "done 201 10"]),
    row(
      "a line is lost before anything has left: nothing is concluded", knowing: nil,
      [ServerReply(trouble: .unreachable("no route"), sentAll: false, bytes: 0)],
      [whole10, "unreachable"]),
    row(
      "an upload goes on in its version, whatever the server is known for",
      from: kept { $0.draft = .three }, knowing: known(version: 10),
      [
        ServerReply(status: 204, headers: ["upload-offset": "6", "upload-incomplete": "?1"]),
        .status(201, ["upload-offset": "10"]),
      ],
      [
        "HEAD /u/1 in 3", "keep /u/1 at 6 from 6", "PATCH /u/1 6..<10 incomplete ?0 in 3",
        "done 201 4",
      ]),
    row(
      "limits of an unknown version are no reason for an empty request", chunk: 4, knowing: nil,
      [
        .status(204, ["upload-limit": "min-size=0"]), ServerReply(interim: [offer(9)]),
        .at(0), .status(204, ["upload-complete": "?0"]), .status(204, ["upload-complete": "?0"]),
        .done(),
      ],
      [
        "OPTIONS /upload in 10", "record http 10 perhaps", whole10, "keep /u/1 at 0",
        "record http 9", "stop too-large", "HEAD /u/1 in 9", "keep /u/1 at 0",
        "PATCH /u/1 0..<4 ?0 in 9", "keep /u/1 at 4", "PATCH /u/1 4..<8 ?0 in 9",
        "keep /u/1 at 8", "PATCH /u/1 8..<10 ?1 in 9", "done 200 10",
      ]),
    row(
      "in 10, the state need not say whether it is complete: the reply is asked for",
      from: kept { $0.draft = .newest },
      [.status(204, ["upload-offset": "10"]), .done(201, ["location": "/f/a"])],
      [
        "HEAD /u/1 in 10", "keep /u/1 at 10 from 10", "PATCH /u/1 10..<10 ?1 in 10",
        "done 201 0 /f/a",
      ]),
    row(
      "in 10, a server that has all of it and refuses to say more leaves it open",
      from: kept { $0.draft = .newest }, [.status(204, ["upload-offset": "10"]), .status(400)],
      [
        "HEAD /u/1 in 10", "keep /u/1 at 10 from 10", "PATCH /u/1 10..<10 ?1 in 10", "forget",
        "outcome-unknown",
      ]),
    row(
      "in 10, one that has all of it and forgets it as well", from: kept { $0.draft = .newest },
      [.status(204, ["upload-offset": "10"]), .status(404)],
      [
        "HEAD /u/1 in 10", "keep /u/1 at 10 from 10", "PATCH /u/1 10..<10 ?1 in 10", "forget",
        "outcome-unknown",
      ]),
  ]

  /// What the versions before 7 say of replies.
  static let old: [Conversation] = ([3, 4, 5, 6] as [Int64]).flatMap { number -> [Conversation] in
    let version = DraftVersion(rawValue: number)
    let isFirst = number == 3
    func says(_ isComplete: Bool) -> [String: String] {
      isFirst
        ? ["upload-incomplete": isComplete ? "?0" : "?1"]
        : ["upload-complete": isComplete ? "?1" : "?0"]
    }
    func asks(_ isLast: Bool) -> String {
      (isFirst ? "incomplete \(isLast ? "?0" : "?1")" : isLast ? "?1" : "?0") + " in \(number)"
    }
    func at(_ offset: Int, _ isComplete: Bool = false) -> ServerReply {
      .status(204, says(isComplete).merging(["upload-offset": "\(offset)"]) { $1 })
    }
    let point = kept { $0.draft = version }
    let head = "HEAD /u/1 in \(number)"
    let server = known(version: number)
    return [
      row(
        "\(number): the reply to all of it need not say that it is complete", knowing: server,
        [
          .status(
            201, ["upload-offset": "10", "location": "/u/1"], after: offer(Int(number)))
        ],
        ["POST /upload 0..<10 \(asks(true))", "keep /u/1 at 0", "done 201 10"]),
      row(
        "\(number): less was taken than was sent", knowing: server,
        [
          .status(201, ["upload-offset": "6", "location": "/u/1"], after: offer(Int(number))),
          at(6), .status(201, ["upload-offset": "10"]),
        ],
        [
          "POST /upload 0..<10 \(asks(true))", "keep /u/1 at 0", "keep /u/1 at 0", head,
          "keep /u/1 at 6", "PATCH /u/1 6..<10 \(asks(true))", "done 201 10",
        ]),
      row(
        "\(number): pieces, whose replies the text marks as complete", from: point, chunk: 3,
        knowing: server,
        [
          at(4), .status(201, says(true).merging(["upload-offset": "7"]) { $1 }),
          .status(201, ["upload-offset": "10"]),
        ],
        [
          head, "keep /u/1 at 4 from 4", "PATCH /u/1 4..<7 \(asks(false))",
          "keep /u/1 at 7 from 4", "PATCH /u/1 7..<10 \(asks(true))", "done 201 6",
        ]),
      row(
        "\(number): the last piece was taken in part", from: point, knowing: server,
        [
          at(4), .status(201, ["upload-offset": "8"]), .status(201, ["upload-offset": "10"]),
        ],
        [
          head, "keep /u/1 at 4 from 4", "PATCH /u/1 4..<10 \(asks(true))",
          "keep /u/1 at 8 from 4", "PATCH /u/1 8..<10 \(asks(true))", "done 201 6",
        ]),
      row(
        "\(number): a lost reply is lost for good", from: point, knowing: server, [at(10, true)],
        [head, "keep /u/1 at 10 from 10", "done 204 0"]),
      row(
        "\(number): a refusal is no word on the whole", from: point, knowing: server,
        [at(4), .status(422, says(true))],
        [head, "keep /u/1 at 4 from 4", "PATCH /u/1 4..<10 \(asks(true))", "http-422"]),
    ]
  }

  private static let faults: [Conversation] = [
    row(
      "no Location", knowing: limits("max-append-size=4"),
      [.status(201, ["upload-complete": "?0"])],
      ["POST /upload 0..<0 ?0", "resume-no-location"]),
    row(
      "it announces that it takes nothing at once", knowing: limits("max-append-size=0"), [],
      ["resume-append-too-small"]),
    row(
      "it offers to take nothing at once",
      [ServerReply(interim: [ServerReply.offer("/u/1", ["upload-limit": "max-append-size=0"])])],
      [whole, "keep /u/1 at 0", "stop resume-append-too-small", "resume-append-too-small"]),
    row(
      "it takes nothing at once any more", from: kept(),
      [.at(4, ["upload-limit": "max-append-size=0"])],
      ["HEAD /u/1", "keep /u/1 at 4 from 4", "resume-append-too-small"]),
    row(
      "Location elsewhere", [ServerReply(interim: [ServerReply.offer("https://b.example/u")])],
      [whole, "stop resume-location-elsewhere", "resume-location-elsewhere"]),
    row(
      "Location without TLS", [ServerReply(interim: [ServerReply.offer("http://a.example/u/1")])],
      [whole, "stop unencrypted", "unencrypted"]),
    row(
      "a Location that is no web address",
      [ServerReply(interim: [ServerReply.offer("mailto:a@b.example")])],
      [whole, "stop resume-bad-location", "resume-bad-location"]),
    row(
      "two addresses",
      [ServerReply(interim: [ServerReply.offer("/u/1"), ServerReply.offer("/u/2")])],
      [
        whole, "keep /u/1 at 0", "stop resume-location-changed", "resume-location-changed",
      ]),
    row(
      "an offset beyond the end", from: kept(), [.at(11)],
      ["HEAD /u/1", "forget", "resume-offset-beyond-end"]),
    row(
      "an offset that goes back", from: kept(), [.at(3)],
      ["HEAD /u/1", "forget", "resume-offset-went-back"]),
    row(
      "no offset", from: kept(), [.status(204, ["upload-complete": "?0"])],
      ["HEAD /u/1", "resume-no-offset"]),
    row(
      "an offset that is no number", from: kept(), [.status(204, ["upload-offset": "\"4\""])],
      ["HEAD /u/1", "resume-no-offset"]),
    row(
      "another length", from: kept(), [.at(4, ["upload-length": "12"])],
      ["HEAD /u/1", "forget", "resume-other-length"]),
    row(
      "inconsistent lengths", from: kept(), [.at(4), .problem(400, "inconsistent-upload-length")],
      [
        "HEAD /u/1", "keep /u/1 at 4 from 4", "PATCH /u/1 4..<10 ?1", "forget",
        "resume-other-length",
      ]),
    row(
      "complete, but without the last bytes", from: kept(),
      [.at(4), .done(200, ["upload-offset": "7"])],
      [
        "HEAD /u/1", "keep /u/1 at 4 from 4", "PATCH /u/1 4..<10 ?1", "forget",
        "resume-ended-early",
      ]),
    row(
      "complete at once, but without the last bytes", [.done(201, ["upload-offset": "7"])],
      [whole, "forget", "resume-ended-early"]),
    row(
      "closed too early", from: kept(), [.at(6, complete: true)],
      ["HEAD /u/1", "forget", "resume-ended-early advanced"]),
    row(
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
    row(
      "endless redirects", from: kept(),
      Array(repeating: .status(308, ["location": "/u/1"]), count: 6),
      Array(repeating: "HEAD /u/1", count: 6) + ["redirected"]),
    row(
      "a redirect to another server", from: kept(),
      [.status(307, ["location": "https://b.example/1"])], ["HEAD /u/1", "redirected"]),
  ]

  @Test("Each conversation goes as it should", arguments: Self.all)
  func conversation(_ row: Conversation) throws { try row.check() }

  /// All of it had come, and its reply was lost: the one to HEAD is not what the target's rules speak of.
  @Test(
    "What would have been read in a reply that is lost is unknown", arguments: FailureSign.allCases)
  func lost(_ sign: FailureSign) throws {
    var row = Self.row(
      "complete, and the reply is lost for good", from: Self.kept(),
      [.at(10, complete: true), .status(409)],
      ["HEAD /u/1", "keep /u/1 at 10 from 10", "PATCH /u/1 10..<10 ?1", "outcome-unknown"])
    row.failures = [try sign.rule()]
    try row.check()
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
  func floor(_ limits: String, _ length: Int64, _ isSent: Bool) throws {
    var target = Target(name: "t", url: upload)
    target.resume = ResumeRules(mode: .http)
    var machine = try HTTPResumeMachine(
      ResumeStart(
        target, identity, server: Self.limits(limits), body: (length: length, form: nil)))
    let words = machine.start(without: nil).map { Conversation.words($0, target) }
    #expect(words == [isSent ? "POST /upload 0..<0 ?0" : "resume-append-too-small"])
  }

  @Test("Offsets of a form are those of the file in what is shown")
  func form() throws {
    var target = Target(name: "t", url: upload)
    target.resume = ResumeRules(mode: .http)
    let form = ResumePoint.Form(boundary: "b", made: now, seal: "s", lead: 100)
    let point = ResumePoint(
      url: url("https://a.example/u/1"), target: "t", identity: identity, mode: .http,
      draft: .eight,
      form: form)
    var machine = try HTTPResumeMachine(
      ResumeStart(target, identity, point: point, body: (length: 130, form: form)))
    _ = machine.start(without: nil)
    let end = TransferEnd(
      url: upload, status: 204, headers: ["upload-offset": "106", "upload-complete": "?0"])
    let actions = machine.handle(end, now: now)
    guard case .keep(let kept)? = actions.first, case .send(let request)? = actions.last else {
      Issue.record("\(actions)")
      return
    }
    #expect(
      kept.offset == 106 && kept.start == 6 && kept.isAtStart && kept.words == "resumed at 60%")
    #expect(request.content == 106..<130)
    #expect(machine.course.fileOffset(50) == 0 && machine.course.fileOffset(120) == 10)
  }
}
