import Foundation
import MultipartForm
import Testing

@testable import UploadModel

private func url(_ text: String) -> URL { URL(string: text) ?? URL(fileURLWithPath: "/") }
private let files = url("https://a.example/files")
private let identity = FileIdentity(device: 1, inode: 2, size: 10, modified: 3)
private let now = Date(timeIntervalSince1970: 1_800_000_000)

/// What a server says to one request.
struct TusReply: Sendable {
  var status: Int?
  var headers: [String: String] = [:]
  var trouble: Failure.Cause?

  /// A tus server with all extensions.
  static let options = TusReply(
    status: 204, headers: ["tus-version": "1.0.0", "tus-extension": "creation,termination"])
  static let created = TusReply(status: 201, headers: ["location": "/files/1"])
  static let lost = TusReply(trouble: .connectionLost("reset"))
  static func at(_ offset: Int, _ status: Int = 204) -> TusReply {
    TusReply(status: status, headers: ["upload-offset": "\(offset)"])
  }
  static func status(_ status: Int, _ headers: [String: String] = [:]) -> TusReply {
    TusReply(status: status, headers: headers)
  }
}

/// A conversation: what the server says, and what is asked and done meanwhile.
struct TusRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var size: Int64 = 10
  var chunk: Int64?
  var sendsAlong = false
  var point: ResumePoint?
  var server: TusServer?
  let replies: [TusReply]
  let expected: [String]

  init(
    _ description: String, size: Int64 = 10, chunk: Int64? = nil, along: Bool = false,
    from point: ResumePoint? = nil,
    knowing server: TusServer? = TusServer(), _ replies: [TusReply], _ expected: [String]
  ) {
    testDescription = description
    (self.size, self.chunk, self.point, self.server) = (size, chunk, point, server)
    (self.replies, self.expected, sendsAlong) = (replies, expected, along)
  }

  private static let kept = ResumePoint(
    url: url("https://a.example/files/1"), target: "t", identity: identity, offset: 4)

  private static func kept(_ change: (inout ResumePoint) -> Void) -> ResumePoint {
    var point = kept
    change(&point)
    return point
  }

  static let all: [TusRow] = [
    TusRow(
      "a whole upload, the server asked first", knowing: nil, [.options, .created, .at(10)],
      [
        "OPTIONS /files", "learn", "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10",
        "done 204 10 https://a.example/files/1",
      ]),
    TusRow(
      "what answers OPTIONS need not be the server", knowing: nil,
      [.status(405), .created, .at(10)],
      [
        "OPTIONS /files", "learn", "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10",
        "done 204 10 https://a.example/files/1",
      ]),
    TusRow(
      "an empty file is there once it is made", size: 0, [.created],
      ["POST /files", "keep /files/1 at 0", "done 201 0 https://a.example/files/1"]),
    TusRow(
      "chunks", chunk: 4, [.created, .at(4), .at(8), .at(10)],
      [
        "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<4", "keep /files/1 at 4",
        "PATCH /files/1 4..<8", "keep /files/1 at 8", "PATCH /files/1 8..<10",
        "done 204 10 https://a.example/files/1",
      ]),
    TusRow(
      "a server that takes less than it is sent is sent the rest", [.created, .at(7), .at(10)],
      [
        "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10", "keep /files/1 at 7",
        "PATCH /files/1 7..<10", "done 204 10 https://a.example/files/1",
      ]),
    TusRow(
      "it goes on where the server is", from: kept, [.at(6, 200), .at(10)],
      [
        "HEAD /files/1", "keep /files/1 at 6 from 6", "PATCH /files/1 6..<10",
        "done 204 4 https://a.example/files/1",
      ]),
    TusRow(
      "all there already, for the last answer was lost", from: kept, [.at(10, 200)],
      ["HEAD /files/1", "keep /files/1 at 10 from 10", "done 200 0 https://a.example/files/1"]),
    TusRow(
      "where the file is now is the server's to say", from: kept,
      [.at(4), .status(204, ["upload-offset": "10", "location": "https://a.example/f/a.bin"])],
      [
        "HEAD /files/1", "keep /files/1 at 4 from 4", "PATCH /files/1 4..<10",
        "done 204 6 https://a.example/f/a.bin",
      ]),
    TusRow(
      "a lost line, with progress since the attempt before", from: kept, [.at(6), .lost],
      [
        "HEAD /files/1", "keep /files/1 at 6 from 6", "PATCH /files/1 6..<10",
        "connection-lost advanced",
      ]),
    TusRow(
      "a lost line without progress", from: kept, [.at(4), .lost],
      [
        "HEAD /files/1", "keep /files/1 at 4 from 4", "PATCH /files/1 4..<10", "connection-lost",
      ]),
    TusRow(
      "a forgotten upload starts over", from: kept, [.status(404), .created, .at(10)],
      [
        "HEAD /files/1", "POST /files", "keep /files/1 at 0 forgotten", "PATCH /files/1 0..<10",
        "done 204 10 https://a.example/files/1",
      ]),
    TusRow(
      "one that is gone starts over", from: kept, [.status(410), .created, .at(10)],
      [
        "HEAD /files/1", "POST /files", "keep /files/1 at 0 forgotten", "PATCH /files/1 0..<10",
        "done 204 10 https://a.example/files/1",
      ]),
    TusRow(
      "a server that forgets at once is not asked for ever",
      [.created, .status(404), .created, .status(404)],
      [
        "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10", "POST /files",
        "keep /files/1 at 0 forgotten", "PATCH /files/1 0..<10", "forget", "http-404",
      ]),
    TusRow(
      "a changed file starts over", from: kept { $0.identity.modified = 4 },
      [.created, .at(10)],
      [
        "POST /files", "keep /files/1 at 0 fileChanged", "PATCH /files/1 0..<10",
        "done 204 10 https://a.example/files/1",
      ]),
    TusRow(
      "an upload whose time is over starts over", from: kept { $0.expires = now },
      [.created, .at(10)],
      [
        "POST /files", "keep /files/1 at 0 expired", "PATCH /files/1 0..<10",
        "done 204 10 https://a.example/files/1",
      ]),
    TusRow(
      "another target's upload is left alone", from: kept { $0.target = "other" },
      [.created, .at(10)],
      [
        "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10",
        "done 204 10 https://a.example/files/1",
      ]),
    TusRow(
      "409 asks where the server is", from: kept, [.at(4), .status(409), .at(8), .at(10)],
      [
        "HEAD /files/1", "keep /files/1 at 4 from 4", "PATCH /files/1 4..<10", "HEAD /files/1",
        "keep /files/1 at 8 from 4", "PATCH /files/1 8..<10",
        "done 204 6 https://a.example/files/1",
      ]),
    TusRow(
      "409 again and again is a refusal", from: kept,
      [.at(4), .status(409), .at(4), .status(409), .at(4), .status(409)],
      [
        "HEAD /files/1", "keep /files/1 at 4 from 4", "PATCH /files/1 4..<10", "HEAD /files/1",
        "keep /files/1 at 4 from 4", "PATCH /files/1 4..<10", "HEAD /files/1",
        "keep /files/1 at 4 from 4", "PATCH /files/1 4..<10", "http-409",
      ]),
    TusRow(
      "409 with progress in between is none", from: kept,
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
        "done 204 5 https://a.example/files/1",
      ]),
    TusRow(
      "423 is another's request: later", from: kept, [.status(423)], ["HEAD /files/1", "http-423"]),
    TusRow(
      "a proxy that forbids PATCH gets POST", [.created, .status(405), .at(10)],
      [
        "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10",
        "POST /files/1 0..<10 overrides PATCH", "done 204 10 https://a.example/files/1",
      ]),
    TusRow(
      "the beginning goes along where the server takes that, and never all of it", chunk: 4,
      along: true,
      knowing: TusServer(headers: ["tus-extension": "creation,creation-with-upload"]),
      [.status(201, ["location": "/files/1", "upload-offset": "3"]), .at(7), .at(10)],
      [
        "POST /files 0..<4", "keep /files/1 at 3", "PATCH /files/1 3..<7", "keep /files/1 at 7",
        "PATCH /files/1 7..<10", "done 204 10 https://a.example/files/1",
      ]),
    TusRow(
      "a small file goes by itself, so that a lost reply loses nothing", along: true,
      knowing: TusServer(headers: ["tus-extension": "creation,creation-with-upload"]),
      [.created, .at(10)],
      [
        "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10",
        "done 204 10 https://a.example/files/1",
      ]),
    TusRow(
      "more taken than was sent along", chunk: 4, along: true,
      knowing: TusServer(headers: ["tus-extension": "creation-with-upload"]),
      [.status(201, ["location": "/files/1", "upload-offset": "5"])],
      ["POST /files 0..<4", "forget", "resume-offset-beyond-end"]),
    TusRow(
      "too large for the server: no byte leaves",
      knowing: TusServer(headers: ["tus-max-size": "9"]), [], ["too-large"]),
    TusRow(
      "as large as the server takes", knowing: TusServer(headers: ["tus-max-size": "10"]),
      [.created, .lost],
      ["POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10", "connection-lost"]),
    TusRow(
      "another version", knowing: nil, [.status(204, ["tus-version": "0.2.2"])],
      ["OPTIONS /files", "learn", "resume-other-version"]),
    TusRow("412 means another version", [.status(412)], ["POST /files", "resume-other-version"]),
    TusRow(
      "no Location", [.status(201)], ["POST /files", "resume-no-location"]),
    TusRow(
      "Location elsewhere", [.status(201, ["location": "https://b.example/1"])],
      ["POST /files", "resume-location-elsewhere"]),
    TusRow(
      "Location that is none", [.status(201, ["location": "mailto:a@b.example"])],
      ["POST /files", "resume-bad-location"]),
    TusRow(
      "Location with a password", [.status(201, ["location": "https://u:p@a.example/1"])],
      ["POST /files", "resume-bad-location"]),
    TusRow(
      "200 instead of 201", [.status(200, ["location": "/files/1"])],
      ["POST /files", "resume-unexpected-status"]),
    TusRow(
      "200 instead of 204", [.created, .at(10, 200)],
      [
        "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10", "resume-unexpected-status",
      ]),
    TusRow(
      "no offset", [.created, .status(204)],
      ["POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10", "resume-no-offset"]),
    TusRow(
      "an offset that is no number", from: kept, [.status(200, ["upload-offset": "-1"])],
      ["HEAD /files/1", "resume-no-offset"]),
    TusRow(
      "an offset beyond the end", from: kept, [.at(11)],
      ["HEAD /files/1", "forget", "resume-offset-beyond-end"]),
    TusRow(
      "an offset beyond what was sent", chunk: 4, [.created, .at(5)],
      [
        "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<4", "forget",
        "resume-offset-beyond-end",
      ]),
    TusRow(
      "an offset that goes back", from: kept, [.at(3)],
      ["HEAD /files/1", "forget", "resume-offset-went-back"]),
    TusRow(
      "another length", from: kept,
      [.status(200, ["upload-offset": "4", "upload-length": "12"])],
      ["HEAD /files/1", "forget", "resume-other-length"]),
    TusRow(
      "an offset that never moves", [.created, .at(0), .at(0, 200), .at(0), .at(0, 200), .at(0)],
      [
        "POST /files", "keep /files/1 at 0", "PATCH /files/1 0..<10", "HEAD /files/1",
        "keep /files/1 at 0", "PATCH /files/1 0..<10", "HEAD /files/1", "keep /files/1 at 0",
        "PATCH /files/1 0..<10", "resume-offset-stuck",
      ]),
    TusRow(
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
    TusRow(
      "a redirect is followed", [.status(307, ["location": "/new"]), .created, .lost],
      [
        "POST /files", "POST /new", "keep /files/1 at 0", "PATCH /files/1 0..<10",
        "connection-lost",
      ]),
    TusRow(
      "endless redirects", Array(repeating: .status(308, ["location": "/files"]), count: 6),
      Array(repeating: "POST /files", count: 6) + ["redirected"]),
    TusRow(
      "a redirect to another server", from: kept,
      [.at(4), .status(307, ["location": "https://b.example/1"])],
      ["HEAD /files/1", "keep /files/1 at 4 from 4", "PATCH /files/1 4..<10", "redirected"]),
    TusRow("a full disk over there", [.status(507)], ["POST /files", "http-507"]),
    TusRow("too large, said late", [.status(413)], ["POST /files", "http-413"]),
  ]
}

