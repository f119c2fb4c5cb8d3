import Foundation
import MultipartForm
import Testing

@testable import Resuming
@testable import UploadModel

private func url(_ text: String) -> URL { Conversation.url(text) }
private let files = url("https://a.example/files")
private let identity = Conversation.identity
private let now = Conversation.now

extension ServerReply {
  /// A tus server with all extensions.
  fileprivate static let options = status(
    204, ["tus-version": "1.0.0", "tus-extension": "creation,termination"])
  fileprivate static let created = status(201, ["location": "/files/1"])
  fileprivate static func at(_ offset: Int, _ status: Int = 204) -> ServerReply {
    .status(status, ["upload-offset": "\(offset)"])
  }
}

@Suite("What a tus server is asked next")
struct TusMachineTests {
  private static func row(
    _ description: String, size: Int64 = 10, chunk: Int64? = nil, along: Bool = false,
    from point: ResumePoint? = nil, knowing server: TusServer? = TusServer(),
    because loss: ResumePoint.Loss? = nil, _ replies: [ServerReply], _ expected: [String]
  ) -> Conversation {
    var rules = ResumeRules(mode: .tus, chunk: chunk)
    rules.sendsAlong = along
    return Conversation(
      testDescription: description, rules: rules, size: size, point: point,
      server: server.map { .tus($0) }, loss: loss, replies: replies, expected: expected)
  }

  private static let kept = ResumePoint(
    url: url("https://a.example/files/1"), target: "t", identity: identity, offset: 4)

  private static func kept(_ change: (inout ResumePoint) -> Void) -> ResumePoint {
    var point = kept
    change(&point)
    return point
  }

