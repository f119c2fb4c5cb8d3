import Digests
import Foundation
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// Which of a target's requests are signed, and when.
@Suite(.timeLimit(.minutes(5)))
struct SignatureTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  private static let keys = SigV4Auth(
    region: "eu-central-1", key: Template(literal: "KEY"),
    secret: Template(literal: "s3cret").hidden(as: "secret_access_key"),
    token: Template(literal: "t0ken").hidden(as: "session_token"))

  private func target(_ server: HostileServer, _ keys: SigV4Auth = Self.keys) -> Target {
    var target = Target.once(server.url("/a//b%20c?x=1&a"))
    (target.body, target.method, target.sigV4) = (.binary, "PUT", keys)
    return target
  }

  private func upload(_ count: Int, to target: Target, _ time: TimeSource = .system) async throws
    -> ItemState?
  {
    let path = try folder.write("a.txt", count: count, seed: 1)
    return await EngineHarness(time: time).upload([path], to: target).last
  }

  /// The SHA-256 of a request's body.
  private func sha256(_ request: HostileServer.SeenRequest) -> String {
    SHA256.hash(request.body).hexadecimal
  }

  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

  /// Whether a request carries the signature that its own header fields lead to.
  private func isSigned(
    _ request: HostileServer.SeenRequest, _ keys: SigV4Auth = Self.keys
  ) throws -> Bool {
    guard let found = request.headers["authorization"] else {
      #expect(!request.headers.keys.contains { $0.hasPrefix("x-amz-") })
      return false
    }
    let names = try #require(found.firstMatch(of: /SignedHeaders=([^,]+)/)).1.split(separator: ";")
    #expect(
      names.contains("host")
        && names.contains("content-type") == (request.headers["content-type"] != nil))
    #expect(request.headers["x-amz-security-token"] == "t0ken")
    let words = request.line.split(separator: " ")
    let again = SignatureV4(
      method: String(words[0]),
      url: try #require(URL(string: "http://\(request.headers["host"] ?? "")\(words[1])")),
      headers: names.compactMap { name in
        request.headers[String(name)].map { (String(name), $0) }
      },
      content: .bytes(request.body))
    let fields = try again.fields(signedBy: keys, at: try date(of: request))
    return fields.last?.value.written == found
  }

  private func date(of request: HostileServer.SeenRequest) throws -> Date {
    let text = try #require(request.headers["x-amz-date"])
    let format = Date.VerbatimFormatStyle(
      format:
        "\(year: .padded(4))\(month: .twoDigits)\(day: .twoDigits)T\(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased))\(minute: .twoDigits)\(second: .twoDigits)Z",
      timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
    return try format.parseStrategy.parse(text)
  }

  @Test("a redirect to the same origin is signed anew, and none to another")
  func redirects() async throws {
    let other = try HostileServer.answering(Self.ok)
    defer { other.stop() }
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let place =
          request.line.contains("/a//")
          ? "/there" : other.url("/elsewhere").absoluteString
        connection.send(
          "HTTP/1.1 307 Temporary\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    var target = target(server)
    target.redirectOrigins = Set([Origin(other.url())].compactMap(\.self))
    #expect(try await upload(1000, to: target)?.code == "done 200")
    let (first, second) = (try #require(server.requests.first), try #require(server.requests.last))
    #expect(first.line == "PUT /a//b%20c?x=1&a HTTP/1.1" && second.line == "PUT /there HTTP/1.1")
    #expect(first.headers["x-amz-content-sha256"] == sha256(first))
    #expect(try isSigned(first) && isSigned(second))
    #expect(first.headers["authorization"] != second.headers["authorization"])
    #expect(try !isSigned(try #require(other.requests.last)))
  }

  @Test("another attempt is signed with the time then")
  func retries() async throws {
    let server = try HostileServer { connection, number in
      while connection.readRequest() != nil {
        connection.send(
          number == 0
            ? "HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\n\r\n" : Self.ok)
        if number == 0 { return }
      }
    }
    defer { server.stop() }
    let calls = Mutex(0.0)
    var time = TimeSource.system
    time.date = {
      calls.withLock {
        $0 += 100
        return Date(timeIntervalSince1970: 1_800_000_000 + $0)
      }
    }
    var target = target(server)
    target.retry = RetryPolicy(attempts: 2, base: 0.01)
    #expect(try await upload(0, to: target, time)?.code == "done 200")
    let dates = try server.requests.map(date)
    try #require(dates.count == 2)
    #expect(dates[1].timeIntervalSince(dates[0]) >= 100)
    #expect(try server.requests.allSatisfy { try isSigned($0) })
    // Nothing at all is signed as such.
    #expect(server.requests[1].headers["x-amz-content-sha256"]?.hasPrefix("e3b0c442") == true)
  }

  @Test("a service other than S3 gets the digest of the file")
  func digest() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    var keys = Self.keys
    keys.service = "execute-api"
    #expect(try await upload(100_000, to: target(server, keys))?.code == "done 200")
    let request = try #require(server.requests.last)
    #expect(request.headers["x-amz-content-sha256"] == nil)
    #expect(try isSigned(request, keys))
    var form = target(server, keys)
    form.body = .multipart
    #expect(try await upload(10, to: form)?.code == "unsendable")
    #expect(server.requests.count == 1)
  }

  @Test("tickets, lists and other small requests are signed with their bodies")
  func calls() async throws {
    let server = try HostileServer.answering(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]")
    defer { server.stop() }
    var target = target(server)
    var call = Call(
      url: Template(literal: server.url("/list").absoluteString), method: "POST",
      json: Template(literal: #"{"a":"ü"}"#))
    target.server.get = call
    _ = try await ServerClient(target: target).entry("1")
    let posted = try #require(server.requests.last)
    #expect(try isSigned(posted))
    #expect(
      posted.headers["x-amz-content-sha256"]
        == "fd621823002706e24604cb868a9f4f8850d6f01fb5040d49ba050482e1472437")
    _ = await ServerClient(target: target).obstacle()
    #expect(try isSigned(try #require(server.requests.last)))
    call.address = .own(Template(literal: "http://localhost:\(server.port)/list"))
    target.server.get = call
    _ = try await ServerClient(target: target).entry("1")
    #expect(try !isSigned(try #require(server.requests.last)))
  }

  @Test("the requests of resumable uploads are signed")
  func tus() async throws {
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        connection.send(
          request.line.hasPrefix("POST")
            ? "HTTP/1.1 201 Created\r\nTus-Resumable: 1.0.0\r\nLocation: /files/1\r\nContent-Length: 0\r\n\r\n"
            : "HTTP/1.1 204 No Content\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 1000\r\n\r\n")
      }
    }
    defer { server.stop() }
    var target = target(server)
    target.resume.mode = .tus
    let end = try await upload(1000, to: target)
    #expect(end?.code == "done 204", "\(String(describing: end))")
    #expect(
      server.requests.map { String($0.line.prefix { $0 != " " }) } == ["OPTIONS", "POST", "PATCH"])
    #expect(try server.requests.allSatisfy { try isSigned($0) })
    #expect(server.requests.allSatisfy { $0.headers["x-amz-content-sha256"] == sha256($0) })
  }

  @Test("the signature of a piece covers that piece")
  func pieces() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    var target = target(server)
    var rules = PieceRules()
    (rules.size, rules.piece.query) = (
      400,
      [
        Target.Field(
          name: "n",
          value: try Template(
            "{piece.number}", scope: [.pieceNumber],
            lookup: Template.Lookup(environment: { _ in nil })))
      ]
    )
    target.resume.pieces = rules
    #expect(try await upload(1000, to: target)?.code == "done 200")
    #expect(server.requests.map(\.body.count) == [400, 400, 200])
    #expect(try server.requests.allSatisfy { try isSigned($0) })
    #expect(server.requests.allSatisfy { $0.headers["x-amz-content-sha256"] == sha256($0) })
  }
}
