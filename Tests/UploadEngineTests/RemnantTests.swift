import Foundation
import JSONText
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

@Suite("What an attempt that broke off left on the server", .timeLimit(.minutes(5)))
struct RemnantTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  /// A server that keeps half of the first file, as GitHub does with an asset, and refuses the name as long as it has
  /// that.
  private final class Server: Sendable {
    /// The identifiers of what it has by the name of the file: a remnant, or a whole file.
    let entries = Mutex<[(id: Int, name: String)]>([])
    let cuts: Int
    let removal: Int
    private let requests = Mutex<[String]>([])
    private let files = Mutex(0)

    init(cuts: Int = 1, removal: Int = 204, entries: [(id: Int, name: String)] = []) {
      (self.cuts, self.removal) = (cuts, removal)
      self.entries.withLock { $0 = entries }
    }

    var lines: [String] { requests.withLock { $0 } }

    func start() throws -> HostileServer {
      return try HostileServer(receiveBuffer: 4096) { [self] connection, _ in
        while let request = connection.readHead() {
          let line = String(request.line.dropLast(" HTTP/1.1".count))
          requests.withLock { $0.append(line) }
          let length = Int(request.headers["content-length"] ?? "") ?? 0
          let isFile = line.hasPrefix("POST ")
          if isFile,
            files.withLock({
              $0 += 1; return $0
            }) <= cuts
          {
            _ = connection.readNoMore(length / 4)
            entries.withLock { $0.append((7, "tool.bin")) }
            return connection.reset()
          }
          guard connection.read(length) != nil else { return }
          let (status, body) = answer(line)
          connection.send(
            "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
      }
    }

    private func answer(_ line: String) -> (Int, String) {
      switch line.prefix(4) {
      case "GET ":
        let rows = entries.withLock { $0.map { #"{"id":\#($0.id),"name":"\#($0.name)"}"# } }
        return (200, "[\(rows.joined(separator: ","))]")
      case "DELE":
        if removal != 405 {
          entries.withLock {
            $0.removeAll { ["/assets/\($0.id)", "/assets/\($0.name)"].contains(line.dropFirst(7)) }
          }
        }
        return (removal, "")
      default:
        let isTaken = entries.withLock { $0.contains { $0.name == "tool.bin" } }
        return isTaken ? (422, #"{"message":"already_exists"}"#) : (201, "")
      }
    }
  }

  private func target(_ server: HostileServer, removal: String? = nil) throws -> Target {
    var target = Target.once(server.url("/up"))
    target.body = .binary
    target.retry = RetryPolicy(attempts: 3, base: 0)
    let lookup = Template.Lookup(environment: { _ in nil })
    target.server.list = try ServerSide.Listing(
      call: Call(url: Template(literal: server.url("/assets").absoluteString)), items: .whole,
      id: JSONPointer("/id"), title: JSONPointer("/name"))
    if let removal {
      let url = server.url("").absoluteString + removal
      target.beforeRetry = Call(
        url: try Template(url, scope: [.id, .fileName], escaping: .url, lookup: lookup),
        method: "DELETE")
    }
    return target
  }

  private func send(to target: Target) async throws -> ItemState? {
    let path = try folder.write("tool.bin", count: 8_000_000, seed: 1)
    return await EngineHarness().upload([path], to: target).first
  }

  @Test("a request before the next attempt removes it, by its number in the server's list")
  func isRemoved() async throws {
    let copy = Server(entries: [(3, "other.bin")])
    let server = try copy.start()
    defer { server.stop() }
    let end = try await send(to: target(server, removal: "/assets/{id}"))
    #expect(end?.code == "done 201")
    #expect(copy.lines == ["POST /up", "GET /assets", "DELETE /assets/7", "POST /up"])
  }

  @Test("by the file's name; what is gone already needs no removal", arguments: [204, 404, 410])
  func byName(_ status: Int) async throws {
    let copy = Server(removal: status)
    let server = try copy.start()
    defer { server.stop() }
    let target = try target(server, removal: "/assets/{file.name}")
    let end = try await send(to: target)
    #expect(end?.code == "done 201")
    #expect(copy.lines == ["POST /up", "DELETE /assets/tool.bin", "POST /up"])
  }

  @Test("of two files with the name, none is known to be the remnant")
  func twoOfTheName() async throws {
    let copy = Server(entries: [(3, "tool.bin")])
    let server = try copy.start()
    defer { server.stop() }
    let end = try await send(to: target(server, removal: "/assets/{id}"))
    #expect(end?.failure?.status == 422)
    #expect(copy.entries.withLock { $0.map(\.id) } == [3, 7])
  }

  @Test("if it cannot be removed, the failure names that request")
  func cannotBeRemoved() async throws {
    let copy = Server(removal: 405)
    let server = try copy.start()
    defer { server.stop() }
    let end = try await send(to: target(server, removal: "/assets/{id}"))
    #expect(end?.failure?.step == .remnant && end?.failure?.status == 405)
    #expect(end?.failure?.explanation.contains("(before_retry)") == true)
  }

  @Test("nothing is removed that no attempt can have left")
  func nothingLeft() async throws {
    // The server refuses at once, and says that a later attempt may succeed.
    let requests = Mutex<[String]>([])
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let count = requests.withLock { requests in
          requests.append(String(request.line.prefix { $0 != " " }))
          return requests.count
        }
        connection.send(
          "HTTP/1.1 \(count == 1 ? "503 Busy" : "201 Created")\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let end = try await send(to: target(server, removal: "/assets/{file.name}"))
    #expect(end?.code == "done 201" && requests.withLock { $0 } == ["POST", "POST"])
  }

  @Test("without such a request, the failure says what may be in the way")
  func advice() async throws {
    let copy = Server()
    let server = try copy.start()
    defer { server.stop() }
    let end = try await send(to: target(server))
    #expect(end?.failure?.mayMeetRemnant == true)
    #expect(end?.failure?.explanation.contains("such a remnant") == true)
  }
}
