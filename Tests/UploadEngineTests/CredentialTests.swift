import Foundation
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// Servers that do not take every credential, and commands that give them.
@Suite(.timeLimit(.minutes(5)))
struct CredentialTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

  /// The header values that a server takes.
  private final class Guests: Sendable {
    private let values: Mutex<Set<String>>
    init(_ values: String...) { self.values = Mutex(Set(values)) }
    func revoke(_ value: String) { values.withLock { _ = $0.remove(value) } }
    func invite(_ value: String) { values.withLock { _ = $0.insert(value) } }
    func has(_ value: String?) -> Bool { values.withLock { $0.contains(value ?? "") } }
  }

  private func server(for guests: Guests, status: Int = 401) throws -> HostileServer {
    try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        connection.send(
          guests.has(request.headers["authorization"])
            ? Self.ok
            : "HTTP/1.1 \(status) No\r\nWWW-Authenticate: Bearer\r\nContent-Length: 11\r\n\r\nwho are you"
        )
      }
    }
  }

  /// A command that gives t1, t2, … and counts how often it was asked.
  private var counting: TokenCommand {
    TokenCommand([
      "sh", "-c",
      "echo >> \(folder.path)/runs; echo \"t$(wc -l < \(folder.path)/runs)\"; echo more",
    ])
  }

  private var runs: Int {
    (try? String(contentsOfFile: folder.path("runs"), encoding: .utf8).count) ?? 0
  }

  private func jobs(
    _ count: Int, to url: URL, command: TokenCommand? = nil, batch: BatchRule? = nil,
    _ change: (inout Target) -> Void = { _ in }
  ) throws -> [UploadJob] {
    var target = Target.once(url)
    target.tokenCommand = command
    target.batch = batch
    change(&target)
    return try (1...count).map { number in
      let path = try folder.write("\(number)", count: 100, seed: UInt64(number))
      return UploadJob(item: .file(path, id: Int64(number)), target: target)
    }
  }

  /// A file for the same target with these credentials.
  private func signed(_ job: UploadJob, _ credentials: String) -> UploadJob {
    var target = job.target
    target.headers = [.init(name: "Authorization", value: Template(literal: credentials))]
    return UploadJob(item: job.item, target: target)
  }

  /// Files for a target with credentials of its own.
  private func signedJobs(to url: URL) throws -> [UploadJob] {
    try jobs(20, to: url) {
      $0.headers = [.init(name: "Authorization", value: Template(literal: "new"))]
    }
  }

  private func upload(
    _ jobs: [UploadJob], lanes: Int = 4
  ) async -> (harness: EngineHarness, ends: [ItemState]) {
    let harness = EngineHarness(lanes: lanes)
    harness.engine.submit(jobs)
    return (harness, await harness.finish(jobs.map(\.item.id)))
  }

  @Test func aTokenIsFetchedOnceForAll() async throws {
    let server = try server(for: Guests("Bearer t1"))
    defer { server.stop() }
    let (_, ends) = await upload(try jobs(20, to: server.url(), command: counting))
    #expect(ends.allSatisfy { $0.code == "done 200" }, "\(ends)")
    #expect(runs == 1 && server.requests.count == 20)
  }

  @Test(arguments: [false, true])
  func otherRequestsShareTheTokensOfUploads(hasExpiredSince: Bool) async throws {
    let (guests, tokens) = (Guests("Bearer t1"), TokenSource())
    let server = try server(for: guests)
    defer { server.stop() }
    let (ends, told) = AsyncStream.makeStream(of: ItemID.self)
    let engine = UploadEngine(tokens: tokens) { changes in
      for (id, state) in changes where state.isFinished { told.yield(id) }
    }
    var ended = ends.makeAsyncIterator()
    let jobs = try jobs(2, to: server.url(), command: counting)
    let call = Call(url: Template(literal: server.url().absoluteString))
    func look() async throws {
      // Each look has a client of its own.
      let client = ServerClient(target: jobs[0].target, tokens: tokens)
      _ = try await client.reply(to: call, client.values())
    }
    try await look()
    #expect(runs == 1)
    engine.submit([jobs[0]])
    #expect(await ended.next() == jobs[0].item.id)
    #expect(runs == 1)
    guests.revoke("Bearer t1")
    guests.invite("Bearer t2")
    try await look()
    if hasExpiredSince {
      guests.revoke("Bearer t2")
      guests.invite("Bearer t3")
    }
    engine.submit([jobs[1]])
    // t1 is refused, and t2 is there already; only if that is refused as well, the command runs.
    let expected = ["t1", "t1", "t1", "t2", "t1", "t2"] + (hasExpiredSince ? ["t3"] : [])
    try await wait(for: "the second upload") {
      server.requests.count == expected.count ? true : nil
    }
    #expect(runs == (hasExpiredSince ? 3 : 2))
    #expect(
      server.requests.map { $0.headers["authorization"] } == expected.map { "Bearer \($0)" })
  }

  @Test(arguments: [nil, BatchRule(maxFiles: 5)], [401, 403])
  func aTokenThatHasExpiredIsRenewedOnceAndNoAttemptIsLost(
    _ batch: BatchRule?, _ status: Int
  ) async throws {
    let server = try server(for: Guests("Bearer t2"), status: status)
    defer { server.stop() }
    let (harness, ends) = await upload(
      try jobs(30, to: server.url(), command: counting, batch: batch))
    for end in ends {
      guard case .done(let receipt) = end else {
        Issue.record("\(end)")
        continue
      }
      #expect(receipt.attempts == 1)
    }
    #expect(runs == 2)
    #expect(server.requests.count { $0.headers["authorization"] == "Bearer t1" } <= 4)
    #expect(
      server.requests.count { $0.headers["authorization"] == "Bearer t2" }
        == (batch == nil ? 30 : 6))
    let told = (1...30).map { "\(harness.states(of: ItemID(Int64($0))))" }.joined()
    #expect(!told.contains("t1") && !told.contains("t2"))
  }

  @Test func aServerThatTakesNoNewTokenEitherIsLeftAlone() async throws {
    let server = try server(for: Guests())
    defer { server.stop() }
    let (_, ends) = await upload(try jobs(50, to: server.url(), command: counting))
    #expect(Set(ends.map(\.code)) == ["http-401", "not-tried"])
    #expect(runs == 2)
    #expect(server.requests.count <= 8, "\(server.requests.count) requests for 50 files")
    let failures = ends.compactMap(\.failure)
    // A file whose first token is refused after another file's second one is not sent again, so its failure does not
    // mention the new token.
    let informed = failures.filter { $0.explanation.contains("even with a new token from sh") }
    #expect(informed.contains { !$0.isNotTried })
    #expect(failures.allSatisfy { informed.contains($0) || $0.cause == .refused })
    #expect(
      failures.allSatisfy { $0.isNotTried ? $0.reply == Reply() : $0.reply.text == "who are you" })
    #expect(failures.count { $0.isNotTried && informed.contains($0) } >= 42)
  }

  @Test(arguments: [
    (["sh", "-c", "echo 'no \u{1B}[31mkey' >&2; exit 3"], "sh ended with status 3: no ␛[31mkey"),
    (["sh", "-c", "echo s3cret; echo 'bad s3cret' >&2; exit 1"], "sh ended with status 1: bad …"),
    (["true"], "true printed no token"), (["sh", "-c", "echo; echo later"], "sh printed no token"),
    (
      ["printf", "a b\n"],
      "the first line that printf printed is not a token: it contains characters that tokens cannot contain"
    ),
    (["sh", "-c", "kill -9 $$"], "sh was ended by signal 9"),
    (["sleep", "60"], "sleep did not finish within 0.5 s"),
    (
      ["no-such-program-at-all"],
      "no-such-program-at-all cannot be started: No such file or directory"
    ),
  ])
  func aCommandThatFailsSaysWhyAndNothingIsSent(_ words: [String], _ why: String) async throws {
    let server = try server(for: Guests())
    defer { server.stop() }
    let command = TokenCommand(words, timeout: words[0] == "sleep" ? 0.5 : 30)
    let (_, ends) = await upload(try jobs(10, to: server.url(), command: command))
    #expect(ends.map(\.code) == ["no-credentials"] + Array(repeating: "not-tried", count: 9))
    #expect(ends.first?.failure?.cause == .denied(why))
    #expect(server.requests.isEmpty)
  }

  @Test func withAPersonThereTheRestWaitsUntilOneIsRetried() async throws {
    let guests = Guests()
    let server = try server(for: guests)
    defer { server.stop() }
    let jobs = try signedJobs(to: server.url())
    let harness = EngineHarness(lanes: 1, waitsForServers: true)
    harness.engine.submit(jobs)
    await harness.wait { $0[ItemID(1)]?.last?.code == "http-401" }
    #expect(server.requests.count == 1)
    #expect(harness.refusals == ["\(jobs[0].target.name) credentials refused"])
    guests.invite("new")
    harness.engine.retry([jobs[0]])
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.allSatisfy { $0.code == "done 200" }, "\(ends)")
    #expect(harness.refusals.last == "\(jobs[0].target.name) tried again")
  }

  @Test func withTheFailedOneTakenAwayTheRestGoesWhenServersAreTriedAgain() async throws {
    let guests = Guests()
    let server = try server(for: guests)
    defer { server.stop() }
    let jobs = try signedJobs(to: server.url())
    let harness = EngineHarness(lanes: 1, waitsForServers: true)
    harness.engine.submit(jobs)
    await harness.wait { $0[ItemID(1)]?.last?.code == "http-401" }
    harness.engine.remove([ItemID(1)])
    guests.invite("new")
    harness.engine.tryServers()
    let ends = await harness.finish(jobs.dropFirst().map(\.item.id))
    #expect(ends.count == 19 && ends.allSatisfy { $0.code == "done 200" }, "\(ends)")
  }

  /// Whether it had failed or not: that one is sent, and no other learns of it the hard way.
  @Test(arguments: [1, 7])
  func aRetriedFileShowsWhetherTheCredentialsAreGoodNow(_ number: Int64) async throws {
    let guests = Guests()
    let server = try server(for: guests)
    defer { server.stop() }
    let jobs = try signedJobs(to: server.url())
    let harness = EngineHarness(lanes: 4, waitsForServers: true)
    harness.engine.submit(jobs)
    await harness.wait { states in
      states[ItemID(1)]?.last?.code == "http-401"
        && !states.values.contains { $0.last?.isActive == true }
    }
    let failed = jobs.map(\.item.id).filter { harness.states(of: $0).last?.failure != nil }
    let before = server.requests.count
    harness.forget()
    harness.engine.retry([jobs[Int(number) - 1]])
    await harness.wait { $0[ItemID(number)]?.last?.code == "http-401" }
    #expect(server.requests.count == before + 1)
    #expect(harness.refusals.last == "\(jobs[0].target.name) credentials refused")

    guests.invite("new")
    harness.engine.retry([jobs[Int(number) - 1]])
    let rest = jobs.map(\.item.id).filter { !failed.contains($0) || $0 == ItemID(number) }
    let ends = await harness.finish(rest)
    await harness.wait { states in rest.allSatisfy { states[$0]?.last?.code == "done 200" } }
    #expect(ends.count == rest.count)
    let names = try server.requests.dropFirst(before + 1).map { try $0.files().first?.name }
    #expect(names.first == "\(number)" && names.count == rest.count, "\(names)")
  }

  /// With one attempt each, none of the refused ones counts.
  @Test(arguments: [401, 403], [false, true])
  func aRefusalOfCredentialsThatHaveBeenReplacedIsAboutNoneInUse(
    _ status: Int, _ isRetry: Bool
  ) async throws {
    let (reached, replaced) = (DispatchSemaphore(value: 0), Gate())
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let isNew = request.headers["authorization"] == "new"
        if !isNew {
          reached.signal()
          replaced.pass()
        }
        connection.send(
          isNew ? Self.ok : "HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let jobs = try jobs(5, to: server.url())
    let old = jobs.prefix(4).map { signed($0, "old") }
    let new = jobs.map { signed($0, "new") }
    let harness = EngineHarness(lanes: 4, waitsForServers: true, preparesAhead: false)
    harness.engine.submit(old)
    for _ in old { await reached.passed() }
    // One call is about a file under way, the other about one that is new.
    if isRetry { harness.engine.retry([new[4]]) } else { harness.engine.update([new[0]]) }
    await harness.engine.written()
    replaced.open()
    let ends = await harness.finish((isRetry ? new.prefix(5) : new.prefix(4)).map(\.item.id))
    #expect(ends.allSatisfy { $0.code == "done 200" }, "\(ends)")
    #expect(old.allSatisfy { harness.states(of: $0.item.id).last?.attempt == 1 })
    #expect(harness.refusals.isEmpty)
    #expect(server.requests.count { $0.headers["authorization"] == "old" } == 4)
  }

  @Test func credentialsThatAreRefusedLikeThoseBeforeThemAreNotTriedOnAndOn() async throws {
    let (reached, replaced) = (DispatchSemaphore(value: 0), Gate())
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        if request.headers["authorization"] == "old" {
          reached.signal()
          replaced.pass()
        }
        connection.send("HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let job = try jobs(1, to: server.url())[0]
    let harness = EngineHarness(lanes: 1, waitsForServers: true)
    harness.engine.submit([signed(job, "old")])
    await reached.passed()
    harness.engine.update([signed(job, "new")])
    await harness.engine.written()
    replaced.open()
    #expect(await harness.finish([job.item.id]).map(\.code) == ["http-401"])
    #expect(server.requests.map { $0.headers["authorization"] } == ["old", "new"])
    #expect(harness.refusals == ["\(job.target.name) credentials refused"])
  }

  @Test func aRetryByThePersonRunsTheCommandAgain() async throws {
    let server = try server(for: Guests("Bearer t3"))
    defer { server.stop() }
    let jobs = try jobs(20, to: server.url(), command: counting)
    let harness = EngineHarness(lanes: 1, waitsForServers: true)
    harness.engine.submit(jobs)
    await harness.wait { $0[ItemID(1)]?.last?.code == "http-401" }
    #expect(runs == 2)
    harness.engine.retry([jobs[0]])
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.allSatisfy { $0.code == "done 200" }, "\(ends)")
    #expect(runs == 3)
  }

  @Test func whoWaitsForATokenCanBeTakenBack() async throws {
    let server = try server(for: Guests("Bearer late"))
    defer { server.stop() }
    let fifo = folder.path("fifo")
    mkfifo(fifo, 0o600)
    let jobs = try jobs(5, to: server.url(), command: TokenCommand(["cat", fifo], timeout: 240))
    let harness = EngineHarness(lanes: 2)
    harness.engine.submit(jobs)
    harness.engine.cancel([ItemID(1), ItemID(4)])
    let first = await harness.finish([ItemID(1), ItemID(4)])
    #expect(first.map(\.code) == ["cancelled", "cancelled"])
    // On a thread of its own: opening it waits for the command, which may need the pool's last thread.
    Thread.detachNewThread { try? Data("late\n".utf8).write(to: URL(filePath: fifo)) }
    let ends = await harness.finish([2, 3, 5].map { ItemID($0) })
    #expect(ends.map(\.code) == ["done 200", "done 200", "done 200"], "\(ends)")
  }

  @Test func theTokenStaysAtItsOrigin() async throws {
    let other = try HostileServer.answering(Self.ok)
    let server = try HostileServer.answering(
      "HTTP/1.1 307 There\r\nLocation: \(other.url("/there"))\r\nContent-Length: 0\r\n\r\n")
    defer {
      server.stop()
      other.stop()
    }
    let jobs = try jobs(1, to: server.url(), command: counting) {
      $0.redirectOrigins = Set([Origin(other.url())].compactMap { $0 })
    }
    let (_, ends) = await upload(jobs)
    #expect(ends.map(\.code) == ["done 200"])
    #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer t1"])
    #expect(other.requests.map { $0.headers["authorization"] } == [nil])
  }

  @Test(arguments: [
    "Bearer a/b.c~1", #"{"your":"a\/b.c~1"}"#, "https://x/?t=a%2fb.c%7E1", #""a\u002Fb.c~1""#,
  ])
  func whatAServerEchoesOfATokenIsNotTold(_ echo: String) async throws {
    let server = try HostileServer.answering(
      "HTTP/1.1 200 OK\r\nLocation: /f?t=a%2Fb.c~1\r\nContent-Length: \(echo.utf8.count)\r\n\r\n\(echo)"
    )
    defer { server.stop() }
    let command = TokenCommand(["echo", "a/b.c~1"])
    let (_, ends) = await upload(try jobs(1, to: server.url(), command: command))
    guard case .done(let receipt)? = ends.first else {
      Issue.record("\(ends)")
      return
    }
    #expect(receipt.reply.text.contains("(secret)") && !receipt.reply.text.contains("b.c"))
    #expect(receipt.url == server.url("/f?t=(secret)").absoluteString)

    let refusing = try jobs(2, to: server.url(), command: command) {
      $0.response.ok = [201...201]
    }
    let (_, refused) = await upload(refusing)
    #expect(refused.allSatisfy { $0.failure?.reply.text.contains("(secret)") == true })
    var call = Call(url: Template(literal: server.url().absoluteString))
    call.rules.ok = [201...201]
    let failing = try jobs(1, to: server.url(), command: command) {
      $0.server.list = ServerSide.Listing(call: call, items: .whole, id: .whole, title: .whole)
    }
    let failure = await #expect(throws: Failure.self) {
      try await ServerClient(target: failing[0].target).entries()
    }
    #expect(failure?.reply.text.contains("(secret)") == true)
  }

  @Test func allWhoNeedATokenAtTheSameTimeShareOneRunOfItsCommand() async throws {
    let (tokens, command) = (TokenSource(), counting)
    func ask(insteadOf refused: BearerToken?) async throws -> [String: Int] {
      try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<20 {
          group.addTask { try await tokens.token(of: command, insteadOf: refused).token.text }
        }
        return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      }
    }
    #expect(try await ask(insteadOf: nil) == ["t1": 20])
    let first = try await tokens.token(of: command, insteadOf: nil)
    #expect(!first.isNew && runs == 1)
    #expect(try await ask(insteadOf: first.token) == ["t2": 20])
    #expect(runs == 2)
    // A failure is remembered for nobody.
    for _ in 0..<2 {
      await #expect(throws: Failure.Cause.self) {
        try await tokens.token(of: TokenCommand(["false"]), insteadOf: nil)
      }
    }
  }

  @Test func aTokenDoesNotShowItself() async throws {
    let token = try await BearerToken(TokenCommand(["echo", "s3cret"]))
    var dumped = ""
    dump(token, to: &dumped)
    for text in ["\(token)", String(reflecting: token), dumped, "\(Optional(token) as Any)"] {
      #expect(!text.contains("s3cret"), "\(text)")
    }
    #expect(token.secret.value == "s3cret")
  }
}
