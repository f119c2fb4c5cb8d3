import Foundation
import Settings
import TestSupport
import Testing
import UploadModel

private let pin = "sha256//AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

@Suite struct TLSSettingsTests {
  let folder: ScratchDirectory

  init() throws {
    folder = try ScratchDirectory()
    let certificate = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"
    let key = "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n"
    try folder.write("a.pem", Array(certificate.utf8))
    try folder.write("a.key", Array(key.utf8))
    try folder.write("both.pem", Array((certificate + key).utf8))
    try folder.write("locked.key", Array(key.replacing("PRIVATE", with: "ENCRYPTED PRIVATE").utf8))
    try folder.write("empty", [])
  }

  private func target(_ lines: String, url: String = "https://host/") throws -> Target {
    try Settings.parse(
      "[targets.a]\nurl = \"\(url)\"\n\(lines)\n", file: folder.path("config.toml"),
      environment: ["HOME": folder.path]
    ).target("a")
  }

  @Test func pathsStartAtTheConfigurationOrAtHome() throws {
    let rules = try target(
      "tls = { ca_file = \"a.pem\", pin = \"\(pin)\", client_cert = \"~/a.pem\", "
        + "client_key = \"\(folder.path)/a.key\" }"
    ).tls
    var expected = TLSRules()
    (expected.caFile, expected.pin) = (folder.path("a.pem"), PublicKeyPin(pin))
    (expected.clientCertificate, expected.clientKey) = (folder.path("a.pem"), folder.path("a.key"))
    #expect(rules == expected)
    #expect(rules.pin?.description == pin)
    #expect(try target("tls = { client_cert = \"both.pem\" }").tls.clientKey == nil)
    #expect(try target("").tls.isEmpty)
  }

  @Test(arguments: [
    ("tls = { ca_file = \"none.pem\" }", "targets.a.tls.ca_file", "No such file"),
    ("tls = { ca_file = \".\" }", "targets.a.tls.ca_file", "not a file"),
    ("tls = { ca_file = \"empty\" }", "targets.a.tls.ca_file", "no certificate"),
    ("tls = { ca_file = \"a.key\" }", "targets.a.tls.ca_file", "no certificate"),
    ("tls = { pin = \"sha256//AAAA\" }", "targets.a.tls.pin", "32 bytes"),
    ("tls = { pin = \"md5//AAAA\" }", "targets.a.tls.pin", "sha256//"),
    ("tls = { pin = 1 }", "targets.a.tls.pin", "a string"),
    ("tls = { client_key = \"a.key\" }", "targets.a.tls.client_key", "client_cert"),
    ("tls = { client_cert = \"a.pem\" }", "targets.a.tls.client_cert", "client_key"),
    (
      "tls = { client_cert = \"a.pem\", client_key = \"locked.key\" }",
      "targets.a.tls.client_key", "pass phrase"
    ),
    (
      "tls = { client_cert = \"a.pem\", client_key = \"a.pem\" }", "targets.a.tls.client_key",
      "no private key"
    ),
    ("tls = { verify = false }", "targets.a.tls.verify", "unknown key"),
    ("tls = true", "targets.a.tls", "a table"),
    ("http = \"3\"", "targets.a.http", "\"auto\""),
    ("http = 2", "targets.a.http", "a string"),
  ])
  func mistakes(_ line: String, _ keyPath: String, _ words: String) throws {
    let error = try #require(throws: ConfigError.self) { try target(line) }
    #expect(error.keyPath == keyPath)
    #expect(error.problem.contains(words), "\(error)")
  }

  @Test(arguments: ["tls = { pin = \"\(pin)\" }", "http = \"2\""])
  func plainHTTPHasNoTLS(_ line: String) throws {
    let error = try #require(throws: ConfigError.self) { try target(line, url: "http://host/") }
    #expect(error.problem.contains("https://"), "\(error)")
  }

