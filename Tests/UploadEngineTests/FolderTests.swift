import Foundation
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// Folders on the way to files, on a server that says that they are missing.
@Suite("Folders on the way", .timeLimit(.minutes(5)))
struct FolderTests {
  let scratch: ScratchDirectory
  init() throws { scratch = try ScratchDirectory() }

  /// A server that has folders and files, as far as WebDAV says what becomes of PUT and MKCOL.
  final class Shelf: Sendable {
    struct Content {
      var folders: Set<String> = ["/"]
      var files: [String: [UInt8]] = [:]
      /// The addresses of all requests, with their methods, and how they were answered.
      var log: [(request: HostileServer.SeenRequest, status: Int)] = []
    }

    private let content = Mutex(Content())
    /// What a PUT is answered if its folder is missing.
    let missing: Int
    /// Answers requests in place of the shelf; nil if it answers itself. The number is that of the request to the
    /// address with this method, from 1.
    let deed: @Sendable (_ line: String, _ count: Int) -> String?

    init(
      missing: Int = 409, folders: Set<String> = [],
      _ deed: @escaping @Sendable (_ line: String, _ count: Int) -> String? = { _, _ in nil }
    ) {
      (self.missing, self.deed) = (missing, deed)
      content.withLock { $0.folders.formUnion(folders) }
    }

    var files: [String: [UInt8]] { content.withLock { $0.files } }
    var folders: Set<String> { content.withLock { $0.folders } }
    var log: [(request: HostileServer.SeenRequest, status: Int)] { content.withLock { $0.log } }
    /// The folders that were asked for, in order.
    var made: [String] {
      log.map(\.request.line).filter { $0.hasPrefix("MKCOL ") }.map {
        String($0.split(separator: " ")[1])
      }
    }
    func add(_ folder: String) { content.withLock { _ = $0.folders.insert(folder) } }
    func remove(_ folder: String) { content.withLock { _ = $0.folders.remove(folder) } }

    func answer(_ request: HostileServer.SeenRequest) -> String {
      let words = request.line.split(separator: " ").map(String.init)
      let (method, path) = (words[0], words[1])
      let count = content.withLock { content in
        content.log.count { $0.request.line == request.line } + 1
      }
      // Not within the lock: the test may hold an answer back.
      let own = deed("\(method) \(path)", count)
      return content.withLock { content in
        func reply(_ status: Int) -> String {
          content.log.append((request, status))
          return "HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n"
        }
        if let own {
          let status = Int(own.split(separator: " ").dropFirst().first ?? "") ?? 0
          content.log.append((request, status))
          return own
        }
        let steps = path.split(separator: "/", omittingEmptySubsequences: true).dropLast()
        let parent = steps.isEmpty ? "/" : "/\(steps.joined(separator: "/"))/"
        guard content.folders.contains(parent) else {
          return reply(method == "PUT" ? missing : 409)
        }
        if method == "PUT" {
          content.files[path] = request.body
          return reply(201)
        }
        // A name without its slash is one, too (RFC 4918 §5.2), but some servers refuse it.
        guard path.hasSuffix("/") else { return reply(409) }
        return reply(content.folders.insert(path).inserted ? 201 : 405)
      }
    }

    func serve() throws -> HostileServer {
      try HostileServer { connection, _ in
        while let request = connection.readRequest() {
          let answer = self.answer(request)
          if answer.isEmpty { return }
          connection.send(answer)
        }
      }
    }
  }

