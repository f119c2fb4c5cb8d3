import Foundation
import JSONText
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// The reply to a request around the file is judged by the rules of that request, once: it is no reply to the file.
@Suite("Requests around the file", .timeLimit(.minutes(5)))
struct SideRequestTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  /// The requests around a file. Each has its path at the server.
  enum Side: String, CaseIterable, Sendable {
    case exists, ticket, open, folder, record

    var step: Failure.Step? {
      switch self {
      case .exists: .existence
      case .ticket: .ticket
      case .open: .open
      case .folder: .folder
      case .record: nil
      }
    }
  }

  /// Answers a side request with `side`, and a file with 201.
  private func server(
    _ side: @escaping @Sendable (_ count: Int) -> (status: Int, location: String?)
  ) throws -> HostileServer {
    let counter = Counter()
    return try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let isFile = request.line.contains("/up ")
        // The folder of a file is missing.
        let ofFile = request.line.contains("/folder/") ? 409 : 201
        let (status, location) = isFile ? (ofFile, nil) : side(counter.next())
        let place = location.map { "Location: \($0)\r\n" } ?? ""
        let body = #"{"to":"/up","id":"7"}"#
        connection.send(
          "HTTP/1.1 \(status) X\r\n\(place)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
      }
    }
  }

  /// A target with such a request, of which only a 201 counts as a success.
  private func target(_ server: HostileServer, _ side: Side) throws -> Target {
    var target = Target.once(server.url("/up"))
    target.concurrency = 1
    target.retry = RetryPolicy(attempts: 3, base: 0)
    target.headers = [.init(name: "Authorization", value: Template(literal: "Bearer x"))]
    let url = server.url("/\(side.rawValue)")
    var call = Call(url: Template(literal: url.absoluteString), method: "POST")
    call.rules.ok = [201...201]
    switch side {
    case .exists: target.exists = ExistenceCheck(call: call)
    case .ticket:
      target.ticket = Ticket(call: call, uploadURL: ReplyValue(.pointer(try JSONPointer("/to"))))
    case .open:
      var open = Call(method: "POST")
      open.address = call.address
      open.rules = call.rules
      target.run.open = open
    case .folder:
      target.url = server.url("/folder/up")
      target.folders = FolderRule(method: "POST", ok: [201...201])
    case .record: target.server.create = call
    }
    return target
  }

  private func ends(_ target: Target, files: Int = 1) async throws -> [ItemState] {
    let paths = try (1...files).map { try folder.write("\($0)", count: 100, seed: UInt64($0)) }
    return await EngineHarness(preparesAhead: false).upload(paths, to: target)
  }

  @Test(
    "A success that the request's rules do not list is a refusal of it", arguments: Side.allCases)
  func otherSuccess(_ side: Side) async throws {
    let server = try server { _ in (202, nil) }
    defer { server.stop() }
    let end = try await ends(target(server, side)).first
    let failure = try #require(end?.failure)
    let asked = server.requests.filter {
      $0.line.hasPrefix("POST /\(side.rawValue)") && !$0.line.contains("/up ")
    }
    #expect(asked.count == 1, "Nothing is wrong with the connection, so nothing is repeated.")
    #expect(failure.attempts == 1)
    #expect(failure.step == side.step)
    let codes: [Side: String] = [.record: "no-record", .folder: "no-folder"]
    #expect(failure.code == codes[side] ?? "http-202")
    #expect(failure.arrival == (side == .record ? .arrived : .notArrived))
  }

  @Test("A refusal is no proof of good credentials", arguments: [Side.exists, .ticket])
  func refusalIsNoProof(_ side: Side) async throws {
    let server = try server { count in (count == 1 ? 202 : 401, nil) }
    defer { server.stop() }
    let codes = try await ends(target(server, side), files: 4).map(\.code)
    #expect(codes == ["http-202", "http-401", "not-tried", "not-tried"])
  }

  @Test(
    "A redirect to another server is not followed, whatever the target allows for files",
    arguments: Side.allCases)
  func elsewhere(_ side: Side) async throws {
    let other = try server { _ in (401, nil) }
    defer { other.stop() }
    let server = try server { _ in (307, other.url("/moved").absoluteString) }
    defer { server.stop() }
    var target = try target(server, side)
    target.redirectOrigins = Set([Origin(other.url())].compactMap(\.self))
    let failure = try #require(try await ends(target).first?.failure)
    #expect(failure.code == (side == .record ? "no-record" : "redirected"))
    #expect(failure.attempts == 1)
    #expect(other.requests.isEmpty)
  }

  private final class Counter: Sendable {
    private let count = Mutex(0)
    func next() -> Int {
      count.withLock {
        $0 += 1
        return $0
      }
    }
  }
}
