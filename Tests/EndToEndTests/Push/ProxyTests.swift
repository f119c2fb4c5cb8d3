import Foundation
import TestSupport
import Testing

/// Proxies are found where curl finds them: in the environment.
@Suite(.timeLimit(.minutes(5)))
struct ProxyTests {
  let folder: ScratchDirectory
  let file: String

  init() throws {
    folder = try ScratchDirectory()
    file = try folder.write("a.txt", Array("hello".utf8))
  }

  private static let stored = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"

  private func push(
    to url: String, _ environment: [String: String]
  ) throws -> (status: Int32, output: String, errors: String) {
    try Tool.hoist(
      ["push", file, "--to", url, "--attempts", "1"],
      environment: environment.merging(["HOME": folder.path]) { old, _ in old })
  }

  @Test func plainUploadsGoThroughTheProxy() throws {
    let proxy = try HostileServer.answering(Self.stored)
    defer { proxy.stop() }
    let result = try push(
      to: "http://upload.invalid/upload", ["http_proxy": "http://127.0.0.1:\(proxy.port)"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(proxy.requests.map(\.line) == ["POST http://upload.invalid/upload HTTP/1.1"])
  }

  @Test func noProxyGoesPastIt() throws {
    let proxy = try HostileServer.answering("HTTP/1.1 502 Bad\r\nContent-Length: 0\r\n\r\n")
    let server = try HostileServer.answering(Self.stored)
    defer {
      proxy.stop()
      server.stop()
    }
    let environment = ["http_proxy": "http://127.0.0.1:\(proxy.port)", "no_proxy": "127.0.0.1"]
    let result = try push(to: server.url().absoluteString, environment)
    #expect(result.status == 0, "\(result.errors)")
    #expect(server.requests.map(\.line) == ["POST /upload HTTP/1.1"])
    #expect(proxy.requests.isEmpty)
  }

  /// The server may be well: what is named is who could not be reached.
  @Test(arguments: ["http", "https"])
  func aDeadProxyIsNotCalledADeadServer(_ scheme: String) throws {
    let port = try HostileServer.closedPort()
    let result = try push(
      to: "\(scheme)://upload.invalid/upload",
      ["\(scheme)_proxy": "http://me:hunter2@127.0.0.1:\(port)"])
    #expect(result.status == 1)
    #expect(result.errors.contains("proxy unreachable"), "\(result.errors)")
    #expect(result.errors.contains("127.0.0.1:\(port)"))
    #expect(!result.errors.contains("Check that the server is running"))
    #expect(!result.errors.contains("hunter2"))
  }

  @Test func secureUploadsAskForATunnel() throws {
    let proxy = try HostileServer.answering("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
    defer { proxy.stop() }
    let result = try push(
      to: "https://upload.invalid/upload", ["https_proxy": "http://127.0.0.1:\(proxy.port)"])
    #expect(result.status == 1)
    #expect(proxy.requests.map(\.line) == ["CONNECT upload.invalid:443 HTTP/1.1"])
    #expect(result.errors.contains("proxy unreachable"), "\(result.errors)")
  }

  /// A proxy that wants credentials is asked once, with a tunnel or without one, and gets them from its address.
  @Test(arguments: ["http", "https"])
  func aProxyThatWantsCredentialsIsAskedOnce(_ scheme: String) throws {
    let proxy = try HostileServer.answering(
      "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\n\r\n")
    defer { proxy.stop() }
    func push(_ address: String) throws -> (status: Int32, output: String, errors: String) {
      try Tool.hoist(
        ["push", file, "--to", "\(scheme)://upload.invalid/upload", "--json"],
        environment: ["HOME": folder.path, "\(scheme)_proxy": address])
    }
    let result = try push("http://127.0.0.1:\(proxy.port)")
    #expect(result.status == 1 && proxy.requests.count == 1, "\(result)")
    #expect(result.output.contains(#""cause":"http-407""#), "\(result)")
    #expect(
      result.output.contains(
        "The proxy on the way to the server refused it: 407 Proxy Authentication Required. Retrying will not help: the "
          + "proxy requires credentials. Put them into its address, in the environment variable that names it"
      ), "\(result)")
    let again = try push("http://me:hunter2@127.0.0.1:\(proxy.port)")
    #expect(proxy.requests.last?.headers["proxy-authorization"] == "Basic bWU6aHVudGVyMg==")
    #expect(!again.output.contains("hunter2") && !again.errors.contains("hunter2"))
  }

  /// Nothing is learnt about the server, which could resume.
  @Test(arguments: ["http", "https"])
  func aQuestionToTheServerIsNotAnsweredByTheProxy(_ scheme: String) throws {
    let proxy = try HostileServer.answering(
      "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\n\r\n")
    defer { proxy.stop() }
    let table = "[targets.t]\nurl = \"\(scheme)://upload.invalid/upload\"\nresume = \"tus\"\n"
    let config = try folder.write("config.toml", Array(table.utf8))
    for number in 1...2 {
      let result = try Tool.hoist(
        ["push", file, "--to", "t", "--config", config],
        environment: ["HOME": folder.path, "\(scheme)_proxy": "http://127.0.0.1:\(proxy.port)"])
      #expect(result.errors.contains("the proxy requires credentials"), "\(result)")
      #expect(proxy.requests.count == number)
      let line =
        scheme == "http" ? "OPTIONS http://upload.invalid/upload" : "CONNECT upload.invalid:443"
      #expect(proxy.requests.last?.line == "\(line) HTTP/1.1")
    }
  }

  /// libcurl gives the transport the head of the proxy's answer, too: a 200 that says nothing of the file.
  @Test(.needs("openssl", "nginx")) func whatTheProxySaysOfTheTunnelIsNoReply() async throws {
    let authority = try CertificateAuthority()
    let certificate = try authority.issue("upload.invalid")
    let python = Person.repository.appendingPathComponent(".build/peers/bin/python3").path
    let script = Person.repository.appendingPathComponent("Tests/Peers/tunnel.py").path
    let proxy = try Program(
      python, [script, certificate.file, certificate.key], environment: [:],
      directory: folder.path)
    let port = try await wait(for: "the proxy", otherwise: { proxy.errors }) {
      Int(proxy.output.trimmingCharacters(in: .newlines))
    }
    let configuration = try folder.write(
      "config.toml",
      Array(
        """
        [targets.far]
        url = "https://upload.invalid/upload"
        tls = { ca_file = "\(authority.root.file)" }
        """.utf8))
    let result = try Tool.hoist(
      ["push", file, "--config", configuration, "--to", "far", "--attempts", "1", "--json"],
      environment: ["HOME": folder.path, "https_proxy": "http://127.0.0.1:\(port)"])
    #expect(result.status == 1)
    #expect(result.output.contains("outcome-unknown"), "\(result.output)\(result.errors)")
  }
}