@Suite("What a tus server is asked next")
struct TusMachineTests {
  private func target(_ row: TusRow) -> Target {
    var target = Target(name: "t", url: files)
    target.resume = ResumeRules(mode: .tus, chunk: row.chunk)
    target.resume.sendsAlong = row.sendsAlong
    return target
  }

  @Test("Each conversation goes as it should", arguments: TusRow.all)
  func conversation(_ row: TusRow) throws {
    let target = target(row)
    var identity = identity
    identity.size = row.size
    var machine = TusMachine(
      target: target, identity: identity, creation: files, metadata: "", point: row.point,
      server: row.server)
    var replies = row.replies[...]
    var pending = machine.start(now: now)
    var trace: [String] = []
    while !pending.isEmpty {
      let action = pending.removeFirst()
      trace.append(words(action, target))
      guard case .send(let request) = action else { continue }
      let next = replies.popFirst()
      let reply = try #require(next, "nothing more was to be asked: \(trace)")
      pending += machine.handle(
        TransferEnd(
          url: request.url, status: reply.status, headers: reply.headers, trouble: reply.trouble),
        now: now)
    }
    #expect(trace == row.expected)
    #expect(replies.isEmpty)
  }

  private func words(_ action: ResumeAction, _ target: Target) -> String {
    switch action {
    case .send(let request):
      var text = "\(request.method) \(request.url.path)"
      if let content = request.content { text += " \(content)" }
      if let sum = request.checksum { text += " \(sum)" }
      let override = request.headers.first { $0.name == "X-HTTP-Method-Override" }
      if let override { text += " overrides \(override.value)" }
      return text
    case .keep(let point):
      return "keep \(point.url.path) at \(point.offset)"
        + (point.start > 0 ? " from \(point.start)" : "") + (point.loss.map { " \($0)" } ?? "")
    case .forget: return "forget"
    case .learn: return "learn"
    case .startAgain, .stop: return "not with tus"
    case .end(let end):
      switch Verdict.judge(end, target: target, attempt: 1, redirects: 0, now: now) {
      case .delivered(let receipt):
        return "done \(receipt.status) \(receipt.bytes) \(receipt.url ?? "")"
      case .failed(let failure): return failure.code + (end.hasAdvanced ? " advanced" : "")
      case .follow(let url, _): return "follow \(url)"
      }
    }
  }