  @Test(arguments: HTTPVersion.allCases)
  func versionsOfHTTP(_ version: HTTPVersion) throws {
    #expect(try target("http = \"\(version.rawValue)\"").http == version)
  }

  // MARK: Writing a pin

  private static let old = "sha256//\(String(repeating: "A", count: 43))="

  @Test(arguments: [
    // A new target, in a new file and at the end of one.
    ("", "[targets.nas]\nurl = \"https://nas/up\"\ntls = { pin = \"\(pin)\" }\n"),
    (
      "# mine\n[targets.b]\nurl = \"http://b/\" # no line end",
      "# mine\n[targets.b]\nurl = \"http://b/\" # no line end\n\n"
        + "[targets.nas]\nurl = \"https://nas/up\"\ntls = { pin = \"\(pin)\" }\n"
    ),
    // A target without tls.
    (
      "[ targets . nas ] # x\r\n  url='https://nas/up'\r\n",
      "[ targets . nas ] # x\r\ntls = { pin = \"\(pin)\" }\r\n  url='https://nas/up'\r\n"
    ),
    // One with tls on a line.
    (
      "[targets.nas]\nurl = \"https://nas/up\"\ntls = {  } # none\n",
      "[targets.nas]\nurl = \"https://nas/up\"\ntls = { pin = \"\(pin)\"  } # none\n"
    ),
    (
      "[targets.nas]\nurl = \"https://nas/up\"\n tls={pin='\(old)'} # é\n[targets.b]\nurl='http://b/'",
      "[targets.nas]\nurl = \"https://nas/up\"\n tls={pin=\"\(pin)\"} # é\n[targets.b]\nurl='http://b/'"
    ),
    // One with a table of its own.
    (
      "[targets.nas]\nurl = \"https://nas/up\"\n[targets.nas.tls]\npin = \"\(old)\"\n",
      "[targets.nas]\nurl = \"https://nas/up\"\n[targets.nas.tls]\npin = \"\(pin)\"\n"
    ),
    (
      "[targets.nas.tls]\n[targets.nas]\nurl = \"https://nas/up\"\n",
      "[targets.nas.tls]\npin = \"\(pin)\"\n[targets.nas]\nurl = \"https://nas/up\"\n"
    ),
    (
      "[targets.nas.response]\nurl = \"/url\"\n[targets.nas]\nurl = \"https://nas/up\"\n",
      "[targets.nas.response]\nurl = \"/url\"\n[targets.nas]\ntls = { pin = \"\(pin)\" }\n"
        + "url = \"https://nas/up\"\n"
    ),
    // What looks like the header lies in a string.
    (
      "[targets.b]\nurl = \"http://b/\"\nfields = { x = '''\n[targets.nas]\n''' }\n"
        + "[targets.'nas']\nurl = \"https://nas/up\"\n",
      "[targets.b]\nurl = \"http://b/\"\nfields = { x = '''\n[targets.nas]\n''' }\n"
        + "[targets.'nas']\ntls = { pin = \"\(pin)\" }\nurl = \"https://nas/up\"\n"
    ),
  ])
  func aPinIsOneLine(_ before: String, _ after: String) throws {
    let url = try #require(URL(string: "https://nas/up"))
    let edit = ConfigEdit(of: before, file: folder.path("config.toml"), environment: [:])
    #expect(try edit.writing(try #require(PublicKeyPin(pin)), to: "nas", at: url) == after)
  }

  @Test(arguments: [
    "targets.nas.url = \"https://nas/up\"\n",
    "[targets]\nnas = { url = \"https://nas/up\" }\n",
    "this is no TOML",
  ])
  func whatCannotBeEditedStaysAsItIs(_ text: String) throws {
    let url = try #require(URL(string: "https://nas/up"))
    let edit = ConfigEdit(of: text, file: "config.toml", environment: [:])
    #expect(throws: ConfigError.self) {
      try edit.writing(try #require(PublicKeyPin(pin)), to: "nas", at: url)
    }
  }
}
