import Foundation
import Synchronization
import TestSupport
import Testing
import UploadEngine
import UploadModel

@testable import Screens
@testable import Sessions

@Suite("A new target")
struct NewTargetTests {
  @Test("services are listed by the names that people see")
  func services() {
    let titles = ServiceChoice.all.map { $0.title.lowercased() }
    #expect(titles.count > 20 && titles == titles.sorted(), "\(titles)")
  }

  @Test("closing the questions while the target is tried makes no target", .timeLimit(.minutes(3)))
  func cancelled() async throws {
    let (asked, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let server = try HostileServer { connection, _ in
      guard connection.readHead() != nil else { return }
      asked.signal()
      isOver.wait()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let config = ConfigSource(named: try folder.write("config.toml", []), environment: [:])
    let url = server.url().absoluteString
    let trial = Task {
      try await NewTarget.make(TargetAnswers(url: url, name: ""), isGoodEnough: false, in: config)
    }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        asked.wait()
        continuation.resume()
      }
    }
    trial.cancel()
    _ = await trial.result
    isOver.signal()
    #expect(try String(contentsOfFile: config.path, encoding: .utf8) == "")
  }

  /// A server that answers every request alike.
  private static func server(_ status: String) throws -> HostileServer {
    try HostileServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n")
    }
  }

  @Test(
    "the screen knows which targets keep files of one name apart, and which name files themselves")
  func names() throws {
    let folder = try ScratchDirectory()
    let text = """
      [targets.a]
      url = "https://a/"
      [targets.b]
      url = "https://b/"
      same_names = true
      [targets.c]
      url = "https://c/"
      file_name = "{uuid}.{file.ext}"
      """
    let config = ConfigSource(
      named: try folder.write("config.toml", Array(text.utf8)), environment: [:])
    let url = try #require(URL(string: "https://a/"))
    let rows = TargetCatalog(Target(name: "a", url: url), settings: try config.load()).rows
    #expect(rows.map(\.takesSameNames) == [false, true, false])
    #expect(rows.map(\.namesFiles) == [false, false, true])
  }

  @Test("an address that answers 404 is written only if somebody says so, and nothing else changes")
  func changed() async throws {
    let server = try Self.server("404 Not Found")
    defer { server.stop() }
    let text =
      "# mine\n[targets.a]\nurl = \"https://a/\" # old\n[targets.b]\nurl = \"https://b/\"\n"
    let folder = try ScratchDirectory()
    let config = ConfigSource(
      named: try folder.write("config.toml", Array(text.utf8)), environment: [:])
    func written() throws -> String { try String(contentsOfFile: config.path, encoding: .utf8) }
    let old = TargetRow(name: "a", url: "https://a/")
    let new = TargetRow(name: "c", url: server.url().absoluteString, isUsual: true)
    func change(to new: TargetRow, isGoodEnough: Bool) async -> NewTarget.Refusal? {
      do throws(NewTarget.Refusal) {
        try await NewTarget.change(old, to: new, isGoodEnough: isGoodEnough, in: config)
        return nil
      } catch {
        return error
      }
    }
    var refusal = await change(to: new, isGoodEnough: false)
    #expect(refusal?.isGoodEnough == true && refusal?.words.contains("404 Not Found") == true)
    #expect(try written() == text)
    refusal = await change(to: TargetRow(name: "b", url: old.url), isGoodEnough: false)
    #expect(refusal?.part == .name && refusal?.isGoodEnough == false)
    refusal = await change(to: TargetRow(name: "a", url: "ftp://x"), isGoodEnough: false)
    #expect(refusal?.part == .url && refusal?.isGoodEnough == false)
    #expect(try written() == text)
    #expect(await change(to: new, isGoodEnough: true) == nil)
    #expect(
      try written()
        == "default_target = \"c\"\n\n"
        + text.replacing("targets.a", with: "targets.c")
        .replacing("\"https://a/\"", with: "\"\(new.url)\""))
  }

  @Test("hoist's own receiver is noticed, and needs no more than its address")
  func receiver() async throws {
    let needsToken = Mutex(false)
    let server = try HostileServer { connection, _ in
      guard let request = connection.readHead() else { return }
      switch request.line.split(separator: " ").first {
      case "OPTIONS":
        connection.send("HTTP/1.1 204 No Content\r\nUpload-Draft-Interop-Version: 10\r\n\r\n")
      case "GET" where needsToken.withLock({ $0 }) && request.headers["authorization"] == nil:
        connection.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
      case "GET":
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{\"files\":[]}")
      default: connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let config = ConfigSource(
      named: try folder.write("config.toml", []), environment: ["TOKEN": "t"])
    let url = server.url().deletingLastPathComponent()
    for (number, written) in [url, server.url()].enumerated() {
      needsToken.withLock { $0 = number == 1 }
      let answers = TargetAnswers(
        url: written.absoluteString, name: "a\(number)", field: "file",
        token: number == 0 ? "" : "$TOKEN")
      _ = try await NewTarget.make(answers, isGoodEnough: false, in: config)
    }
    let text = try String(contentsOfFile: config.path, encoding: .utf8)
    #expect(
      text.hasSuffix(
        """
        [targets.a0]
        type = "hoist"
        url = "\(url.absoluteString)"

        [targets.a1]
        type = "hoist"
        url = "\(url.absoluteString)"
        auth = { bearer = "{env.TOKEN}" }

        """), "\(text)")
  }

  @Test("hoist's own receiver is noticed as soon as it takes the token")
  func receiverWithToken() async throws {
    let server = try HostileServer { connection, _ in
      guard let request = connection.readHead() else { return }
      let method = request.line.split(separator: " ").first
      if request.headers["authorization"] != "Bearer good-token" {
        connection.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
      } else if method == "OPTIONS" {
        connection.send("HTTP/1.1 204 No Content\r\nUpload-Draft-Interop-Version: 10\r\n\r\n")
      } else {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n")
        if method == "GET" { connection.send("{\"files\":[]}") }
      }
    }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let config = ConfigSource(named: try folder.write("config.toml", []), environment: [:])
    let url = server.url().deletingLastPathComponent().absoluteString
    func make(
      _ name: String, _ token: String, field: String = "", isGoodEnough: Bool
    ) async -> NewTarget.Refusal? {
      var answers = TargetAnswers(url: url, name: name, token: token)
      answers.field = field
      do throws(NewTarget.Refusal) {
        _ = try await NewTarget.make(answers, isGoodEnough: isGoodEnough, in: config)
        return nil
      } catch {
        return error
      }
    }
    // Without a token, the refusal is asked about as well.
    let refusal = await make("a", "", isGoodEnough: false)
    #expect(refusal?.part == .token && refusal?.isGoodEnough == true)
    #expect(
      refusal?.words
        == "127.0.0.1: asks for credentials, and the target has none: 401 Unauthorized")
    #expect(try config.load().targetNames.isEmpty)

    for (name, token) in [("a", ""), ("b", "bad-token")] {
      #expect(await make(name, token, isGoodEnough: true) == nil)
    }
    // A field of its own says that another kind of server is meant.
    #expect(await make("c", "bad-token", field: "data", isGoodEnough: true) == nil)
    for name in ["a", "b", "c"] {
      let row = TargetRow(name: name, url: url, isUsual: name == "a")
      try await NewTarget.change(
        row, to: row, token: "good-token", isGoodEnough: false, in: config)
    }
    let text = try String(contentsOfFile: config.path, encoding: .utf8)
    for name in ["a", "b"] {
      #expect(text.contains("[targets.\(name)]\ntype = \"hoist\"\n"), "\(text)")
      let target = try config.load().blueprint(of: name)
      #expect(target?.url.path == "/upload" && target?.resume.mode == .http, "\(text)")
    }
    #expect(try config.load().blueprint(of: "c")?.url.absoluteString == url)
    #expect(!text.contains("good-token"))
  }

  @Test(
    "where uploads can resume, they do",
    arguments: [
      ("Tus-Resumable: 1.0.0", "resume = \"tus\"\n"),
      ("Upload-Limit: max-size=9", "resume = \"http\"\n"),
      ("Allow: POST", ""),
    ])
  func resuming(_ header: String, _ line: String) async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 204 No Content\r\n\(header)\r\n\r\n")
    }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let config = ConfigSource(named: try folder.write("config.toml", []), environment: [:])
    let answers = TargetAnswers(
      url: server.url().absoluteString, name: "a", field: "file")
    _ = try await NewTarget.make(answers, isGoodEnough: false, in: config)
    let text = try String(contentsOfFile: config.path, encoding: .utf8)
    #expect(
      text.contains("resume = ") == !line.isEmpty && (line.isEmpty || text.contains(line)),
      "\(text)")
  }

  @Test("a token can lie in a file, and never in the configuration")
  func tokenInAFile() async throws {
    let server = try Self.server("200 OK")
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let config = ConfigSource(
      named: try folder.write("config.toml", []), environment: ["HOME": folder.path])
    func make(_ token: String) async -> NewTarget.Refusal? {
      let answers = TargetAnswers(url: server.url().absoluteString, name: "a", token: token)
      do throws(NewTarget.Refusal) {
        _ = try await NewTarget.make(answers, isGoodEnough: false, in: config)
        return nil
      } catch {
        return error
      }
    }
    let missing = await make("~/token")
    #expect(missing?.part == .token && missing?.words.contains("no readable file") == true)
    try folder.write("token", Array("s3cret\n".utf8))
    #expect(await make("~/token") == nil)
    let text = try String(contentsOfFile: config.path, encoding: .utf8)
    #expect(text.contains("bearer_command = [ \"cat\", \"\(folder.path)/token\" ]"), "\(text)")
    #expect(!text.contains("s3cret"))
  }

  /// A server that takes only one token, and keeps every request's.
  private static func guarded(by token: String) throws -> HostileServer {
    try HostileServer { connection, _ in
      guard let request = connection.readHead() else { return }
      let isGood = request.headers["authorization"] == "Bearer \(token)"
      let status = isGood ? "200 OK" : "401 Unauthorized"
      connection.send("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n")
    }
  }

  private static func files(in folder: ScratchDirectory) throws -> [String] {
    let secrets = folder.path + "/secrets"
    return ((try? FileManager.default.contentsOfDirectory(atPath: secrets)) ?? []).sorted()
  }

  @Test("a token that is typed is tried, is in a file that only its owner can read, and can change")
  func typedToken() async throws {
    let server = try Self.guarded(by: "good-token")
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let config = ConfigSource(
      named: try folder.write("config.toml", []), environment: ["HOME": folder.path, "VAR": "x"])
    func make(_ token: String, isGoodEnough: Bool = false) async -> NewTarget.Refusal? {
      let answers = TargetAnswers(url: server.url().absoluteString, name: "my.box", token: token)
      do throws(NewTarget.Refusal) {
        _ = try await NewTarget.make(answers, isGoodEnough: isGoodEnough, in: config)
        return nil
      } catch {
        return error
      }
    }
    func text() throws -> String { try String(contentsOfFile: config.path, encoding: .utf8) }
    // What is refused leaves nothing behind.
    let wrong = await make("bad-token")
    #expect(wrong?.part == .token && wrong?.isGoodEnough == true)
    #expect(wrong?.words.contains("refuses the credentials: 401") == true)
    #expect(wrong?.words.contains("bad-token") == false)
    #expect(await make("VAR")?.words.contains("put $ before it") == true)
    #expect(await make("$UNSET")?.isGoodEnough == true)
    #expect(try Self.files(in: folder).isEmpty && text().isEmpty)

    #expect(await make("good-token") == nil)
    #expect(try Self.files(in: folder) == ["my-box"])
    let file = folder.path + "/secrets/my-box"
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try mode(file) == 0o600 && mode(folder.path + "/secrets") == 0o700)
    #expect(try text().contains("bearer = \"{secret.my-box}\"") && !text().contains("good-token"))
    let written = try text()

    // A new one replaces it, if the server takes it or somebody says so.
    let row = TargetRow(name: "my.box", url: server.url().absoluteString, isUsual: true)
    func change(_ token: String, isGoodEnough: Bool = false) async -> NewTarget.Refusal? {
      do throws(NewTarget.Refusal) {
        try await NewTarget.change(
          row, to: row, token: token, isGoodEnough: isGoodEnough, in: config)
        return nil
      } catch {
        return error
      }
    }
    func secret() throws -> String { try String(contentsOfFile: file, encoding: .utf8) }
    #expect(await change("other-token")?.part == .token)
    #expect(try secret() == "good-token\n")
    #expect(await change("other-token", isGoodEnough: true) == nil)
    #expect(try secret() == "other-token\n" && mode(file) == 0o600 && text() == written)
    #expect(await change("good-token") == nil)
    // From now on, it is in a variable.
    #expect(await change("$VAR", isGoodEnough: true) == nil)
    #expect(try text().contains("bearer = \"{env.VAR}\""))
  }

  @Test("a target of a recipe is made from the form's answers")
  func service() async throws {
    let server = try Self.guarded(by: "good-token")
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let config = ConfigSource(named: try folder.write("config.toml", []), environment: [:])
    var answers = TargetAnswers(url: "", name: "")
    answers.service = "webdav"
    func make() async -> NewTarget.Refusal? {
      do throws(NewTarget.Refusal) {
        _ = try await NewTarget.make(answers, isGoodEnough: false, in: config)
        return nil
      } catch {
        return error
      }
    }
    let url = server.url().absoluteString
    for (replies, number) in [
      (["", "", ""], 0), (["non sense", "", ""], 0), (["http://nas" + url, "", ""], 0),
      (["http://127.0.0.1:\(try HostileServer.closedPort())", "", ""], 0), ([url, "me", ""], 2),
      ([url, "", "bad-token"], 2),
    ] {
      answers.replies = replies
      #expect(await make()?.part == .answer(number), "\(replies)")
      #expect(try Self.files(in: folder).isEmpty)
    }
    answers.replies = [url, "", "good-token"]
    #expect(await make() == nil)
    let text = try String(contentsOfFile: config.path, encoding: .utf8)
    #expect(text.hasPrefix("default_target = \"webdav\"\n") && !text.contains("good-token"))
    #expect(text.contains("\nauth = { bearer = \"{secret.webdav_password}\" }\n"), "\(text)")
    #expect(try Self.files(in: folder) == ["webdav-WEBDAV_PASSWORD"])
    // A public folder.
    answers.replies = [url, "", ""]
    #expect(await make() == nil)
    #expect(try config.load().targetNames == ["webdav", "webdav-2"])
    #expect(try config.load().blueprint(of: "webdav-2")?.headers.isEmpty == true)
  }

  @Test(
    "an error in a service's form names the field, and not where that goes in the configuration")
  func fieldOfAService() async throws {
    let folder = try ScratchDirectory()
    let config = ConfigSource(named: try folder.write("config.toml", []), environment: [:])
    var answers = TargetAnswers(url: "", name: "")
    answers.service = "webdav"
    answers.replies = ["https://h.example/dav", "me:you", "pass-word"]
    let refusal = await #expect(throws: NewTarget.Refusal.self) {
      _ = try await NewTarget.make(answers, isGoodEnough: true, in: config)
    }
    #expect(refusal?.part == .answer(1))
    #expect(refusal?.words.hasSuffix(": a user name cannot contain a colon") == true)
    #expect(refusal?.words.contains("targets.") == false, "\(String(describing: refusal))")
  }

  @Test("a port that does not speak TLS is told from one that does not answer")
  func plainPort() async throws {
    let server = try HostileServer { connection, _ in
      connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
      connection.drain()
    }
    defer { server.stop() }
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/up"))
    let obstacle = await ServerClient(target: Target(name: "a", url: url)).obstacle()
    #expect(obstacle == "no secure connection: 127.0.0.1 does not speak TLS on this port")
  }

  @Test(
    "logging in says whether the server takes the credentials",
    arguments: [
      ("401 Unauthorized", "asks for credentials, and the target has none"),
      ("403 Forbidden", "refuses the credentials"), ("405 Method Not Allowed", nil),
    ])
  func loggedIn(_ status: String, _ words: String?) async throws {
    let server = try Self.server(status)
    defer { server.stop() }
    let obstacle = await ServerClient(target: Target(name: "a", url: server.url())).logIn()?.words
    #expect(obstacle == words.map { "\($0): \(status)" })
  }

  @Test("a proxy that wants credentials is not taken for the server")
  func behindAProxy() async throws {
    let proxy = try Self.server("407 Proxy Authentication Required")
    defer { proxy.stop() }
    let client = ServerClient(target: Target(name: "a", url: proxy.url()))
    let words = "the proxy on the way requires credentials: 407 Proxy Authentication Required"
    #expect(await client.logIn()?.words == words)
    #expect(await client.obstacle() == words)
  }
}