  @Test("The requests say what the protocol wants of them")
  func headers() throws {
    var target = Target(name: "t", url: files)
    target.resume = ResumeRules(mode: .tus)
    target.resume.metadata = [
      Target.Field(name: "album", value: Template(literal: "é")),
      Target.Field(name: "filetype", value: Template(literal: "x/y")),
      Target.Field(name: "flag", value: Template(literal: "")),
    ]
    let values = Template.Values(
      fileName: "a.bin", fileSize: 10, fileType: "image/png", now: now, uuid: UUID())
    let metadata = target.resume.metadataHeader(with: values)
    #expect(metadata == "filename YS5iaW4=,album w6k=,filetype eC95,flag")
    var machine = TusMachine(
      target: target, identity: identity, creation: files, metadata: metadata, point: nil,
      server: TusServer())
    func fields(_ actions: [ResumeAction]) -> [String] {
      for case .send(let request) in actions {
        return request.headers.map { "\($0.name): \($0.value)" }
      }
      return []
    }
    #expect(
      fields(machine.start(now: now)) == [
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
    #expect(fields([.send(TusMachine.termination(of: files))]) == ["Tus-Resumable: 1.0.0"])
  }

  @Test("A failure with progress counts as the first attempt again")
  func attempts() {
    var target = Target(name: "t", url: files)
    target.retry = RetryPolicy(attempts: 3, base: 0)
    target.resume = ResumeRules(mode: .tus)
    var machine = JobMachine()
    var moment = Instant(seconds: 0)
    func run(advancing: Bool) -> String {
      _ = machine.handle(.start, for: target)
      var end = TransferEnd(url: files, trouble: .connectionLost("reset"), sentAll: false)
      end.hasAdvanced = advancing
      let actions = machine.handle(.ended(end, at: moment, wall: now, random: 0), for: target)
      moment = moment + 1
      for case .report(let state) in actions {
        if case .retrying(_, let next, let of, _) = state { return "\(next)/\(of)" }
        if case .failed(let failure) = state { return "failed after \(failure.attempts)" }
      }
      return "?"
    }
    #expect((0..<20).map { _ in run(advancing: true) } == Array(repeating: "2/3", count: 20))
    #expect(run(advancing: false) == "3/3")
    #expect(run(advancing: false) == "failed after 3")
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
