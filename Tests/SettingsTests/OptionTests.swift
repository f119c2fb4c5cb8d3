import Foundation
import JSONText
import TestSupport
import Testing
import UploadModel

@testable import Settings

/// What a target can say beyond an address, fields and headers, and what is made of it.
struct OptionTests {
  private func target(
    _ lines: String, _ environment: [String: String] = [:], file: String = "c.toml"
  ) throws -> Target {
    let text = "[targets.a]\n\(lines)"
    return try Settings.parse(text, file: file, environment: environment).target("a")
  }

  private let values = Template.Values(
    fileName: "a b.jpg", fileSize: 12, fileType: "image/jpeg",
    now: Date(timeIntervalSince1970: 1_795_212_900), uuid: UUID())

  @Test func theBodyAndItsName() throws {
    let target = try target(
      """
      url = "https://h/files/{file.name}?x={unix_s}"
      method = "PUT"
      body = "binary"
      """)
    #expect(target.body == .binary && target.method == "PUT")
    #expect(target.url.absoluteString == "https://h/files/")
    #expect(target.address?.filled(with: values) == "https://h/files/a%20b.jpg?x=1795212900")
  }

  @Test(arguments: [
    ("http://h/{file.name}", "http://h/"), ("http://h/a/{file.stem}/b", "http://h/a/"),
    ("http://h/a-{file.stem}", "http://h/"), ("http://h/up?n={file.name}", "http://h/"),
    ("http://h/a/up?n={file.name}&p=/x/", "http://h/a/"), ("http://h/{{x}}", "http://h/%7Bx%7D"),
  ])
  func whatAllAddressesBeginWith(_ url: String, _ base: String) throws {
    let target = try target("url = \"\(url)\"")
    #expect(target.url.absoluteString == base)
  }

