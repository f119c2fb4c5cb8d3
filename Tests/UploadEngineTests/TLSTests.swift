import Foundation
import HTTPTransport
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// Who is trusted, and who is not. Each test has an honest server beside the other one, which must not
/// be disturbed.
@Suite(.timeLimit(.minutes(5)), .needs("openssl", "nginx"))
struct TLSTests {
  let folder: ScratchDirectory
  let authority: CertificateAuthority

  init() throws {
    folder = try ScratchDirectory()
    authority = try CertificateAuthority()
  }

  /// What a server shows, which rules its target has, and what must come of it.
  struct Case: Sendable, CustomTestStringConvertible {
    enum Shown { case signed, expired, wrongName, selfSigned }
    enum Pinned { case nothing, itsKey, anotherKey }

    let shown: Shown
    var trustsAuthority = false
    var pinned = Pinned.nothing
    let end: String
    var words = ""

    var testDescription: String {
      "\(shown), \(trustsAuthority ? "ca_file" : "no ca_file"), pinned: \(pinned) → \(end)"
    }
  }

  static let cases = [
    Case(shown: .signed, trustsAuthority: true, end: "done 201"),
    Case(shown: .signed, end: "insecure", words: "unable to get local issuer certificate"),
    Case(
      shown: .expired, trustsAuthority: true, end: "insecure", words: "certificate has expired"),
    Case(
      shown: .wrongName, trustsAuthority: true, end: "insecure",
      words: "no alternative certificate subject name matches"),
    Case(shown: .selfSigned, end: "insecure", words: "self-signed certificate"),
    Case(
      shown: .selfSigned, trustsAuthority: true, end: "insecure", words: "self-signed certificate"),
    // The pin alone: the holder of the key is the server.
    Case(shown: .selfSigned, pinned: .itsKey, end: "done 201"),
    Case(shown: .wrongName, pinned: .itsKey, end: "done 201"),
    Case(shown: .expired, pinned: .itsKey, end: "done 201"),
    Case(shown: .selfSigned, pinned: .anotherKey, end: "insecure", words: "hoist trust"),
    Case(
      shown: .signed, pinned: .anotherKey, end: "insecure", words: "does not have the pinned key"),
    // Both: nothing is let off.
    Case(shown: .signed, trustsAuthority: true, pinned: .itsKey, end: "done 201"),
    Case(
      shown: .signed, trustsAuthority: true, pinned: .anotherKey, end: "insecure",
      words: "does not have the pinned key"),
    Case(
      shown: .expired, trustsAuthority: true, pinned: .itsKey, end: "insecure",
      words: "certificate has expired"),
    Case(
      shown: .wrongName, trustsAuthority: true, pinned: .itsKey, end: "insecure",
      words: "no alternative certificate subject name matches"),
    Case(
      shown: .selfSigned, trustsAuthority: true, pinned: .itsKey, end: "insecure",
      words: "self-signed certificate"),
  ]

  @Test(arguments: cases)
  func trust(_ row: Case) async throws {
    let host = NginxServer.freshHost()
    let certificate =
      switch row.shown {
      case .signed: try authority.issue(host)
      case .expired: try authority.issue(host, days: 0)
      case .wrongName: try authority.issue("other.localhost")
      case .selfSigned: try authority.selfSigned(host)
      }
    let bystander = try Bystander(authority)
    let server = try NginxServer([.init(host, certificate), bystander.site])

    var rules = TLSRules()
    if row.trustsAuthority { rules.caFile = authority.root.file }
    switch row.pinned {
    case .nothing: break
    case .itsKey: rules.pin = PublicKeyPin(try certificate.pin())
    case .anotherKey: rules.pin = PublicKeyPin(try authority.root.pin())
    }
    var target = Target.once(server.url(host))
    target.tls = rules
    let ends = try await upload(to: [target, bystander.target(on: server)])
    #expect(ends.map(\.code) == [row.end, "done 201"], "\(ends)")
    if !row.words.isEmpty {
      let explanation = ends.first?.failure?.explanation ?? ""
      #expect(explanation.contains(row.words), "\(explanation)")
      #expect(ends.first?.failure?.attempts == 1)
    }

    let requests = server.stop().filter { $0.host == host }
    #expect(requests.map(\.status) == (row.end == "done 201" ? [201] : []), "nothing was sent")
  }

  @Test(arguments: [true, false])
  func aServerMayAskForACertificate(_ isGiven: Bool) async throws {
    let host = NginxServer.freshHost()
    let bystander = try Bystander(authority)
    let server = try NginxServer([
      .init(
        host, try authority.issue(host),
        extra: "ssl_verify_client on; ssl_client_certificate \(authority.root.file);"),
      bystander.site,
    ])
    var target = Target.once(server.url(host))
    target.tls.caFile = authority.root.file
    if isGiven {
      let client = try authority.issue("client")
      target.tls.clientCertificate = client.file
      target.tls.clientKey = client.key
    }
    let ends = try await upload(to: [target, bystander.target(on: server)])
    #expect(ends.map(\.code) == [isGiven ? "done 201" : "http-400", "done 201"], "\(ends)")
    let requests = server.stop().filter { $0.host == host }
    #expect(requests.map(\.client) == [isGiven ? "SUCCESS" : "NONE"])
  }

