import Foundation
import JSONText
import MultipartForm
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

@Suite("What is done when a name is taken", .timeLimit(.minutes(5)))
struct NameTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  /// A server that keeps files by their names.
  final class Server: Sendable {
    struct Entry: Sendable, Equatable {
      let name: String
      var bytes: [UInt8]
    }

    /// What is done with the first file instead of taking it and saying so.
    enum Mishap: Sendable {
      /// It is kept, and no reply comes.
      case silence
      /// Somebody else's file of the same size gets the name, and no reply comes.
      case other
      /// A quarter of it is kept.
      case cut
    }

    let entries: Mutex<[Entry]>
    private let keepsCondition: Bool
    private let mishap: Mishap?
    private let lines = Mutex<[String]>([])
    private let files = Mutex(0)

    init(_ entries: [Entry] = [], keepsCondition: Bool = true, mishap: Mishap? = nil) {
      self.entries = Mutex(entries)
      (self.keepsCondition, self.mishap) = (keepsCondition, mishap)
    }

    var all: [Entry] { entries.withLock { $0 } }
    func count(of method: String) -> Int {
      lines.withLock { $0.count { $0.hasPrefix(method + " ") } }
    }

    func start() throws -> HostileServer {
      try HostileServer(receiveBuffer: mishap == .cut ? 4096 : nil) { [self] connection, _ in
        while var request = connection.readHead() {
          lines.withLock { $0.append(request.line) }
          let length = Int(request.headers["content-length"] ?? "") ?? 0
          let words = request.line.split(separator: " ")
          let name = words[1].split(separator: "/").last?.removingPercentEncoding ?? ""
          let isFile = words[0] == "PUT" || words[0] == "POST"
          let mishap =
            isFile
              && files.withLock {
                $0 += 1; return $0
              } == 1 ? mishap : nil
          if mishap == .cut {
            guard let part = connection.readNoMore(length / 4) else { return }
            entries.withLock { $0.append(Entry(name: name, bytes: part)) }
            return connection.reset()
          }
          guard let body = connection.read(length) else { return }
          request.body = body
          switch mishap {
          case .silence:
            entries.withLock { $0.append(Entry(name: name, bytes: body)) }
            return
          case .other:
            entries.withLock { $0.append(Entry(name: name, bytes: body.map { ~$0 })) }
            return
          case .cut, nil: break
          }
          let (status, head, reply) = answer(request, String(words[0]), name)
          connection.send(
            "HTTP/1.1 \(status) X\r\n\(head)Content-Length: \(head.isEmpty ? "\(reply.count)" : "")\r\n\r\n"
              .replacing("Content-Length: \r\n", with: ""))
          if words[0] != "HEAD" { connection.send(reply) }
        }
      }
    }

    private func answer(
      _ request: HostileServer.SeenRequest, _ method: String, _ name: String
    ) -> (Int, String, [UInt8]) {
      entries.withLock { entries in
        let place = entries.firstIndex { $0.name == name }
        switch method {
        case "PUT":
          if place != nil, keepsCondition, request.headers["if-none-match"] == "*" {
            return (412, "", [])
          }
          if let place {
            entries[place].bytes = request.body
          } else {
            entries.append(Entry(name: name, bytes: request.body))
          }
          return (201, "", [])
        case "POST":
          let text = String(decoding: request.body, as: UTF8.self)
          let sent = text.firstMatch(of: /filename="([^"]*)"/).map { String($0.1) } ?? ""
          let content =
            text.components(separatedBy: "\r\n\r\n").last?
            .components(separatedBy: "\r\n--").first ?? ""
          entries.append(Entry(name: sent, bytes: Array(content.utf8)))
          return (201, "", [])
        case "DELETE":
          entries.removeAll { $0.name == name }
          return (204, "", [])
        case "HEAD", "GET":
          if name == "list" {
            let rows = entries.map {
              #"{"id":"\#($0.name)","name":"\#($0.name)","size":\#($0.bytes.count)}"#
            }
            return (200, "", Array("[\(rows.joined(separator: ","))]".utf8))
          }
          guard let place else { return (404, "", []) }
          let (bytes, date) = (entries[place].bytes, "Sun, 29 Nov 2026 12:00:00 GMT")
          var part = bytes[...]
          if let range = request.headers["range"]?.firstMatch(of: /bytes=(\d+)-(\d+)/),
            let first = Int(range.1), let last = Int(range.2)
          {
            part = bytes[first...min(last, bytes.count - 1)]
          }
          return (
            part.count == bytes.count ? 200 : 206,
            "Last-Modified: \(date)\r\nContent-Length: \(part.count)\r\n", Array(part)
          )
        default: return (405, "", [])
        }
      }
    }
  }

  private func target(
    _ server: HostileServer, _ rule: IfThere?, by check: Target.NameCheck = .address
  ) throws -> Target {
    let lookup = Template.Lookup(environment: { _ in nil })
    func address(_ path: String) throws -> Template {
      try Template(
        server.url("").absoluteString + path, scope: [.fileName], escaping: .url, lookup: lookup)
    }
    var target = Target.once(server.url(check == .address ? "/f/" : "/up"))
    target.ifThere = rule
    target.retry = RetryPolicy(attempts: 3, base: 0)
    switch check {
    case .address:
      (target.method, target.body) = ("PUT", .binary)
      target.address = try address("/f/{file.name}")
    case .exists:
      target.exists = ExistenceCheck(
        call: Call(url: try address("/f/{file.name}"), method: "HEAD"))
    case .list:
      target.server.list = ServerSide.Listing(
        call: Call(url: try address("/list")), items: .whole, id: try JSONPointer("/id"),
        title: try JSONPointer("/name"))
      target.server.list?.size = try JSONPointer("/size")
    case .reply:
      (target.method, target.body) = ("PUT", .binary)
    }
    return target
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let rule: IfThere
    let check: Target.NameCheck
    var testDescription: String { "\(rule) by \(check)" }
  }

  static let rows = IfThere.allCases.flatMap { rule in
    [Target.NameCheck.address, .exists, .list].map { Row(rule: rule, check: $0) }
  }

  @Test("five ways, told in three ways", arguments: rows)
  func ways(_ row: Row) async throws {
    let there = Server.Entry(name: "a.txt", bytes: Array("other".utf8))
    let copy = Server([there])
    let server = try copy.start()
    defer { server.stop() }
    let path = try folder.write("a.txt", Array("abc".utf8))
    let end = try #require(
      await EngineHarness().upload([path], to: target(server, row.rule, by: row.check)).first)
    let ours = Array("abc".utf8)
    switch row.rule {
    case .replace:
      #expect(end.code == "done 201")
      #expect(copy.all.last == Server.Entry(name: "a.txt", bytes: ours))
    case .skip:
      guard case .done(let receipt) = end else { throw Unexpected(end) }
      #expect(receipt.skipped?.size == 5 && receipt.wasThere)
      #expect(receipt.words == "skipped, the name is taken")
      #expect(copy.all == [there])
    case .rename:
      guard case .done(let receipt) = end else { throw Unexpected(end) }
      #expect(receipt.fate?.renamed == "a (2).txt" && receipt.words == "201 Created, as a (2).txt")
      #expect(copy.all == [there, Server.Entry(name: "a (2).txt", bytes: ours)])
    case .fail, .ask:
      let taken = try #require(end.failure?.taken)
      #expect(
        taken.size == 5 && taken.name == "a.txt" && taken.asks == (row.rule == .ask ? true : nil))
      #expect((taken.time != nil) == (row.check != .list))
      #expect(copy.all == [there] && copy.count(of: "PUT") + copy.count(of: "POST") == 0)
    }
  }

  private struct Unexpected: Error {
    let end: ItemState
    init(_ end: ItemState) { self.end = end }
  }

  @Test("a name that is free is used as it is", arguments: rows.filter { $0.rule != .replace })
  func free(_ row: Row) async throws {
    let copy = Server([Server.Entry(name: "b.txt", bytes: [1])])
    let server = try copy.start()
    defer { server.stop() }
    let path = try folder.write("a.txt", Array("abc".utf8))
    let ends = try await EngineHarness()
      .upload([path], to: target(server, row.rule, by: row.check))
    #expect(ends.map(\.code) == ["done 201"])
    #expect(copy.all.map(\.name) == ["b.txt", "a.txt"])
  }

  private func files(_ count: Int, _ part: String = "") throws -> [String] {
    try (1...count).map { number in
      let own = folder.path("\(part)\(number)")
      try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
      return try folder.write("\(part)\(number)/x.txt", Array("\(part) \(number)".utf8))
    }
  }

  @Test(
    "two hundred files of one name, on eight lanes: all arrive, and none takes another's place",
    arguments: [true, false])
  func manyOfOneName(keepsCondition: Bool) async throws {
    let copy = Server(keepsCondition: keepsCondition)
    let server = try copy.start()
    defer { server.stop() }
    var target = try target(server, .rename)
    target.concurrency = 8
    let ends = try await EngineHarness(lanes: 8).upload(files(200), to: target)
    #expect(ends.allSatisfy { $0.code == "done 201" })
    #expect(Set(copy.all.map(\.name)).count == 200)
    #expect(Set(copy.all.map(\.bytes)) == Set((1...200).map { Array(" \($0)".utf8) }))
    if keepsCondition { #expect(copy.count(of: "HEAD") < 100) }
  }

  @Test("the same by lists, among the lanes of one process")
  func manyByList() async throws {
    let copy = Server([Server.Entry(name: "x (3).txt", bytes: [0])])
    let server = try copy.start()
    defer { server.stop() }
    var target = try target(server, .rename, by: .list)
    target.concurrency = 8
    let ends = try await EngineHarness(lanes: 8).upload(files(50), to: target)
    #expect(ends.allSatisfy { $0.code == "done 201" })
    #expect(Set(copy.all.map(\.name)).count == 51 && copy.all.count == 51)
    #expect(copy.count(of: "GET") == 1)
  }

  @Test("two programs at once, where the server keeps the condition")
  func twoPrograms() async throws {
    let copy = Server()
    let server = try copy.start()
    defer { server.stop() }
    var target = try target(server, .rename)
    target.concurrency = 4
    let (one, other) = (try files(100, "a"), try files(100, "b"))
    async let first = EngineHarness(lanes: 4).upload(one, to: target)
    async let second = EngineHarness(lanes: 4).upload(other, to: target)
    let ends = await first + second
    #expect(ends.allSatisfy { $0.code == "done 201" })
    #expect(Set(copy.all.map(\.name)).count == 200 && Set(copy.all.map(\.bytes)).count == 200)
  }

  @Test(
    "after an unknown outcome, what is there is compared",
    arguments: [Server.Mishap.silence, .other], [IfThere.skip, .rename, .fail])
  func unknownOutcome(_ mishap: Server.Mishap, _ rule: IfThere) async throws {
    let copy = Server(mishap: mishap)
    let server = try copy.start()
    defer { server.stop() }
    let path = try folder.write("a.txt", count: 5_000_000, seed: 7)
    let end = try #require(
      await EngineHarness().upload([path], to: target(server, rule)).first)
    switch (mishap, rule) {
    case (.silence, _):
      guard case .done(let receipt) = end else { throw Unexpected(end) }
      #expect(receipt.words == "there already" && receipt.attempts == 2)
      #expect(copy.all.map(\.name) == ["a.txt"] && copy.count(of: "PUT") == 1)
    case (_, .rename):
      #expect(end.code == "done 201" && copy.all.map(\.name) == ["a.txt", "a (2).txt"])
    default:
      #expect(end.failure?.taken != nil && copy.all.count == 1)
    }
  }

  @Test("a part of the file that an attempt left is no reason to skip it")
  func ownPart() async throws {
    let copy = Server(mishap: .cut)
    let server = try copy.start()
    defer { server.stop() }
    let path = try folder.write("a.txt", count: 8_000_000, seed: 7)
    let end = try #require(
      await EngineHarness().upload([path], to: target(server, .skip)).first)
    #expect(end.failure?.taken != nil && end.failure?.mayMeetRemnant == true)
    #expect(end.failure?.explanation.contains("before_retry") == true)
  }

  @Test("nor after a restart, if an attempt of the earlier process broke off")
  func ownPartOfAnEarlierProcess() async throws {
    let copy = Server([Server.Entry(name: "a.txt", bytes: [1, 2])])
    let server = try copy.start()
    defer { server.stop() }
    let path = try folder.write("a.txt", Array("abc".utf8))
    var item = UploadItem.file(path, id: 1)
    var broken = Failure(.connectionLost("reset"), attempts: 1)
    broken.mayMeetRemnant = true
    item.state = .failed(broken)
    item.state = .waiting
    #expect(item.record.mayHaveLeftRemnant)
    let harness = EngineHarness()
    harness.engine.submit([UploadJob(item: item, target: try target(server, .skip))])
    let end = await harness.finish([item.id]).first
    #expect(end?.failure?.taken != nil && end?.failure?.mayMeetRemnant == true)
  }

  @Test("it is removed first, if the target says how, and nobody else's file is")
  func ownPartRemoved() async throws {
    let copy = Server(mishap: .cut)
    let server = try copy.start()
    defer { server.stop() }
    let path = try folder.write("a.txt", count: 8_000_000, seed: 7)
    var target = try target(server, .skip)
    target.beforeRetry = target.address.map { Call(url: $0, method: "DELETE") }
    let end = try #require(await EngineHarness().upload([path], to: target).first)
    #expect(end.code == "done 201" && copy.all.map(\.bytes.count) == [8_000_000])
    // The name was taken before the first attempt, so nothing is removed.
    let again = try #require(await EngineHarness().upload([path], to: target).first)
    guard case .done(let receipt) = again else { throw Unexpected(again) }
    #expect(receipt.skipped?.size == 8_000_000 && copy.count(of: "DELETE") == 1)
  }

  @Test("a refusal can tell", arguments: [IfThere.skip, .rename, .fail])
  func refusal(_ rule: IfThere) async throws {
    let taken = Mutex(Set(["/f/a.txt"]))
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let path = String(request.line.split(separator: " ")[1])
        let isNew = taken.withLock { $0.insert(path).inserted }
        connection.send("HTTP/1.1 \(isNew ? 201 : 409) X\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    var target = try target(server, rule)
    target.method = "POST"
    target.response.duplicates = [ReplySign(status: 409)]
    #expect(target.nameCheck == .reply)
    let path = try folder.write("a.txt", Array("abc".utf8))
    let end = try #require(await EngineHarness().upload([path], to: target).first)
    switch rule {
    case .skip: #expect(end.code == "done 409")
    case .rename:
      #expect(end.code == "done 201" && taken.withLock { $0.contains("/f/a%20%282%29.txt") })
    default: #expect(end.failure?.taken?.name == "a.txt")
    }
  }

  @Test("what a person has chosen for a file counts more than the target")
  func chosen() async throws {
    let copy = Server([Server.Entry(name: "a.txt", bytes: [1, 2, 3, 4])])
    let server = try copy.start()
    defer { server.stop() }
    let path = try folder.write("a.txt", Array("abc".utf8))
    let target = try target(server, .ask)
    let harness = EngineHarness()
    var item = UploadItem.file(path, id: 1)
    harness.engine.submit([UploadJob(item: item, target: target)])
    #expect(await harness.finish([item.id]).first?.failure?.taken?.asks == true)
    for (choice, names) in [(IfThere.rename, ["a.txt", "a (2).txt"]), (.replace, ["a.txt"])] {
      copy.entries.withLock { $0 = [Server.Entry(name: "a.txt", bytes: [1, 2, 3, 4])] }
      harness.forget()
      item = UploadItem.file(path, id: choice == .rename ? 1 : 2)
      item.record.ifThere = choice
      harness.engine.retry([UploadJob(item: item, target: target)])
      #expect(await harness.finish([item.id]).first?.code == "done 201")
      #expect(copy.all.map(\.name) == names && copy.all.last?.bytes == Array("abc".utf8))
    }
  }
}
