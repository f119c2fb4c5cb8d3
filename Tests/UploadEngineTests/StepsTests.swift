import Foundation
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// What happens around a request: the command before it, the ticket, the record after it.
@Suite(.timeLimit(.minutes(5)))
struct StepsTests {
  /// Answers by path, the first time and each time after.
  private func server(
    _ answers: @escaping @Sendable (_ path: String, _ count: Int) -> (Int, String)
  ) throws -> HostileServer { try keeping(Log(), answers) }

  /// A server that keeps whole requests.
  private func keeping(
    _ requests: Log, _ answers: @escaping @Sendable (_ path: String, _ count: Int) -> (Int, String)
  ) throws -> HostileServer {
    try HostileServer { connection, _ in
      guard let request = connection.readRequest() else { return }
      let path = request.line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
      let count = requests.record(path, request)
      let (status, body) = answers(path, count)
      connection.send(
        "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
      )
    }
  }

  private final class Log: Sendable {
    private let content = Mutex<[(path: String, request: HostileServer.SeenRequest)]>([])
    var all: [(path: String, request: HostileServer.SeenRequest)] { content.withLock { $0 } }
    func record(_ path: String, _ request: HostileServer.SeenRequest) -> Int {
      content.withLock { content in
        content.append((path, request))
        return content.count { $0.path == path }
      }
    }
    func body(_ index: Int) -> String { String(decoding: all[index].request.body, as: UTF8.self) }
  }

  private func template(
    _ text: String, _ scope: [Template.Placeholder] = Template.Placeholder.ofCommand,
    _ escaping: Template.Escaping = .none
  ) throws -> Template {
    try Template(
      text, scope: scope, escaping: escaping, lookup: Template.Lookup(environment: { _ in nil }))
  }

  private func command(_ script: String, timeout: Double = 20) throws -> PrepareCommand {
    PrepareCommand(
      words: try ["sh", "-c", script, "{in}", "{out}"].map { try template($0) }, timeout: timeout)
  }

  private func failure(_ state: ItemState?) -> Failure? { state?.failure }

  // MARK: Commands

  @Test func theMadeFileIsSentAndLeavesNothingBehind() async throws {
    let log = Log()
    let server = try keeping(log) { _, _ in (200, "ok") }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let file = try folder.write("a b.txt", Array("hello".utf8))
    var target = Target.once(server.url())
    // The file's name comes after the other word: $0 is {in}, $1 is {out}.
    target.prepare = try command(
      "tr a-z A-Z < \"$0\" > \"$1\"; echo \"$1\" > '\(folder.path("where"))'")
    target.fileName = try template("{file.stem}.up", Template.Placeholder.ofFile)
    target.fields = [Target.Field(name: "size", value: try template("{file.size}"))]
    target.fileType = "text/x-up"
    let ends = await EngineHarness().upload([file], to: target)
    #expect(ends.map(\.code) == ["done 200"])
    #expect(log.body(0).contains("filename=\"a b.up\"") && log.body(0).contains("HELLO"))
    // The receipt says what the request said.
    guard case .done(let receipt)? = ends.first else {
      Issue.record("another case than the one that is tested")
      return
    }
    #expect(receipt.sent == SentFile(name: "a b.up", mediaType: "text/x-up", size: 5))
    let made = try String(contentsOfFile: folder.path("where"), encoding: .utf8)
      .trimmingCharacters(in: .newlines)
    #expect(made.hasSuffix("/a b.up"))
    let parent = URL(fileURLWithPath: made).deletingLastPathComponent().path
    try await wait(for: "the folder to go") {
      FileManager.default.fileExists(atPath: parent) ? nil : true
    }
  }