  @Test func aCertificateThatCannotBeLoadedSendsNothing() async throws {
    let host = NginxServer.freshHost()
    let bystander = try Bystander(authority)
    let server = try NginxServer([.init(host, try authority.issue(host)), bystander.site])
    var target = Target.once(server.url(host))
    target.tls.caFile = authority.root.file
    target.tls.clientCertificate = authority.root.file
    target.tls.clientKey = "\(folder.path)/none.key"
    let ends = try await upload(to: [target, bystander.target(on: server)])
    #expect(ends.map(\.code) == ["insecure", "done 201"], "\(ends)")
    #expect(server.stop().filter { $0.host == host }.isEmpty)
  }

  @Test func onePinDoesNotWeakenAnotherOrigin() async throws {
    let (pinned, other) = (NginxServer.freshHost(), NginxServer.freshHost())
    let certificate = try authority.selfSigned(pinned)
    let server = try NginxServer([
      .init(
        pinned, certificate, extra: "location /away { return 307 https://\(other):$server_port/; }"),
      .init(other, try authority.selfSigned(other)),
    ])
    var first = Target.once(server.url(pinned))
    first.tls.pin = PublicKeyPin(try certificate.pin())
    // A redirect to another server takes none of the trust along.
    var led = first
    led.url = server.url(pinned).deletingLastPathComponent().appending(path: "away")
    led.redirectOrigins = [try #require(Origin(server.url(other)))]
    let ends = try await upload(to: [first, .once(server.url(other)), led])
    #expect(ends.map(\.code) == ["done 201", "insecure", "insecure"], "\(ends)")
    #expect(server.stop().allSatisfy { $0.host == pinned })
  }

  @Test(arguments: [(HTTPVersion.auto, "HTTP/1.1"), (.http1, "HTTP/1.1"), (.http2, "HTTP/2.0")])
  func theVersionOfHTTPIsTheOneAskedFor(_ version: HTTPVersion, _ spoken: String) async throws {
    let bystander = try Bystander(authority)
    let server = try NginxServer([bystander.site])
    var target = bystander.target(on: server)
    target.http = version
    let ends = try await upload(to: [target, target])
    #expect(ends.map(\.code) == ["done 201", "done 201"], "\(ends)")
    #expect(server.stop().map(\.version) == [spoken, spoken])
  }

  @Test func rulesThatLibcurlDoesNotTakeSendNothing() async throws {
    let host = NginxServer.freshHost()
    let bystander = try Bystander(authority)
    let server = try NginxServer([.init(host, try authority.issue(host)), bystander.site])
    var target = Target.once(server.url(host))
    // libcurl takes strings of up to 8 million bytes.
    target.tls.caFile = String(repeating: "a", count: 9_000_000)
    let ends = try await upload(to: [target, bystander.target(on: server)])
    #expect(ends.map(\.code) == ["insecure", "done 201"], "\(ends)")
    #expect(ends.first?.failure?.explanation.contains("libcurl rejects") == true, "\(ends)")
    #expect(server.stop().filter { $0.host == host }.isEmpty)
  }

  @Test func rulesNeedTLS() throws {
    let url = try #require(URL(string: "http://host/a"))
    var target = Target.once(url)
    target.tls.caFile = authority.root.file
    var request = ExchangeRequest(url: url, method: "POST")
    #expect(throws: Failure.Cause.self) { try request.apply(target, at: .now) }
  }

  /// libcurl shares connections between requests, but none that was made with other rules.
  @Test func twoTargetsWithOtherRulesAtOneOriginDoNotShareTrust() async throws {
    let host = NginxServer.freshHost()
    let certificate = try authority.selfSigned(host)
    let server = try NginxServer([.init(host, certificate)])
    var pinned = Target.once(server.url(host))
    pinned.tls.pin = PublicKeyPin(try certificate.pin())
    var wrong = pinned
    wrong.tls.pin = PublicKeyPin(try authority.root.pin())
    // One after the other, so that each finds the connection of the one before.
    var ends: [ItemState] = []
    for target in [pinned, .once(server.url(host)), wrong, pinned] {
      ends += try await upload(to: [target])
    }
    #expect(ends.map(\.code) == ["done 201", "insecure", "insecure", "done 201"], "\(ends)")
    #expect(server.stop().count == 2)
  }

  /// An honest server with an upload of its own.
  struct Bystander {
    let host = NginxServer.freshHost()
    let authority: CertificateAuthority
    let site: NginxServer.Site

    init(_ authority: CertificateAuthority) throws {
      self.authority = authority
      site = .init(host, try authority.issue(host))
    }

    func target(on server: NginxServer) -> Target {
      var target = Target.once(server.url(host))
      target.tls.caFile = authority.root.file
      return target
    }
  }

  /// Uploads one file to each of the targets at the same time.
  private func upload(to targets: [Target]) async throws -> [ItemState] {
    let harness = EngineHarness()
    let jobs = try targets.enumerated().map { index, target in
      UploadJob(
        item: .file(try folder.write("\(index).bin", count: 50_000), id: Int64(index + 1)),
        target: target)
    }
    harness.engine.submit(jobs)
    return await harness.finish(jobs.map(\.item.id))
  }
}