  static let all: [Conversation] = [
    row(
      "what began with the IETF's protocol starts over", from: kept { $0.mode = .http },
      [.created, .at(10)],
      [
        "POST /files", "keep /files/1 at 0 formChanged", "PATCH /files/1 0..<10",
        "done 204 10 /files/1",
      ]),
    row(
      "the file may have changed, and the server had all of it: it is not sent again unasked",
      from: kept, because: .fileUncertain, [.at(10)],
      ["HEAD /files/1", "forget", "outcome-unknown"]),
    row(
      "the file may have changed, and the server had some of it, which goes first", from: kept,
      because: .fileUncertain, [.at(4), .status(204), .created, .at(10)],
      [
        "HEAD /files/1", "DELETE /files/1", "POST /files", "keep /files/1 at 0 fileUncertain",
        "PATCH /files/1 0..<10", "done 204 10 /files/1",
      ]),
    row(
      "the file may have changed, and what answers does not say how much is there", from: kept,
      because: .fileUncertain, [.status(200)], ["HEAD /files/1", "resume-no-offset"]),
    row(
      "the file may have changed, and the server has forgotten it", from: kept,
      because: .fileUncertain, [.status(404), .created, .at(10)],
      [
        "HEAD /files/1", "POST /files", "keep /files/1 at 0 fileUncertain", "PATCH /files/1 0..<10",
        "done 204 10 /files/1",
      ]),
    row(
      "a whole upload, the server asked first", knowing: nil, [.options, .created, .at(10)],
      [
        "OPTIONS /files", "record tus", "POST /files", "keep /files/1 at 0",
        "PATCH /files/1 0..<10",
        "done 204 10 /files/1",
      ]),
    row(
      "what answers OPTIONS need not be the server", knowing: nil,
      [.status(405), .created, .at(10)],
      [
        "OPTIONS /files", "record tus", "POST /files", "keep /files/1 at 0",
        "PATCH /files/1 0..<10",
        "done 204 10 /files/1",
      ]),
    row(
      "a proxy that wants credentials says nothing about the server", knowing: nil,
      [.status(407)], ["OPTIONS /files", "http-407"]),
    row(
      "an empty file is there once it is made", size: 0, [.created],
      ["POST /files", "keep /files/1 at 0", "done 201 0 /files/1"]),
    row(
      "chunks", chunk: 4, [.created, .at(4), .at(8), .at(10)],
      [
        "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<4", "keep /files/1 at 4",
        "PATCH /files/1 4..<8", "keep /files/1 at 8", "PATCH /files/1 8..<10",
        "done 204 10 /files/1",
      ]),
    row(
      "a server that takes less than it is sent is sent the rest", [.created, .at(7), .at(10)],
      [
        "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10", "keep /files/1 at 7",
        "PATCH /files/1 7..<10", "done 204 10 /files/1",
      ]),
    row(
      "it goes on where the server is", from: kept, [.at(6, 200), .at(10)],
      [
        "HEAD /files/1", "keep /files/1 at 6 from 6", "PATCH /files/1 6..<10",
        "done 204 4 /files/1",
      ]),
    row(
      "all there already, for the last answer was lost", from: kept, [.at(10, 200)],
      ["HEAD /files/1", "keep /files/1 at 10 from 10", "done 200 0 /files/1"]),
    row(
      "where the file is now is the server's to say", from: kept,
      [.at(4), .status(204, ["upload-offset": "10", "location": "https://a.example/f/a.bin"])],
      [
        "HEAD /files/1", "keep /files/1 at 4 from 4", "PATCH /files/1 4..<10",
        "done 204 6 /f/a.bin",
      ]),
    row(
      "a lost line, with progress since the attempt before", from: kept, [.at(6), .lost()],
      [
        "HEAD /files/1", "keep /files/1 at 6 from 6", "PATCH /files/1 6..<10",
        "connection-lost advanced",
      ]),
    row(
      "a lost line without progress", from: kept, [.at(4), .lost()],
      [
        "HEAD /files/1", "keep /files/1 at 4 from 4", "PATCH /files/1 4..<10", "connection-lost",
      ]),
    row(
      "a forgotten upload starts over", from: kept, [.status(404), .created, .at(10)],
      [
        "HEAD /files/1", "POST /files", "keep /files/1 at 0 forgotten", "PATCH /files/1 0..<10",
        "done 204 10 /files/1",
      ]),
    row(
      "one that is gone starts over", from: kept, [.status(410), .created, .at(10)],
      [
        "HEAD /files/1", "POST /files", "keep /files/1 at 0 forgotten", "PATCH /files/1 0..<10",
        "done 204 10 /files/1",
      ]),
    row(
      "a server that forgets at once is not asked for ever",
      [.created, .status(404), .created, .status(404)],
      [
        "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10", "POST /files",
        "keep /files/1 at 0 forgotten", "PATCH /files/1 0..<10", "forget", "http-404",
      ]),
    row(
      "a changed file starts over", from: kept { $0.identity.modified = 4 },
      [.created, .at(10)],
      [
        "POST /files", "keep /files/1 at 0 fileChanged", "PATCH /files/1 0..<10",
        "done 204 10 /files/1",
      ]),
    row(
      "an upload whose time is over by this machine's clock is asked for",
      from: kept { $0.expires = now }, [.at(4), .at(10)],
      [
        "HEAD /files/1", "keep /files/1 at 4 from 4 for 0 s", "PATCH /files/1 4..<10",
        "done 204 6 /files/1",
      ]),
    row(
      "an upload whose time is over starts over", from: kept { $0.expires = now },
      [.status(404), .created, .at(10)],
      [
        "HEAD /files/1", "POST /files", "keep /files/1 at 0 expired", "PATCH /files/1 0..<10",
        "done 204 10 /files/1",
      ]),
    row(
      "another target's upload is left alone", from: kept { $0.target = "other" },
      [.created, .at(10)],
      [
        "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10",
        "done 204 10 /files/1",
      ]),
    row(
      "409 asks where the server is", from: kept, [.at(4), .status(409), .at(8), .at(10)],
      [
        "HEAD /files/1", "keep /files/1 at 4 from 4", "PATCH /files/1 4..<10", "HEAD /files/1",
        "keep /files/1 at 8 from 4", "PATCH /files/1 8..<10",
        "done 204 6 /files/1",
      ]),
    row(
      "409 again and again is a refusal", from: kept,
      [.at(4), .status(409), .at(4), .status(409), .at(4), .status(409)],
      [
        "HEAD /files/1", "keep /files/1 at 4 from 4", "PATCH /files/1 4..<10", "HEAD /files/1",
        "keep /files/1 at 4 from 4", "PATCH /files/1 4..<10", "HEAD /files/1",
        "keep /files/1 at 4 from 4", "PATCH /files/1 4..<10", "http-409",
      ]),
    row(
      "a 409 with progress since the last one does not count", from: kept,
      [
        .status(200, ["upload-offset": "5"]), .status(409), .at(6, 200), .status(409), .at(7, 200),
        .status(409), .at(8, 200), .status(409), .at(9, 200), .at(10),
      ],
      [
        "HEAD /files/1", "keep /files/1 at 5 from 5", "PATCH /files/1 5..<10", "HEAD /files/1",
        "keep /files/1 at 6 from 5", "PATCH /files/1 6..<10", "HEAD /files/1",
        "keep /files/1 at 7 from 5", "PATCH /files/1 7..<10", "HEAD /files/1",
        "keep /files/1 at 8 from 5", "PATCH /files/1 8..<10", "HEAD /files/1",
        "keep /files/1 at 9 from 5", "PATCH /files/1 9..<10",
        "done 204 5 /files/1",
      ]),
    row(
      "423 is another's request: later", from: kept, [.status(423)], ["HEAD /files/1", "http-423"]),
    row(
      "a proxy that forbids PATCH gets POST", [.created, .status(405), .at(10)],
      [
        "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10",
        "POST /files/1 0..<10 overrides PATCH", "done 204 10 /files/1",
      ]),
    row(
      "the beginning goes along where the server takes that, and never all of it", chunk: 4,
      along: true,
      knowing: TusServer(headers: ["tus-extension": "creation,creation-with-upload"]),
      [.status(201, ["location": "/files/1", "upload-offset": "3"]), .at(7), .at(10)],
      [
        "POST /files 0..<4", "keep /files/1 at 3", "PATCH /files/1 3..<7", "keep /files/1 at 7",
        "PATCH /files/1 7..<10", "done 204 10 /files/1",
      ]),
    row(
      "a small file goes by itself, so that a lost reply loses nothing", along: true,
      knowing: TusServer(headers: ["tus-extension": "creation,creation-with-upload"]),
      [.created, .at(10)],
      [
        "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10",
        "done 204 10 /files/1",
      ]),
    row(
      "more taken than was sent along", chunk: 4, along: true,
      knowing: TusServer(headers: ["tus-extension": "creation-with-upload"]),
      [.status(201, ["location": "/files/1", "upload-offset": "5"])],
      ["POST /files 0..<4", "forget", "resume-offset-beyond-end"]),
    row(
      "too large for the server: no byte leaves",
      knowing: TusServer(headers: ["tus-max-size": "9"]), [], ["too-large"]),
    row(
      "as large as the server takes", knowing: TusServer(headers: ["tus-max-size": "10"]),
      [.created, .lost()],
      ["POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10", "connection-lost"]),
    row(
      "another version", knowing: nil, [.status(204, ["tus-version": "0.2.2"])],
      ["OPTIONS /files", "record tus", "resume-other-version"]),
    row("412 means another version", [.status(412)], ["POST /files", "resume-other-version"]),
    row(
      "no Location", [.status(201)], ["POST /files", "resume-no-location"]),
    row(
      "Location elsewhere", [.status(201, ["location": "https://b.example/1"])],
      ["POST /files", "resume-location-elsewhere"]),
    row(
      "Location without TLS", [.status(201, ["location": "http://a.example/files/1"])],
      ["POST /files", "unencrypted"]),
    row(
      "a Location that is no web address", [.status(201, ["location": "mailto:a@b.example"])],
      ["POST /files", "resume-bad-location"]),
    row(
      "Location with a password", [.status(201, ["location": "https://u:p@a.example/1"])],
      ["POST /files", "resume-bad-location"]),
    row(
      "200 instead of 201", [.status(200, ["location": "/files/1"])],
      ["POST /files", "resume-unexpected-status"]),
    row(
      "200 instead of 204", [.created, .at(10, 200)],
      [
        "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10", "resume-unexpected-status",
      ]),
    row(
      "no offset", [.created, .status(204)],
      ["POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10", "resume-no-offset"]),
    row(
      "an offset that is no number", from: kept, [.status(200, ["upload-offset": "-1"])],
      ["HEAD /files/1", "resume-no-offset"]),
    row(
      "an offset beyond the end", from: kept, [.at(11)],
      ["HEAD /files/1", "forget", "resume-offset-beyond-end"]),
    row(
      "an offset beyond what was sent", chunk: 4, [.created, .at(5)],
      [
        "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<4", "forget",
        "resume-offset-beyond-end",
      ]),
    row(
      "an offset that goes back", from: kept, [.at(3)],
      ["HEAD /files/1", "forget", "resume-offset-went-back"]),
    row(
      "another length", from: kept,
      [.status(200, ["upload-offset": "4", "upload-length": "12"])],
      ["HEAD /files/1", "forget", "resume-other-length"]),
    row(
      "an offset that never moves", [.created, .at(0), .at(0, 200), .at(0), .at(0, 200), .at(0)],
      [
        "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10", "HEAD /files/1",
        "keep /files/1 at 0", "PATCH /files/1 0..<10", "HEAD /files/1", "keep /files/1 at 0",
        "PATCH /files/1 0..<10", "resume-offset-stuck",
      ]),
    row(
      "damaged on the way", chunk: 10,
      knowing: TusServer(headers: [
        "tus-extension": "checksum", "tus-checksum-algorithm": "md5,sha1,sha256",
      ]),
      [.created, .status(460), .at(0, 200), .status(460), .at(0, 200), .status(460)],
      [
        "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10 sha256", "HEAD /files/1",
        "keep /files/1 at 0", "PATCH /files/1 0..<10 sha256", "HEAD /files/1", "keep /files/1 at 0",
        "PATCH /files/1 0..<10 sha256", "resume-checksum-mismatch",
      ]),
    row(
      "a redirect is followed", [.status(307, ["location": "/new"]), .created, .lost()],
      [
        "POST /files", "POST /new", "keep /files/1 at 0", "PATCH /files/1 0..<10",
        "connection-lost",
      ]),
    row(
      "endless redirects", Array(repeating: .status(308, ["location": "/files"]), count: 6),
      Array(repeating: "POST /files", count: 6) + ["redirected"]),
    row(
      "a redirect to another server", from: kept,
      [.at(4), .status(307, ["location": "https://b.example/1"])],
      ["HEAD /files/1", "keep /files/1 at 4 from 4", "PATCH /files/1 4..<10", "redirected"]),
    row("a full disk over there", [.status(507)], ["POST /files", "http-507"]),
    row("too large, said late", [.status(413)], ["POST /files", "http-413"]),
  ]