  private func target(_ server: HostileServer, _ address: String = "/dav/{file.path}") throws
    -> Target
  {
    let text = server.url("").absoluteString + address
    let template = try Template(
      text, scope: Template.Placeholder.ofFile, escaping: .url,
      lookup: Template.Lookup(environment: { _ in nil }))
    let start = text.prefix { $0 != "{" }
    var target = Target.once(try #require(URL(string: String(start))))
    target.address = template
    (target.method, target.body, target.folders) = ("PUT", .binary, .webdav)
    return target
  }

  /// Files with their folders, whose contents are their paths.
  private func jobs(_ paths: [String], to target: Target) throws -> [UploadJob] {
    let plan = SendPlan(target)
    return try paths.enumerated().map { index, path in
      let steps = path.split(separator: "/")
      var item = UploadItem.file(
        try scratch.write("f\(index)", Array(path.utf8)), id: Int64(index + 1))
      item.fileName = String(steps.last ?? "")
      item.folder = steps.dropLast().map { "\($0)/" }.joined()
      return UploadJob(item: item, destination: plan)
    }
  }

  private func send(
    _ paths: [String], to target: Target, lanes: Int = 8, preparesAhead: Bool = true
  ) async throws -> [ItemState] {
    let jobs = try jobs(paths, to: target)
    let harness = EngineHarness(lanes: lanes, preparesAhead: preparesAhead)
    harness.engine.submit(jobs)
    return await harness.finish(jobs.map(\.item.id))
  }

  /// A tree of `folders` folders in several levels, with three files in each.
  private static func tree(_ folders: Int, _ top: String = "t") -> [String] {
    var paths: [String] = []
    for number in 0..<folders {
      var (path, rest) = ("", number)
      repeat {
        path = "d\(rest % 4)/\(path)"
        rest /= 4
      } while rest > 0
      for file in 1...3 { paths.append("\(top)/\(path)\(file).txt") }
    }
    return paths
  }

  private static func folders(of paths: [String], in root: String) -> Set<String> {
    var folders: Set<String> = []
    for path in paths {
      let steps = path.split(separator: "/").dropLast()
      for count in 1...max(1, steps.count) where count <= steps.count {
        folders.insert(root + steps.prefix(count).map { "\($0)/" }.joined())
      }
    }
    return folders
  }

  @Test("Each missing folder is made once, from the top", arguments: [404, 409], [1, 8])
  func once(missing: Int, lanes: Int) async throws {
    let shelf = Shelf(missing: missing, folders: ["/dav/"])
    let server = try shelf.serve()
    defer { server.stop() }
    let paths = Self.tree(40)
    let ends = try await send(paths, to: target(server), lanes: lanes)
    #expect(ends.allSatisfy { $0.code == "done 201" }, "\(ends.map(\.code))")
    let expected = Dictionary(
      uniqueKeysWithValues: paths.map { ("/dav/\($0)", Array($0.utf8)) })
    #expect(shelf.files == expected)
    let folders = Self.folders(of: paths, in: "/dav/")
    #expect(shelf.made.count == folders.count && Set(shelf.made) == folders)
    #expect(shelf.log.count <= paths.count + folders.count + lanes)
    #expect(ends.allSatisfy { $0.receipt?.attempts == 1 }, "A missing folder costs no attempt.")
  }

  @Test("The folder that all files share is made as well, and those around it")
  func shared() async throws {
    for address in ["/dav/a/b/{file.path}", "/dav/a/b/{file.name}"] {
      // It takes a while, so that other folders would be asked for meanwhile.
      let shelf = Shelf(folders: ["/dav/"]) { line, _ in
        if line.hasPrefix("MKCOL /dav/a/ ") || line == "MKCOL /dav/a/b/" { usleep(200_000) }
        return nil
      }
      let server = try shelf.serve()
      defer { server.stop() }
      let ends = try await send(
        ["0", "t/1", "u/2", "u/v/3", "w/4"], to: target(server, address), lanes: 5)
      #expect(ends.allSatisfy { $0.code == "done 201" }, "\(ends.map(\.code))")
      let own: Set = ["/dav/a/b/t/", "/dav/a/b/u/", "/dav/a/b/u/v/", "/dav/a/b/w/"]
      let made = shelf.log.filter { $0.status == 201 && $0.request.line.hasPrefix("MKCOL") }
      #expect(
        shelf.folders.subtracting(["/", "/dav/"])
          == (address.contains("path") ? own : []).union(["/dav/a/", "/dav/a/b/"]))
      #expect(made.count == shelf.folders.count - 2)
      // Each of the two was found to be missing once.
      #expect(shelf.made.count <= made.count + 2, "\(shelf.made)")
    }
  }

  @Test("Where nothing is missing, nothing is made")
  func nothingMissing() async throws {
    let paths = Self.tree(10)
    let shelf = Shelf(folders: Self.folders(of: paths, in: "/dav/").union(["/dav/"]))
    let server = try shelf.serve()
    defer { server.stop() }
    let ends = try await send(paths, to: target(server))
    #expect(ends.allSatisfy { $0.code == "done 201" })
    #expect(shelf.made.isEmpty && shelf.log.count == paths.count)
  }

