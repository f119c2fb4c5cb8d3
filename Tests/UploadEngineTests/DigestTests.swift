import Digests
import Foundation
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// What servers that ask for digest authentication (RFC 7616) are sent when their nonces expire.
@Suite(.timeLimit(.minutes(5)))
struct DigestTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  /// What a server says to a right answer.
  enum Word: Sendable, Equatable {
    case yes
    /// It calls the nonce stale, and gives another one.
    case stale
    /// It only gives another one.
    case other
  }

  /// A server with a password, which has said so many things to right answers.
  private final class Server: Sendable {
    struct Content {
      var given = 0
      var uses: [String: Int] = [:]
      /// The bodies that came, and what was said to them.
      var bodies: [(path: String, said: Word)] = []
      var questions = 0
    }

    let content: Mutex<Content>
    let http: HostileServer

    /// `judge` decides from the number of the nonce, that of the newest nonce, how often it was used, and how many
    /// right answers came before. `reply` is for what is accepted.
    init(
      _ judge:
        @escaping @Sendable (_ nonce: Int, _ newest: Int, _ uses: Int, _ before: Int) -> Word,
      reply: @escaping @Sendable (HostileServer.SeenRequest) -> String = { _ in "201 Created\r\n" }
    ) throws {
      let shared = Shared()
      content = Mutex(Content())
      http = try HostileServer { connection, _ in
        guard let self_ = shared.server.withLock({ $0 }) else { return }
        while let request = connection.readRequest() {
          connection.send(self_.answer(to: request, judge, reply))
        }
      }
      shared.server.withLock { $0 = self }
    }

    private final class Shared: Sendable { let server = Mutex<Server?>(nil) }

    private func answer(
      to request: HostileServer.SeenRequest, _ judge: (Int, Int, Int, Int) -> Word,
      _ reply: (HostileServer.SeenRequest) -> String
    ) -> String {
      content.withLock { content in
        let words = request.line.split(separator: " ")
        func challenge(isStale: Bool) -> String {
          content.given += 1
          return "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n"
            + "WWW-Authenticate: Digest realm=\"dav\", qop=\"auth\", nonce=\"n\(content.given)\", opaque=\"o\""
            + "\(isStale ? ", stale=true" : "")\r\n\r\n"
        }
        guard let field = request.headers["authorization"] else {
          content.questions += 1
          #expect(request.body.isEmpty, "a question has no body")
          return challenge(isStale: false)
        }
        func value(_ name: String) -> String {
          let match = try? Regex("[ ,]\(name)=\"?([^\",]*)").firstMatch(in: field)
          return match?.output[1].substring.map(String.init) ?? ""
        }
        let (nonce, count, uri) = (value("nonce"), value("nc"), value("uri"))
        func hash(_ text: String) -> String { MD5.hash(text.utf8).hexadecimal }
        let right = hash(
          "\(hash("me:dav:p")):\(nonce):\(count):\(value("cnonce")):auth:\(hash("\(words[0]):\(uri)"))"
        )
        guard right == value("response"), uri == words[1] else { return challenge(isStale: false) }
        content.uses[nonce, default: 0] += 1
        let said = judge(
          Int(nonce.dropFirst()) ?? 0, content.given, content.uses[nonce] ?? 0,
          content.bodies.count)
        content.bodies.append((uri, said))
        guard said == .yes else { return challenge(isStale: said == .stale) }
        let text = reply(request)
        return
          "HTTP/1.1 \(text)\(text.contains("Content-Length") ? "" : "Content-Length: 0\r\n\r\n")"
      }
    }

    var bodies: [(path: String, said: Word)] { content.withLock { $0.bodies } }
    var questions: Int { content.withLock { $0.questions } }
  }

  /// How the file is sent.
  enum Way: Sendable, CaseIterable { case form, binary }

  private func target(_ server: Server, _ way: Way, password: String = "p") -> Target {
    var target = Target(name: "t", url: server.http.url("/dav"))
    if way == .binary { (target.method, target.body) = ("PUT", .binary) }
    target.digest = DigestAuth(
      user: Template(literal: "me"), password: Template(literal: password))
    (target.retry, target.concurrency) = (RetryPolicy(attempts: 5, base: 0.01, cap: 0.01), 4)
    return target
  }

  private func upload(
    _ count: Int, to target: Target, lanes: Int = 1
  ) async throws -> (ends: [ItemState], told: Int, refusals: [String]) {
    let paths = try (1...count).map { try folder.write("\($0)", count: 9000, seed: UInt64($0)) }
    let harness = EngineHarness(lanes: lanes)
    let ends = await harness.upload(paths, to: target)
    let told = (1...count).reduce(0) { told, id in
      told
        + harness.states(of: ItemID(Int64(id))).filter {
          if case .preparing = $0 { true } else { false }
        }.count
    }
    return (ends, told, harness.refusals)
  }

  @Test("A stale nonce costs an attempt, which is told", arguments: Way.allCases)
  func once(_ way: Way) async throws {
    let server = try Server { _, _, _, before in before == 1 ? .stale : .yes }
    defer { server.http.stop() }
    let (ends, told, refusals) = try await upload(3, to: target(server, way))
    #expect(ends.map(\.code) == ["done 201", "done 201", "done 201"], "\(ends)")
    #expect(server.bodies.map(\.said) == [.yes, .stale, .yes, .yes])
    #expect(told == 4 && server.questions == 1 && refusals.isEmpty, "\(told) \(refusals)")
  }

  @Test("A server whose nonces never hold gets three bodies of a file", arguments: Way.allCases)
  func never(_ way: Way) async throws {
    let server = try Server { _, _, _, _ in .stale }
    defer { server.http.stop() }
    let (ends, told, refusals) = try await upload(1, to: target(server, way))
    #expect(ends.first?.failure?.cause == .nonceExpired && ends.first?.failure?.attempts == 3)
    #expect(server.bodies.count == 3 && told == 3)
    #expect(refusals.isEmpty, "it says nothing about the credentials: \(refusals)")
  }

  @Test("All lanes use one nonce, for a server that knows only the newest", arguments: Way.allCases)
  func oneNonce(_ way: Way) async throws {
    let server = try Server { nonce, newest, _, _ in nonce == newest ? .yes : .stale }
    defer { server.http.stop() }
    let (ends, told, _) = try await upload(12, to: target(server, way), lanes: 4)
    #expect(ends.allSatisfy { $0.code == "done 201" }, "\(ends)")
    #expect(server.bodies.count == 12 && told == 12 && server.questions == 1)
  }

  @Test("For a server that accepts each nonce once, two bodies are sent in vain")
  func forOneUse() async throws {
    let server = try Server { _, _, uses, _ in uses == 1 ? .yes : .stale }
    defer { server.http.stop() }
    let (ends, told, _) = try await upload(6, to: target(server, .form))
    #expect(ends.allSatisfy { $0.code == "done 201" }, "\(ends)")
    #expect(server.bodies.count == 8 && told == 8)
  }

  @Test("A server that has forgotten a nonce need not call it stale")
  func forgotten() async throws {
    let server = try Server { nonce, _, _, before in before >= 2 && nonce == 1 ? .other : .yes }
    defer { server.http.stop() }
    let (ends, _, refusals) = try await upload(4, to: target(server, .form))
    #expect(ends.allSatisfy { $0.code == "done 201" } && refusals.isEmpty, "\(ends)")
    #expect(server.bodies.count == 5)
  }

  @Test("A wrong password is one, and nothing more is sent with it")
  func wrongPassword() async throws {
    let server = try Server { _, _, _, _ in .yes }
    defer { server.http.stop() }
    let (ends, _, refusals) = try await upload(1, to: target(server, .form, password: "q"))
    #expect(ends.map(\.code) == ["http-401"] && server.bodies.isEmpty, "\(ends)")
    #expect(refusals == ["t credentials refused"] && server.http.requests.count == 2)
  }

  @Test("A ticket costs an attempt as well, and a record is asked for again at once")
  func smallRequests() async throws {
    let server = try Server { _, _, _, before in
      [0, 3].contains(before) ? .stale : .yes
    } reply: {
      $0.line.contains("ticket")
        ? "200 OK\r\nContent-Length: 14\r\n\r\n{\"url\":\"/put\"}" : "201 Created\r\n"
    }
    defer { server.http.stop() }
    var target = target(server, .binary)
    func call(_ path: String) -> Call {
      Call(
        url: Template(literal: server.http.url(path).absoluteString), method: "POST",
        json: Template(literal: "{}"))
    }
    target.ticket = Ticket(
      call: call("/ticket"), uploadURL: ReplyValue(.pointer(JSONPointer(tokens: ["url"]))))
    target.server.create = call("/create")
    let (ends, told, _) = try await upload(1, to: target)
    #expect(ends.map(\.code) == ["done 201"], "\(ends)")
    #expect(
      server.bodies.map(\.path) == ["/ticket", "/ticket", "/put", "/create", "/create"])
    #expect(told == 2)
  }

  @Test("An upload that can resume asks how much there is, and goes on")
  func resuming() async throws {
    let server = try Server { _, _, _, before in
      before == 2 ? .stale : .yes
    } reply: { request in
      let tus = "\r\nTus-Resumable: 1.0.0\r\n"
      return switch request.line.prefix(4) {
      case "OPTI": "204 No Content\(tus)Tus-Version: 1.0.0\r\nTus-Extension: creation\r\n"
      case "POST": "201 Created\(tus)Location: /files/1\r\n"
      case "HEAD": "200 OK\(tus)Upload-Offset: 0\r\n"
      default: "204 No Content\(tus)Upload-Offset: 9000\r\n"
      }
    }
    defer { server.http.stop() }
    var target = target(server, .form)
    (target.resume.mode, target.body) = (.tus, .binary)
    let (ends, told, refusals) = try await upload(1, to: target)
    #expect(ends.map(\.code) == ["done 204"] && refusals.isEmpty, "\(ends)")
    #expect(
      server.bodies.map(\.path) == ["/dav", "/dav", "/files/1", "/files/1", "/files/1"])
    #expect(told == 2)
  }
}
