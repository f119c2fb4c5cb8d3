import Foundation
import TestSupport
import Testing

/// `hoist trust`, from a server that nobody knows to an upload into it.
@Suite(.timeLimit(.minutes(5)))
struct TrustTests {
  @Test(.needs("openssl", "nginx")) func aPinnedServerTakesUploadsAndAnImpostorDoesNot() throws {
    let folder = try ScratchDirectory()
    let file = try folder.write("a.txt", Array("hello".utf8))
    let authority = try CertificateAuthority()
    let host = NginxServer.freshHost()
    let server = try NginxServer([.init(host, try authority.selfSigned(host))])
    let config = folder.path("config.toml")
    let url = server.url(host).absoluteString
    let environment = ["HOME": folder.path]

    let refused = try Tool.hoist(
      ["push", file, "--to", url, "--attempts", "1"], environment: environment)
    #expect(refused.status == 1)
    let unasked = try Tool.hoist(["trust", url, "--config", config], environment: environment)
    #expect(unasked.status == 2)
    #expect(!FileManager.default.fileExists(atPath: config))

    let trusted = try Tool.hoist(
      ["trust", url, "--config", config, "--target", "nas", "--yes"], environment: environment)
    #expect(trusted.status == 0, "\(trusted.errors)")
    #expect(trusted.output.contains("CN=\(host)"))
    #expect(trusted.output.contains("self-signed"))
    let pushed = try Tool.hoist(
      ["push", file, "--to", "nas", "--config", config], environment: environment)
    #expect(pushed.status == 0, "\(pushed.errors)")
    #expect(server.stop().map(\.status) == [201])

    // Another key at the same address.
    let impostor = try NginxServer([.init(host, try authority.selfSigned(host))], port: server.port)
    let warned = try Tool.hoist(
      ["push", file, "--to", "nas", "--config", config, "--json"], environment: environment)
    #expect(warned.status == 1)
    #expect(warned.output.contains("\"insecure\""), "\(warned.output)")
    #expect(warned.output.contains("pin the new one with hoist trust"), "\(warned.output)")
    // If the key was changed on purpose, that is done.
    let again = try Tool.hoist(
      ["trust", "nas", "--config", config, "--yes"], environment: environment)
    #expect(again.status == 0 && again.errors.contains("will replace the pin"), "\(again)")
    let sent = try Tool.hoist(
      ["push", file, "--to", "nas", "--config", config], environment: environment)
    #expect(sent.status == 0, "\(sent.errors)")
    #expect(impostor.stop().map(\.status) == [201])
  }

  /// A pin belongs to a target, so what a push to a bare address could not send goes to the target that has the pin.
  @Test(.needs("openssl", "nginx")) func whatFailedAtAnAddressGoesToItsTarget() throws {
    let folder = try ScratchDirectory()
    let file = try folder.write("a.txt", Array("hello".utf8))
    let host = NginxServer.freshHost()
    let server = try NginxServer([.init(host, try CertificateAuthority().selfSigned(host))])
    let (url, report) = (server.url(host).absoluteString, folder.path("r.json"))
    let config = ["--config", folder.path("config.toml")]
    try folder.write("config.toml", [])
    let environment = ["HOME": folder.path]
    let refused = try Tool.hoist(
      ["push", file, "--to", url, "--attempts", "1", "--report", report] + config,
      environment: environment)
    #expect(refused.errors.contains("then send to the target that it names (--to)"))
    let command = try #require(
      refused.errors.firstMatch(of: /hoist (push --retry-failed .*) --to NAME/), "\(refused)")
    let trusted = try Tool.hoist(["trust", url, "--yes"] + config, environment: environment)
    let name = try #require(trusted.errors.firstMatch(of: /--to (\S+)/), "\(trusted)").1
    let sent = try Tool.hoist(
      command.1.split(separator: " ").map(String.init) + ["--to", String(name)],
      environment: environment)
    #expect(sent.status == 0, "\(sent)")
    #expect(server.stop().map(\.status) == [201])
  }

  @Test(.needs("openssl", "nginx")) func anAuthorityThatIsNamedIsTrusted() throws {
    let folder = try ScratchDirectory()
    let file = try folder.write("a.txt", Array("hello".utf8))
    let authority = try CertificateAuthority()
    let host = NginxServer.freshHost()
    let server = try NginxServer([.init(host, try authority.issue(host))])
    let report = folder.path("r.json")
    func configured(_ tls: String) throws -> [String] {
      let table = "[targets.nas]\nurl = \"\(server.url(host))\"\nretry = { attempts = 1 }\n\(tls)\n"
      return ["--config", try folder.write("config.toml", Array(table.utf8))]
    }
    let environment = ["HOME": folder.path]
    let refused = try Tool.hoist(
      ["push", file, "--to", "nas", "--report", report] + configured(""), environment: environment)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("Check the certificate and the target's TLS settings"))
    let sent = try Tool.hoist(
      ["push", "--retry-failed", report]
        + configured("tls = { ca_file = \"\(authority.root.file)\" }"), environment: environment)
    #expect(sent.status == 0, "\(sent.errors)")
    #expect(server.stop().map(\.status) == [201])
  }

  @Test func aPortWithoutTLSIsCalledThat() throws {
    let plain = try HostileServer { connection, _ in
      connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
      connection.drain()
    }
    defer { plain.stop() }
    let looked = try Tool.hoist(["trust", "https://127.0.0.1:\(plain.port)/"])
    #expect(looked.status != 0)
    #expect(looked.errors.contains("127.0.0.1 does not speak TLS on this port"), "\(looked.errors)")
  }
}