  @Test(
    "What would have been read in a reply that is lost is unknown", arguments: FailureSign.allCases)
  func lost(_ sign: FailureSign) throws {
    var row = Self.row(
      "all there already, for the last answer was lost", from: Self.kept, [.at(10, 200)],
      ["HEAD /files/1", "keep /files/1 at 10 from 10", "outcome-unknown"])
    row.failures = [try sign.rule()]
    try row.check()
  }

  @Test("Each conversation goes as it should", arguments: Self.all)
  func conversation(_ row: Conversation) throws { try row.check() }

  @Test("The requests say what the protocol wants of them")
  func headers() throws {
    var target = Target(name: "t", url: files)
    target.resume = ResumeRules(mode: .tus)
    target.resume.metadata = [
      Target.Field(name: "album", value: Template(literal: "é")),
      Target.Field(name: "filetype", value: Template(literal: "x/y")),
      Target.Field(name: "flag", value: Template(literal: "")),
    ]
    let metadata = "filename YS5iaW4=,album w6k=,filetype eC95,flag"
    var machine = try TusMachine(ResumeStart(target, identity, server: .tus(TusServer())))
    func fields(_ actions: [ResumeAction]) -> [String] {
      for case .send(let request) in actions {
        return request.headers.map { "\($0.name): \($0.value.written)" }
      }
      return []
    }
    #expect(
      fields(machine.start(without: nil)) == [
        "Tus-Resumable: 1.0.0", "Upload-Length: 10", "Upload-Metadata: \(metadata)",
      ])
    let reply = TransferEnd(
      url: files, status: 201,
      headers: ["location": "/files/1", "upload-expires": "Fri, 15 Jan 2027 09:00:00 GMT"])
    #expect(
      fields(machine.handle(reply, now: now)) == [
        "Tus-Resumable: 1.0.0", "Upload-Offset: 0", "Content-Type: application/offset+octet-stream",
      ])
    #expect(machine.course.point?.expires == Date(timeIntervalSince1970: 1_800_003_600))
    let termination = try #require(
      machine.course.point?.termination(at: target, machine.course.values))
    #expect(fields([.send(termination)]) == ["Tus-Resumable: 1.0.0"])
  }

  @Test("Every fault has words and a code of its own")
  func faults() {
    let failures = ResumeFault.allCases.map { Failure(.unresumable($0), attempts: 1) }
    #expect(Set(failures.map(\.code)).count == failures.count)
    #expect(Set(failures.map(\.headline)).count == failures.count)
    #expect(failures.allSatisfy { !$0.explanation.isEmpty && !$0.isTransient })
    #expect(Failure(.unresumable(.offsetBeyondEnd)).code == "resume-offset-beyond-end")
  }
}