  /// Each file of a request has a name of its own, and what a person chose for one holds.
  @Test func whatIsMadeForOneRequestHasANameEach() async throws {
    let server = try HostileServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    defer { server.stop() }
    let folder = try ScratchDirectory()
    var target = Target.once(server.url())
    target.batch = BatchRule(maxFiles: 4)
    target.prepare = try command("cat \"$0\" > \"$1\"; echo more >> \"$1\"")
    target.fileName = try template("{index}_{unix_ms}.txt", Template.Placeholder.ofFile)
    var jobs = try (1...4).map { number in
      UploadJob(
        item: .file(try folder.write("\(number)", count: 10), id: Int64(number)), target: target)
    }
    (jobs[2].item.fileName, jobs[2].item.nameIsChosen) = ("mine", true)
    (jobs[2].item.mediaType, jobs[2].item.typeSource) = ("image/webp", UploadItem.chosenByHand)
    let harness = EngineHarness(lanes: 1)
    harness.engine.submit(jobs)
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.map(\.code) == Array(repeating: "done 200", count: 4))
    let request = try #require(server.requests.first)
    let names = try request.files().map(\.name)
    #expect(Set(names).count == 4 && names[2] == "mine")
    for (index, name) in names.enumerated() where index != 2 {
      #expect(name.hasPrefix("\(index + 1)_1") && name.hasSuffix(".txt"), "\(names)")
    }
    #expect(String(decoding: request.body, as: UTF8.self).contains("Content-Type: image/webp"))
    // What is counted is what is sent.
    for (job, end) in zip(jobs, ends) {
      var item = job.item
      for state in harness.states(of: item.id) { item.state = state }
      #expect(item.sentSize == 15 && item.size == 10, "\(end)")
      guard case .done(let receipt) = end, let sent = receipt.sent else {
        Issue.record("\(end)")
        continue
      }
      #expect(names.contains(sent.name) && sent.size == 15)
      #expect((sent.name == "mine") == (sent.mediaType == "image/webp"))
      #expect(
        harness.states(of: item.id).contains(.sending(attempt: 1, sent: 0, total: 15)))
    }
  }

  @Test func aFailedCommandIsThatFilesFailureInItsWords() async throws {
    let server = try server { _, _ in (200, "ok") }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let good = try folder.write("good", Array("good".utf8))
    let bad = try folder.write("bad", Array("bad".utf8))
    var target = Target.once(server.url())
    target.prepare = try command(
      "grep -q good \"$0\" || (echo 'not a picture' >&2; exit 3) && cp \"$0\" \"$1\"")
    let ends = await EngineHarness().upload([bad, good], to: target)
    #expect(ends.map(\.code) == ["unsendable", "done 200"])
    #expect(
      failure(ends.first)?.explanation.contains("sh ended with status 3: not a picture") == true)
    #expect(server.requests.count == 1)
  }

  @Test func whatACommandLeavesOut() async throws {
    let folder = try ScratchDirectory()
    let file = try folder.write("a", Array("a".utf8))
    var target = Target.once(try #require(URL(string: "http://127.0.0.1:9/")))
    target.prepare = try command("true")
    let nothing = await EngineHarness().upload([file], to: target)
    #expect(failure(nothing.first)?.explanation.contains("wrote nothing to {out}") == true)
    target.prepare = try command("sleep 60", timeout: 0.2)
    let late = await EngineHarness().upload([file], to: target)
    #expect(failure(late.first)?.explanation.contains("did not finish within 0.2 s") == true)
    let missing = await EngineHarness().upload([folder.path("none")], to: target)
    #expect(missing.map(\.code) == ["missing"])
  }

  @Test func limitsHoldForWhatIsMade() async throws {
    let server = try server { _, _ in (200, "ok") }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let file = try folder.write("a", count: 1000)
    var target = Target.once(server.url())
    target.limits.maxBytes = 100
    target.prepare = try command("head -c 100 \"$0\" > \"$1\"")
    #expect(await EngineHarness().upload([file], to: target).map(\.code) == ["done 200"])
    target.prepare = try command("cat \"$0\" > \"$1\"")
    #expect(await EngineHarness().upload([file], to: target).map(\.code) == ["too-large"])
  }

  @Test func aCommandIsStoppedWithItsUpload() async throws {
    let folder = try ScratchDirectory()
    let file = try folder.write("a", Array("a".utf8))
    var target = Target.once(try #require(URL(string: "http://127.0.0.1:9/")))
    target.prepare = try command("touch '\(folder.path("started"))'; sleep 600", timeout: 600)
    let harness = EngineHarness(lanes: 1)
    let item = UploadItem.file(file, id: 1)
    harness.engine.submit([UploadJob(item: item, target: target)])
    try await wait(for: "the command") {
      FileManager.default.fileExists(atPath: folder.path("started")) ? true : nil
    }
    harness.engine.cancel([item.id])
    #expect(await harness.finish([item.id]).map(\.code) == ["cancelled"])
    // The lane is free again.
    target.prepare = nil
    let other = UploadItem.file(file, id: 2)
    harness.engine.submit([UploadJob(item: other, target: target)])
    #expect(await harness.finish([other.id]).map(\.code) == ["connection-refused"])
  }

  // MARK: Tickets

  private func ticketed(_ server: HostileServer, attempts: Int = 1) throws -> Target {
    let url = server.url("/presign")
    var target = Target(name: "t", url: url)
    target.headers = [Target.Field(name: "X-Who", value: Template(literal: "me"))]
    target.retry = RetryPolicy(attempts: attempts, base: 0, cap: 0)
    target.fields = [Target.Field(name: "own", value: Template(literal: "mine"))]
    target.ticket = Ticket(
      call: Call(
        url: Template(literal: url.absoluteString), method: "POST",
        json: Template(literal: "{\"name\":\"")
          + (try template("{file.name}", Template.Placeholder.ofFile, .json))
          + Template(literal: "\"}")),
      uploadURL: ReplyValue(.pointer(try JSONPointer("/url"))),
      fields: try JSONPointer("/fields"))
    return target
  }

  @Test func aTicketSaysWhereToAndItsFieldsGoFirst() async throws {
    let log = Log()
    let server = try keeping(log) { path, _ in
      path == "/presign"
        ? (200, #"{"url":"/bucket","fields":{"policy":"p","key":"k"}}"#) : (204, "")
    }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let file = try folder.write("a \"b\".txt", Array("hello".utf8))
    let ends = await EngineHarness().upload([file], to: try ticketed(server))
    #expect(ends.map(\.code) == ["done 204"])
    #expect(log.all.map(\.path) == ["/presign", "/bucket"])
    #expect(log.body(0) == #"{"name":"a \"b\".txt"}"#)
    #expect(log.all[0].request.headers["x-who"] == "me")
    let names = log.body(1).matches(of: /\ name="([^"]+)"/).map { String($0.1) }
    #expect(names == ["key", "policy", "own", "file"])
  }

  @Test func everyAttemptHasItsOwnTicket() async throws {
    let log = Log()
    let server = try keeping(log) { path, count in
      if path == "/presign" { return (200, "{\"url\":\"/b\(count)\",\"fields\":{}}") }
      return path == "/b1" ? (503, "expired") : (201, "")
    }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let file = try folder.write("a", Array("hello".utf8))
    let ends = await EngineHarness().upload([file], to: try ticketed(server, attempts: 2))
    #expect(ends.map(\.code) == ["done 201"])
    #expect(log.all.map(\.path) == ["/presign", "/b1", "/presign", "/b2"])
  }

  @Test(arguments: [
    (503, "busy", "http-503"), (403, "no", "http-403"), (200, "no JSON", "unusable-answer"),
    (200, "{}", "unusable-answer"), (200, "{\"url\":\"ftp://x/\"}", "unusable-answer"),
    (302, "", "redirected"),
  ])
  func aTicketThatIsRefusedIsTheFilesFailure(_ status: Int, _ body: String, _ code: String)
    async throws
  {
    let server = try server { _, _ in (status, body) }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let file = try folder.write("a", Array("hello".utf8))
    let ends = await EngineHarness().upload([file], to: try ticketed(server))
    #expect(ends.map(\.code) == [code])
    #expect(server.requests.count == 1)
    // What the server said is there to be looked at.
    #expect(failure(ends.first)?.reply.text == body)
    #expect(failure(ends.first)?.status == status)
  }

  @Test func aTicketsServerIsLeftAloneForAsLongAsItAsks() async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readRequest() != nil else { return }
      connection.send(
        "HTTP/1.1 503 X\r\nRetry-After: 20\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let file = try folder.write("a", Array("hello".utf8))
    var target = try ticketed(server, attempts: 2)
    target.retry = RetryPolicy(attempts: 2, base: 0.1, cap: 60)
    let harness = EngineHarness()
    let item = UploadItem.file(file, id: 1)
    harness.engine.submit([UploadJob(item: item, target: target)])
    await harness.wait { states in
      if case .retrying? = states[item.id]?.last { true } else { false }
    }
    #expect(harness.states(of: item.id).last?.failure?.retryAfter == 20)
    harness.engine.cancel([item.id])
  }

  /// A command that gives t1, t2, …
  private func counting(in folder: ScratchDirectory) -> TokenCommand {
    TokenCommand([
      "sh", "-c", "echo >> \(folder.path)/runs; echo \"t$(wc -l < \(folder.path)/runs)\"",
    ])
  }

  /// A server that takes one token and no other where it asks for one.
  private func asking(
    for token: String, at guarded: String, _ log: Log, _ body: String = ""
  ) throws -> HostileServer {
    try HostileServer { connection, _ in
      guard let request = connection.readRequest() else { return }
      let path = request.line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
      _ = log.record(path, request)
      let isGuest = path != guarded || request.headers["authorization"] == "Bearer \(token)"
      let answer = isGuest && path == guarded ? body : ""
      connection.send(
        "HTTP/1.1 \(isGuest ? 200 : 401) X\r\nContent-Length: \(answer.utf8.count)\r\n"
          + "WWW-Authenticate: Basic realm=\"x\"\r\nConnection: close\r\n\r\n\(answer)")
    }
  }

  @Test func aTokenThatHasExpiredIsRenewedForTickets() async throws {
    let (log, folder) = (Log(), try ScratchDirectory())
    let server = try asking(
      for: "t2", at: "/presign", log, #"{"url":"/bucket","fields":{}}"#)
    defer { server.stop() }
    var target = try ticketed(server)
    target.headers = []
    target.tokenCommand = counting(in: folder)
    let files = try (1...5).map { try folder.write("\($0)", count: 10) }
    let ends = await EngineHarness(lanes: 1).upload(files, to: target)
    #expect(ends.allSatisfy { $0.code == "done 200" }, "\(ends)")
    #expect(log.all.count { $0.path == "/presign" } == 6)
    #expect(try String(contentsOfFile: folder.path("runs"), encoding: .utf8).count == 2)
  }

  @Test func aTokenThatHasExpiredIsRenewedForRecordsAndTheFileIsSentOnce() async throws {
    let (log, folder) = (Log(), try ScratchDirectory())
    let server = try asking(for: "t2", at: "/records", log)
    defer { server.stop() }
    var target = Target.once(server.url())
    target.tokenCommand = counting(in: folder)
    target.server.create = Call(
      url: Template(literal: server.url("/records").absoluteString), method: "POST")
    let file = try folder.write("a", count: 10)
    let ends = await EngineHarness().upload([file], to: target)
    #expect(ends.map(\.code) == ["done 200"])
    #expect(log.all.map(\.path) == ["/upload", "/records", "/records"])
  }

  // MARK: Records

  @Test func aRecordIsMadeAfterEachUpload() async throws {
    let log = Log()
    let server = try keeping(log) { path, _ in
      path == "/upload" ? (200, #"{"url":"/f/1"}"#) : (201, "")
    }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let file = try folder.write("a.txt", Array("hello".utf8))
    var target = Target.once(server.url())
    target.response.url = ReplyValue(.pointer(try JSONPointer("/url")))
    target.server.create = Call(
      url: Template(literal: server.url("/records").absoluteString), method: "POST",
      json: Template(literal: "{\"at\":\"")
        + (try template("{result.url} {file.name}", Template.Placeholder.ofResult, .json))
        + Template(literal: "\"}"))
    let ends = await EngineHarness().upload([file], to: target)
    #expect(ends.map(\.code) == ["done 200"])
    #expect(log.all.map(\.path) == ["/upload", "/records"])
    #expect(log.body(1) == "{\"at\":\"\(server.url("/f/1").absoluteString) a.txt\"}")
  }

  @Test func aRecordThatFailsIsSaidAndTheFileIsNotSentAgain() async throws {
    let log = Log()
    let server = try keeping(log) { path, _ in path == "/upload" ? (200, "") : (503, "busy") }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let file = try folder.write("a.txt", Array("hello".utf8))
    var target = Target(name: "t", url: server.url())
    target.retry = RetryPolicy(attempts: 3, base: 0, cap: 0)
    target.server.create = Call(
      url: Template(literal: server.url("/records").absoluteString), method: "POST")
    let ends = await EngineHarness().upload([file], to: target)
    #expect(ends.map(\.code) == ["no-record"])
    #expect(log.all.map(\.path) == ["/upload", "/records"])
    #expect(
      failure(ends.first)?.explanation.contains(
        "The server has the file. The request that goes with it (server.create) failed: 503")
        == true)
  }

  @Test func eachFileOfABatchHasItsOwnAddress() async throws {
    let log = Log()
    let server = try keeping(log) { path, _ in
      path == "/upload" ? (200, #"{"files":[{"url":"/f/1"},{"url":"/f/2"}]}"#) : (201, "")
    }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let files = try (1...2).map { try folder.write("\($0)", count: 10) }
    var target = Target.once(server.url())
    target.batch = BatchRule(maxFiles: 2)
    target.response.url = ReplyValue(.pointer(try JSONPointer("/files/*/url")))
    target.server.create = Call(
      url: Template(literal: server.url("/records").absoluteString), method: "POST",
      json: try template("{file.name} {result.url}", Template.Placeholder.ofResult, .json))
    let ends = await EngineHarness(lanes: 1).upload(files, to: target)
    let urls = (1...2).map { server.url("/f/\($0)").absoluteString }
    let told = ends.map { end in
      if case .done(let receipt) = end { receipt.url ?? "-" } else { end.code }
    }
    #expect(told == urls)
    #expect(log.body(1) == "1 \(urls[0])" && log.body(2) == "2 \(urls[1])")
  }

  /// The server took one of two: that one is recorded, and the other one fails by itself.
  @Test func onlyWhatTheServerTookIsRecorded() async throws {
    let log = Log()
    let server = try keeping(log) { path, _ in
      path == "/upload"
        ? (200, #"{"files":[{"name":"1"},{"name":"2","error":"bad"}]}"#) : (201, "")
    }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let files = try (1...2).map { try folder.write("\($0)", count: 10) }
    var target = Target.once(server.url())
    target.batch = BatchRule(maxFiles: 2, splitsRefused: true)
    target.response.failures = [
      FailureRule(
        .pointer(try JSONPointer("/files/*/error")), test: .equals(.string("bad")),
        message: .pointer(try JSONPointer("/files/*/error")))
    ]
    target.server.create = Call(
      url: Template(literal: server.url("/records").absoluteString), method: "POST",
      json: try template("{file.name}", Template.Placeholder.ofResult, .json))
    let ends = await EngineHarness(lanes: 1).upload(files, to: target)
    #expect(ends.map(\.code) == ["done 200", "rejected"])
    #expect(failure(ends.last)?.cause == .rejected("bad"))
    // Nor does what it says of one file have the others sent again.
    #expect(log.all.map(\.path) == ["/upload", "/records"] && log.body(1) == "1")
  }

  // MARK: Lists

  private func listing(_ server: HostileServer) throws -> Target {
    var target = Target.once(server.url())
    target.headers = [Target.Field(name: "X-Who", value: Template(literal: "me"))]
    var call = Call(url: Template(literal: server.url("/list?a=1").absoluteString))
    call.rules.failures = [
      FailureRule(
        .pointer(try JSONPointer("/rc")), test: .differs(.integer(0)),
        message: .pointer(try JSONPointer("/why")))
    ]
    target.server.list = ServerSide.Listing(
      call: call, items: try JSONPointer("/items"), id: try JSONPointer("/id"),
      title: try JSONPointer("/name"))
    target.server.delete = Call(
      url: Template(literal: server.url("/list/").absoluteString)
        + (try template("{id}", Template.Placeholder.ofEntry, .url)), method: "DELETE")
    return target
  }

  @Test func entriesAreListedAndDeleted() async throws {
    let log = Log()
    let server = try keeping(log) { _, _ in
      (200, #"{"rc":0,"items":[{"id":7,"name":"a"},{"id":"x/y"}]}"#)
    }
    defer { server.stop() }
    let client = ServerClient(target: try listing(server))
    let entries = try await client.entries(query: [("page", "2 3")]).entries
    #expect(entries.map(\.id) == ["7", "x/y"] && entries.map(\.name) == ["a", "x/y"])
    try await client.delete("x/y")
    #expect(
      log.all.map(\.request.line) == [
        "GET /list?a=1&page=2%203 HTTP/1.1", "DELETE /list/x%2Fy HTTP/1.1",
      ])
    #expect(log.all.allSatisfy { $0.request.headers["x-who"] == "me" })
  }

  /// A list as long as the one that is asked for, an entry in a chunk of its own.
  private func chunked(_ entries: Int) throws -> HostileServer {
    let entry = #"{"id":7,"name":"\#(String(repeating: "n", count: 180))"},"#
    return try HostileServer { connection, _ in
      guard connection.readRequest() != nil else { return }
      let chunks = String(
        repeating: "\(String(entry.utf8.count, radix: 16))\r\n\(entry)\r\n", count: entries)
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      connection.send("11\r\n{\"rc\":0,\"items\":[\r\n\(chunks)a\r\n{\"id\":8}]}\r\n0\r\n\r\n")
    }
  }

  @Test func aLongListInSmallPiecesIsReadWhole() async throws {
    let server = try chunked(12_000)
    defer { server.stop() }
    let entries = try await ServerClient(target: try listing(server)).entries().entries
    #expect(entries.count == 12_001 && entries.last?.id == "8")
  }

  @Test func aListThatIsTooLongIsNotReadInPart() async throws {
    let server = try chunked(50_000)
    defer { server.stop() }
    let client = ServerClient(target: try listing(server))
    let failure = await #expect(throws: Failure.self) { try await client.entries() }
    #expect(failure?.cause == .unusable("its answer is too long to read"))
  }

  @Test(arguments: ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"1\"", "Bearer"])
  func aChallengeIsARefusal(_ challenge: String) async throws {
    let server = try HostileServer.answering(
      "HTTP/1.1 401 X\r\nWWW-Authenticate: \(challenge)\r\nContent-Length: 11\r\n\r\nwho are you")
    defer { server.stop() }
    let client = ServerClient(target: try listing(server))
    let failure = await #expect(throws: Failure.self) { try await client.entries() }
    #expect(failure?.code == "http-401" && failure?.reply.text == "who are you")
  }

  @Test(arguments: ["t2", "t3"])
  func aTokenThatHasExpiredIsRenewedOnceForLists(_ token: String) async throws {
    let (log, folder) = (Log(), try ScratchDirectory())
    let server = try asking(for: token, at: "/list?a=1", log, #"{"rc":0,"items":[]}"#)
    defer { server.stop() }
    var target = try listing(server)
    target.tokenCommand = counting(in: folder)
    let client = ServerClient(target: target)
    if token == "t2" {
      _ = try await client.entries()
    } else {
      let failure = await #expect(throws: Failure.self) { try await client.entries() }
      #expect(failure?.code == "http-401")
    }
    #expect(log.all.map { $0.request.headers["authorization"] } == ["Bearer t1", "Bearer t2"])
  }

  @Test(arguments: [
    (200, #"{"rc":5,"why":"wrong token"}"#, "wrong token"), (200, "[]", "its answer has no /rc"),
    (200, #"{"rc":0,"items":{}}"#, "its answer has no list at /items"),
    (200, #"{"rc":0,"items":[{}]}"#, "entry 0 of its list has no /id"), (500, "", "500"),
  ])
  func listsThatFail(_ status: Int, _ body: String, _ words: String) async throws {
    let server = try server { _, _ in (status, body) }
    defer { server.stop() }
    let client = ServerClient(target: try listing(server))
    let failure = await #expect(throws: Failure.self) { try await client.entries() }
    #expect(failure?.explanation.contains(words) == true, "\(failure?.explanation ?? "")")
  }
}