  @Test("Whatever folders are called, their names arrive")
  func names() async throws {
    let names = [
      "a#b", "100%", "50%25", "two  blanks", "über", "日本", "a&b=c", "q?x", "it's", "c:d", "x;y",
      "[z]",
      String(rawBytes: [0x66, 0xFC, 0x72]), "..b", "e\u{301}", "-",
    ]
    let shelf = Shelf(folders: ["/dav/"])
    let server = try shelf.serve()
    defer { server.stop() }
    let ends = try await send(names.map { "\($0)/sub/x" }, to: target(server))
    #expect(ends.allSatisfy { $0.code == "done 201" }, "\(ends.map(\.code))")
    let made = Set(
      shelf.made.compactMap { path in
        path.hasSuffix("/sub/")
          ? nil
          : String(rawBytes: PercentEncoding.decode(Array(path.dropFirst(5).dropLast().utf8)[...]))
      })
    #expect(made == Set(names), "\(shelf.made)")
  }

  @Test("A folder that cannot be made fails its files by its name, once; a retry tries again")
  func refused() async throws {
    let isMended = Mutex(false)
    let shelf = Shelf(folders: ["/dav/"]) { line, _ in
      guard line == "MKCOL /dav/t/no%20go/", !isMended.withLock({ $0 }) else { return nil }
      return "HTTP/1.1 403 No\r\nContent-Length: 5\r\n\r\nnever"
    }
    let server = try shelf.serve()
    defer { server.stop() }
    let paths = (1...9).map { "t/no go/\($0)" } + (1...9).map { "t/no go/in/\($0)" } + ["t/go/x"]
    let jobs = try jobs(paths, to: target(server))
    let harness = EngineHarness(lanes: 6)
    harness.engine.submit(jobs)
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.map(\.code) == Array(repeating: "no-folder", count: 18) + ["done 201"])
    for failure in ends.compactMap(\.failure) {
      #expect(failure.cause == .noFolder("t/no go", "403 Forbidden"))
      #expect(failure.status == 403 && failure.step == .folder && failure.attempts == 1)
      #expect(failure.reply.text == "never" && failure.arrival == .notArrived)
    }
    #expect(shelf.made.count { $0 == "/dav/t/no%20go/" } == 1)
    isMended.withLock { $0 = true }
    harness.forget()
    harness.engine.retry(Array(jobs.prefix(18)))
    let again = await harness.finish(jobs.prefix(18).map(\.item.id))
    #expect(again.allSatisfy { $0.code == "done 201" }, "\(again.map(\.code))")
  }

  @Test(
    "What passes by itself costs an attempt, and the folder is made then",
    arguments: ["HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", ""])
  func passing(reply: String) async throws {
    let shelf = Shelf(folders: ["/dav/"]) { line, count in
      line.hasPrefix("MKCOL") && count == 1 ? reply : nil
    }
    let server = try shelf.serve()
    defer { server.stop() }
    var target = try target(server)
    target.retry = RetryPolicy(attempts: 9, base: 0)
    let ends = try await send(["t/1", "t/2", "t/3"], to: target)
    #expect(ends.allSatisfy { $0.code == "done 201" }, "\(ends.map(\.code))")
    #expect(shelf.log.count { $0.status == 201 && $0.request.line.hasPrefix("MKCOL") } == 1)
  }

  @Test("A folder that is gone again is made again, but not in the attempt that has missed it")
  func gone() async throws {
    let shelf = Shelf(folders: ["/dav/"])
    let server = try shelf.serve()
    defer { server.stop() }
    let jobs = try jobs(["t/1", "t/2", "t/3"], to: target(server))
    let harness = EngineHarness(lanes: 1)
    harness.engine.submit([jobs[0]])
    #expect(await harness.finish([jobs[0].item.id]).map(\.code) == ["done 201"])
    shelf.remove("/dav/t/")
    harness.engine.submit([jobs[1]])
    #expect(await harness.finish([jobs[1].item.id]).map(\.code) == ["http-409"])
    harness.engine.submit([jobs[2]])
    #expect(await harness.finish([jobs[2].item.id]).map(\.code) == ["done 201"])
    #expect(shelf.made == ["/dav/t/", "/dav/t/"])
  }

  @Test("A 404 or 409 that has another reason is told after one more try")
  func another() async throws {
    let shelf = Shelf(folders: ["/dav/"]) { line, _ in
      line.hasPrefix("PUT /dav/t/taken ") || line == "PUT /dav/t/taken"
        ? "HTTP/1.1 409 Taken\r\nContent-Length: 0\r\n\r\n" : nil
    }
    let server = try shelf.serve()
    defer { server.stop() }
    let ends = try await send(["t/taken", "t/free"], to: target(server))
    #expect(ends.map(\.code) == ["http-409", "done 201"])
    #expect(shelf.log.count { $0.request.line.hasPrefix("PUT /dav/t/taken") } == 2)
    #expect(shelf.made == ["/dav/t/"])
  }

  @Test("A 409 by which the server says that it has the file is no sign of a missing folder")
  func duplicate() async throws {
    let shelf = Shelf { line, _ in
      line.hasPrefix("PUT") ? "HTTP/1.1 409 Have it\r\nContent-Length: 4\r\n\r\nhave" : nil
    }
    let server = try shelf.serve()
    defer { server.stop() }
    var target = try target(server)
    target.response.duplicates = [ReplySign(status: 409)]
    let ends = try await send(["t/1"], to: target)
    #expect(ends.first?.receipt?.wasThere == true, "\(ends)")
    #expect(shelf.log.count == 1)
  }

  @Test("A file that waits for a folder can be cancelled; the others get their folder")
  func cancelled() async throws {
    let (gate, asked) = (Gate(), Gate())
    let shelf = Shelf(folders: ["/dav/"]) { line, _ in
      if line.hasPrefix("MKCOL") {
        asked.open()
        gate.pass()
      }
      return nil
    }
    let server = try shelf.serve()
    defer { server.stop() }
    let jobs = try jobs((1...4).map { "t/\($0)" }, to: target(server))
    let ids = jobs.map(\.item.id)
    let harness = EngineHarness(lanes: 4)
    harness.engine.submit([jobs[0]])
    await asked.passed()
    // The folder is known to be missing, so nothing is sent of these files before it is there.
    harness.engine.submit(Array(jobs[1...]))
    await harness.wait { states in
      ids[1...].allSatisfy { states[$0]?.last == .preparing(attempt: 1) }
    }
    harness.engine.cancel([ids[0], ids[2]])
    let ends = await harness.finish([ids[0], ids[2]])
    #expect(ends.map(\.code) == ["cancelled", "cancelled"])
    gate.open()
    #expect(await harness.finish([ids[1], ids[3]]).map(\.code) == ["done 201", "done 201"])
    #expect(shelf.made == ["/dav/t/"])
  }

  @Test("The request for a folder has the credentials, and nothing that is about the file")
  func headers() async throws {
    let shelf = Shelf(folders: ["/dav/"])
    let server = try shelf.serve()
    defer { server.stop() }
    var target = try target(server)
    target.headers = [
      .init(name: "Authorization", value: Template(literal: "Bearer x")),
      .init(name: "X-OC-MTime", value: try Template("{file.mtime.unix_s}")),
      .init(name: "If-None-Match", value: Template(literal: "*")),
      .init(name: "X-Name", value: try Template("{file.name}")),
      .init(name: "X-Own", value: Template(literal: "1")),
    ]
    #expect(try await send(["t/1"], to: target).map(\.code) == ["done 201"])
    let made = try #require(shelf.log.first { $0.request.line.hasPrefix("MKCOL") }).request
    #expect(made.headers["authorization"] == "Bearer x" && made.headers["x-own"] == "1")
    for name in ["x-oc-mtime", "if-none-match", "x-name", "content-type"] {
      #expect(made.headers[name] == nil, "\(name)")
    }
    let put = try #require(shelf.log.last { $0.request.line.hasPrefix("PUT") }).request
    #expect(put.headers["if-none-match"] == "*" && put.headers["x-name"] == "1")
  }

  @Test("Refused credentials stop everything, as for files")
  func credentials() async throws {
    let shelf = Shelf(folders: ["/dav/"]) { line, _ in
      line.hasPrefix("MKCOL") ? "HTTP/1.1 401 Who\r\nContent-Length: 0\r\n\r\n" : nil
    }
    let server = try shelf.serve()
    defer { server.stop() }
    let ends = try await send((1...6).map { "t/\($0)" }, to: target(server), lanes: 2)
    #expect(ends.prefix(2).allSatisfy { $0.code == "http-401" }, "\(ends.map(\.code))")
    #expect(ends.dropFirst(2).allSatisfy { $0.code == "not-tried" }, "\(ends.map(\.code))")
    // The other lane may have asked before it was known.
    #expect((1...2).contains(shelf.made.count))
  }
}