  @Test func jsonIsOneTextWithPlaceholders() throws {
    let target = try target(
      #"""
      url = "http://h/"
      fields = [{ name = "r", json = { memo = "{file.stem}\"!", n = [1, 2.5, true, {}], "ä\n" = "" } }]
      """#)
    let field = try #require(target.fields.first)
    #expect(field.type == "application/json")
    #expect(
      field.value.filled(with: values)
        == #"{"memo":"a b\"!","n":[1,2.5,true,{}],"ä\n":""}"#)
  }

  @Test func limitsAndNames() throws {
    let target = try target(
      """
      url = "http://h/"
      file_name = "{unix_ms}_photo.{file.ext}"
      limits = { max_bytes = "1 MB", types = ["image/*", "application/PDF"] }
      """)
    #expect(target.fileName?.filled(with: values) == "1795212900000_photo.jpg")
    #expect(target.limits.maxBytes == 1_000_000)
    #expect(target.limits.types.map(\.description) == ["image/*", "application/pdf"])
  }

  @Test func responses() throws {
    let target = try target(
      """
      url = "http://h/"
      [targets.a.response]
      ok = ["200-204", 302]
      fail_when = [{ pointer = "/rc", not = 0, message = "/descr" }, { pointer = "", is = [], message = "none" }, { regex = '(?i)went wrong.*$' }, { regex = "^OK", not = true, message = "{{}}" }, { header = "X-Sum", not = "{file.sha256}" }]
      url = { regex = '(?i)href="([^"]+)"', prefix = "http://i/" }
      """)
    #expect(target.response.ok == [200...204, 302...302])
    #expect(
      target.response.failures == [
        FailureRule(
          .pointer(try JSONPointer("/rc")), test: .differs(.integer(0)),
          message: .pointer(try JSONPointer("/descr"))),
        FailureRule(.pointer(.whole), test: .equals(.array([])), message: .text("none")),
        FailureRule(.pattern(try Pattern("(?i)went wrong.*$")), test: .equals(.bool(true))),
        FailureRule(
          .pattern(try Pattern("^OK")), test: .differs(.bool(true)), message: .text("{}")),
        FailureRule(.header("x-sum"), test: .differsText(try Template("{file.sha256}"))),
      ])
    #expect(
      target.response.url
        == ReplyValue(.pattern(try Pattern(#"(?i)href="([^"]+)""#)), prefix: "http://i/"))
  }

  @Test func serverSides() throws {
    let target = try target(
      """
      url = "http://h/up"
      response = { fail_when = [{ pointer = "/rc", not = 0 }] }
      [targets.a.server]
      list = { url = "http://h/list?at={unix_s}", items = "/items", id = "/id", title = "/name", size = "/n", location = "/at" }
      delete = { url = "http://h/rm/{id}", fail_when = [] }
      create = { url = "http://h/new", json = { at = "{now.iso8601}", url = "{result.url}" } }
      """)
    let list = try #require(target.server.list)
    #expect(list.call.method == "GET" && list.call.rules.failures.count == 1)
    let reply = #"{"items": [{"id": 7, "name": "a", "n": 12, "at": "http://h/7"}, {"id": 8}]}"#
    let entries = try list.entries(in: try #require(JSONValue(text: reply)))
    #expect(entries.map(\.id) == ["7", "8"] && entries.map(\.name) == ["a", "8"])
    #expect(entries[0].size == 12 && entries[0].url == "http://h/7" && entries[0].time == nil)
    #expect(entries[1].size == nil)
    let delete = try #require(target.server.delete)
    var values = values
    values.id = "a/b"
    values.resultURL = "http://h/f?a=\"b\""
    #expect(delete.method == "DELETE" && delete.rules.failures.isEmpty)
    #expect(delete.address.template.filled(with: values) == "http://h/rm/a%2Fb")
    let create = try #require(target.server.create)
    #expect(create.method == "POST")
    #expect(
      create.json?.filled(with: values)
        == #"{"at":"2026-11-20T22:15:00Z","url":"http://h/f?a=\"b\""}"#)
  }

  @Test(
    arguments: [
      ("", "upload", nil, ResumeRules.Mode.http, 1 << 20),
      ("resume_from = \"5 B\"", "upload", nil, .http, 5),
      ("resume = \"http\"", "upload", nil, .http, 0),
      ("resume = \"off\"", "upload", nil, .off, 0),
      ("prepare = [\"cp\", \"{in}\", \"{out}\"]", "upload", nil, .off, 0),
      ("batch = { max_files = 3 }", "multiupload", "/files/*/url", .off, 0),
      ("resume = \"tus\"", "files", nil, .tus, 0),
    ] as [(String, String, String?, ResumeRules.Mode, Int64)])
  func hoistsOwnReceiver(
    _ line: String, _ path: String, _ result: String?, _ mode: ResumeRules.Mode, _ least: Int64
  ) throws {
    for address in ["http://desk:3000", "http://desk:3000/"] {
      let target = try target(
        "type = \"hoist\"\nurl = \"\(address)\"\nauth = { bearer = \"x\" }\n\(line)")
      #expect(target.url.absoluteString == "http://desk:3000/\(path)")
      #expect(target.resume.mode == mode && target.resume.least == least)
      #expect(target.response.url?.words == result)
      let list = try #require(target.server.list)
      #expect(list.call.address.template.filled(with: values) == "http://desk:3000/")
      let delete = try #require(target.server.delete)
      var values = values
      values.id = "a/ b"
      #expect(delete.method == "DELETE")
      #expect(delete.address.template.filled(with: values) == "http://desk:3000/files/a%2F%20b")
      #expect(target.headers.map(\.name) == ["Authorization"])
    }
    let proxied = try target("type = \"hoist\"\nurl = \"https://h/in/\"")
    #expect(proxied.url.absoluteString == "https://h/in/upload")
  }

  @Test func tickets() throws {
    let target = try target(
      """
      file_field = "file"
      ticket = { url = "https://h/presign", json = { name = "{file.name}" }, upload_url = "/url", fields = "/fields" }
      """)
    #expect(target.url.absoluteString == "https://h/presign")
    #expect(target.ticket?.call.method == "POST" && target.ticket?.fields?.description == "/fields")
  }

  @Test(
    "What a ticket gives may go to the server that it names, whatever the header field is called")
  func credentialsOfTickets() throws {
    for value in ["{ticket:/token}", "Bearer {ticket:/token}", "{ticket:/kind} {ticket:/token}"] {
      let target = try target(
        """
        public_headers = { Authorization = "\(value)" }
        ticket = { url = "https://h/t", upload_url = "/url" }
        """)
      #expect(target.publicHeaders.map(\.name) == ["Authorization"])
    }
  }

  @Test func prepareCommands() throws {
    let short = try target("url = \"http://h/\"\nprepare = [\"cp\", \"{in}\", \"{out}\"]")
    #expect(short.prepare?.timeout == 60 && short.prepare?.words.count == 3)
    let long = try target(
      "url = \"http://h/\"\nprepare = { command = [\"cp\", \"{in}\", \"{out}\"], timeout = \"5s\" }"
    )
    #expect(long.prepare?.timeout == 5)
  }

  // MARK: Secrets

  @Test func secretsComeFromThreePlaces() throws {
    let folder = try ScratchDirectory()
    try folder.write("key", Array("from a file\r\n\n".utf8))
    try FileManager.default.createDirectory(
      atPath: folder.path("home"), withIntermediateDirectories: true)
    try folder.write("home/key", Array("from home".utf8))
    let target = try target(
      """
      url = "http://h/"
      headers = { A = "{secret.env} {secret.file} {secret.home} {secret.run}", B = "x {secret.run}" }
      [secrets]
      env = { env = "E" }
      file = { file = "key" }
      home = { file = "~/key" }
      run = { command = ["sh", "-c", "echo run >> '\(folder.path("runs"))'; printf '{%s} $E\\n' in"], timeout = "5s" }
      """, ["E": "from outside", "HOME": folder.path("home")], file: folder.path("c.toml"))
    #expect(
      target.headers.map { $0.value.filled(with: values) } == [
        "from outside from a file from home {in} $E", "x {in} $E",
      ])
    #expect(target.headers[0].value.stretches(with: values).shown == "$ENV $FILE $HOME $RUN")
    #expect(try String(contentsOfFile: folder.path("runs"), encoding: .utf8) == "run\n")
  }

  @Test(arguments: [
    ("env = \"NOPE\"", "the environment variable NOPE is not set"),
    ("file = \"/nowhere\"", "/nowhere cannot be read: No such file or directory"),
    ("command = [\"sh\", \"-c\", \"echo locked >&2; exit 2\"]", "sh ended with status 2: locked"),
    ("command = [\"sleep\", \"60\"], timeout = \"100ms\"", "sleep did not finish within 0.1 s"),
    ("command = [\"true\"]", "it is empty"),
    ("command = [\"printf\", \"\\\\377\"]", "it is not UTF-8 text of at most 64 KiB"),
    ("command = [\"/nowhere\"]", "/nowhere cannot be started: No such file or directory"),
  ])
  func secretsThatCannotBeHad(_ source: String, _ problem: String) throws {
    let settings = try Settings.parse(
      """
      [targets.a]
      url = "http://h/"
      headers = { A = "{secret.x}" }
      [secrets]
      x = { \(source) }
      """, file: "c.toml", environment: [:])
    let error = #expect(throws: ConfigError.self) { try settings.target("a") }
    #expect(error?.description == "c.toml:3: targets.a.headers.A: the secret \"x\": \(problem)")
  }

  @Test func literalSecretsAreKnownByTheirNames() throws {
    let target = try target(
      """
      url = "http://h/"
      headers = { Authorization = "Bearer hunter2", Accept = "text/plain" }
      query = { api_key = "hunter2", page = "1" }
      fields = [{ name = "password", value = "hunter2" }, { name = "token", value = "{env.T}" }]
      """, ["T": "hunter2"])
    let all = target.headers + target.query + target.fields
    #expect(all.map { $0.value.filled(with: values) }.count { $0.contains("hunter2") } == 4)
    #expect(
      all.map { $0.value.stretches(with: values).shown }
        == ["text/plain", "$AUTHORIZATION", "$API_KEY", "1", "$PASSWORD", "$T"])
  }

  @Test func aLiteralSecretInAFileForAllIsWarnedOf() throws {
    let folder = try ScratchDirectory()
    let text = """
      [targets.a]
      url = "http://h/"
      headers = { Authorization = "Bearer hunter2" }
      [targets.b]
      url = "http://h/"
      headers = { Authorization = "Bearer {env.T}" }
      [targets.c]
      url = "http://h/?page=1&api_key=hunter2"
      server.list = { url = "http://h/l?token=hunter2", id = "/id" }
      [targets.d]
      url = "https://h/"
      auth = { sigv4 = { region = "r", key = "k", secret = "hunter2", token = "{env.T}" } }
      """
    let file = try folder.write("c.toml", Array(text.utf8))
    chmod(file, 0o644)
    #expect(
      try Settings.load(path: file, environment: [:]).warnings == [
        "\(file):3: targets.a.headers.Authorization: holds a secret, and others can read this file; "
          + "chmod 600 it, or keep the secret elsewhere with [secrets]",
        "\(file):8: targets.c.url: holds a secret, and others can read this file; "
          + "chmod 600 it, or keep the secret elsewhere with [secrets]",
        "\(file):9: targets.c.server.list.url: holds a secret, and others can read this file; "
          + "chmod 600 it, or keep the secret elsewhere with [secrets]",
        "\(file):12: targets.d.auth.sigv4.secret: holds a secret, and others can read this file; "
          + "chmod 600 it, or keep the secret elsewhere with [secrets]",
      ])
    chmod(file, 0o600)
    #expect(try Settings.load(path: file, environment: [:]).warnings.isEmpty)
  }

  /// What is advised against is valid all the same.
  @Test func rulesThatDoNotSayWhatAGoodReplyIs() throws {
    let folder = try ScratchDirectory()
    let text = """
      [targets.a]
      url = "http://h/"
      response = { fail_when = [{ regex = "wrong" }] }
      [targets.b]
      url = "http://h/"
      response = { fail_when = [{ regex = "wrong" }, { regex = "^OK", not = true }] }
      [targets.c]
      url = "http://h/"
      pieces = { finish = { fail_when = [{ regex = "<Error>" }] } }
      [targets.d]
      url = "http://h/"
      pieces = { finish = { ok = 201 } }
      [targets.e]
      url = "http://h/"
      response = { fail_when = [{ pointer = "/id", missing = true }] }
      after = { delete = true, final = [200] }
      [targets.f]
      url = "http://h/"
      after = { delete = true, final = [200] }
      [targets.g]
      url = "http://h/"
      """
    let file = try folder.write("c.toml", Array(text.utf8))
    let advice = try Settings.load(path: file, environment: [:]).advice
    #expect(
      advice.map { $0.split(separator: ": ")[1] } == [
        "targets.a.response", "targets.c.pieces.finish", "targets.f.response",
      ])
  }
}
