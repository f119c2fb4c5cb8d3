import Foundation
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// Lists in several pages, from servers that name the next one in different ways.
@Suite(.timeLimit(.minutes(5)))
struct ListPagesTests {
  private func server(
    _ answer: @escaping @Sendable (_ path: String) -> (headers: String, body: String)
  ) throws -> HostileServer {
    try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let path = request.line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        let (headers, body) = answer(path)
        connection.send(
          "HTTP/1.1 200 OK\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
      }
    }
  }

  private func client(
    _ server: HostileServer, _ next: NextPage, time: TimeSource = .system
  ) throws -> ServerClient {
    var target = Target.once(server.url())
    var list = ServerSide.Listing(
      call: Call(url: Template(literal: server.url("/l?s=1").absoluteString)),
      items: try JSONPointer("/items"), id: try JSONPointer("/id"), title: try JSONPointer("/id"))
    list.next = next
    list.total = ReplyValue(.pointer(try JSONPointer("/total")))
    target.server.list = list
    return ServerClient(target: target, time: time)
  }

  /// A byte now and then is no silence.
  @Test func aListThatTricklesForEverEnds() async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\n\r\n")
      while connection.send([0x20]) { usleep(1000) }
    }
    defer { server.stop() }
    let clock = TestClock()
    let client = try client(server, .link, time: clock.time)
    let running = Task { await clock.run() }
    defer { running.cancel() }
    let failure = await #expect(throws: Failure.self) { try await client.entries() }
    #expect(failure?.code == "stalled", "\(String(describing: failure))")
  }

  @Test func byNumberUntilAPageIsEmpty() async throws {
    let server = try server { path in
      let page = path.firstMatch(of: /p=(\d+)/).flatMap { Int($0.1) } ?? -1
      return ("", page < 3 ? #"{"items":[{"id":\#(page)}]}"# : #"{"items":[]}"#)
    }
    defer { server.stop() }
    let client = try client(server, .number(query: "p", from: 1))
    let first = try await client.entries()
    #expect(first.entries.map(\.id) == ["1"] && first.hasMore)
    let all = try await client.entries(pages: 100)
    #expect(all.entries.map(\.id) == ["1", "2"] && !all.hasMore)
  }

  @Test func byLinkAndUntilTheTotalIsThere() async throws {
    let server = try server { path in
      path.contains("page=2")
        ? ("Link: </l?page=3>; rel=\"next\"\r\n", #"{"total":3,"items":[{"id":3}]}"#)
        : ("Link: </l?page=2>; rel=\"next\"\r\n", #"{"total":3,"items":[{"id":1},{"id":2}]}"#)
    }
    defer { server.stop() }
    let all = try await client(server, .link).entries(pages: 100)
    #expect(all.entries.map(\.id) == ["1", "2", "3"] && all.total == 3 && !all.hasMore)
    #expect(server.requests.map(\.line) == ["GET /l?s=1 HTTP/1.1", "GET /l?page=2 HTTP/1.1"])
  }

  @Test func aCircleEnds() async throws {
    let server = try server { _ in ("", #"{"next":"/l?page=2","items":[{"id":1}]}"#) }
    defer { server.stop() }
    let all = try await client(server, .address(try JSONPointer("/next"))).entries(pages: 100)
    #expect(all.entries.count == 2)
  }

  @Test func anotherServerIsNotAsked() async throws {
    let other = try HostileServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")
    let place = other.url("/l").absoluteString
    let server = try server { _ in ("", #"{"next":"\#(place)","items":[]}"#) }
    defer {
      server.stop()
      other.stop()
    }
    let client = try client(server, .address(try JSONPointer("/next")))
    let failure = await #expect(throws: Failure.self) { try await client.entries(pages: 2) }
    #expect(failure?.explanation.contains("on another server") == true)
    #expect(other.requests.isEmpty)
  }

  /// Pages that delete something often lead on to another one.
  @Test(arguments: [(200, "200"), (302, "302"), (404, "http-404"), (500, "http-500")])
  func aPageThatAReplyNamed(_ status: Int, _ outcome: String) async throws {
    let server = try HostileServer.answering(
      "HTTP/1.1 \(status) X\r\nLocation: /gone\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n"
    )
    defer { server.stop() }
    var told: String
    do throws(Failure) {
      let answer = try await ServerClient(target: Target.once(server.url())).open(
        server.url("/delete/1"))
      told = "\(answer.status)"
      #expect(answer.mediaType == "text/html")
    } catch {
      told = error.code
    }
    #expect(told == outcome)
    #expect(server.requests.map(\.line) == ["GET /delete/1 HTTP/1.1"])
  }

  @Test func oneEntryByItselfOrOutOfTheList() async throws {
    let server = try server { path in
      path == "/l/7"
        ? ("", #"{"id":7,"whole":true}"#)
        : path.contains("p=1") ? ("", #"{"items":[{"id":7}]}"#) : ("", #"{"items":[{"id":8}]}"#)
    }
    defer { server.stop() }
    var target = Target.once(server.url())
    var list = ServerSide.Listing(
      call: Call(url: Template(literal: server.url("/l").absoluteString)),
      items: try JSONPointer("/items"), id: try JSONPointer("/id"), title: try JSONPointer("/id"))
    list.next = .number(query: "p", from: 1)
    target.server.list = list
    #expect(try await ServerClient(target: target).entry("7").source == #"{"id":7}"#)
    target.server.get = Call(
      url: Template(literal: server.url("/l/").absoluteString)
        + (try Template(
          "{id}", scope: [.id], escaping: .url, lookup: Template.Lookup(environment: { _ in nil })))
    )
    #expect(try await ServerClient(target: target).entry("7").source == #"{"id":7,"whole":true}"#)
  }
}
