import Foundation
import TestSupport
import Testing
import UploadModel

@testable import Settings

struct SettingsTests {
  private func parse(
    _ text: String, _ environment: [String: String] = [:]
  ) throws(ConfigError) -> Settings {
    try Settings.parse(text, file: "c.toml", environment: environment)
  }

  private func message(_ work: () throws -> Void) -> String {
    let error = #expect(throws: ConfigError.self) { try work() }
    return error?.description ?? "no error"
  }

  // MARK: Mistakes

  @Test(arguments: BadConfiguration.all)
  func mistakes(_ bad: BadConfiguration) {
    #expect(message { _ = try parse(bad.text) } == bad.message)
  }

  @Test(arguments: [
    ("[targets.a\nurl = 1", 1), ("a = 1\nb =\n", 2), ("a = 1\n\n\na = 2", 4), ("x = \"open", 1),
    ("a = 1\n????", 2),
    // The parser has assertions here.
    ("[{a]", 1), ("a = 1\n[\u{e9}]", 2), ("[[.a]]", 1), ("[", 1), ("[ # x", 1), ("a = [}", 1),
    ("a = [1,\n  {b = 1}, }\n[{", 2), ("a = \"[}\"\nb = [\"\", # ]\n}", 3), ("a = = 1\n[{", 1),
  ])
  func whatIsNotTOMLNamesTheLine(_ text: String, _ line: Int) {
    #expect(message { _ = try parse(text) }.hasPrefix("c.toml:\(line): not valid TOML: "))
  }

  /// The parser is C++ and has assertions: a mistake must never get as far as that.
  @Test func noMistakeEndsTheProgram() throws {
    let lines = SampleConfiguration.text.split(separator: "\n").map {
      $0.hasPrefix("# ") ? $0.dropFirst(2) : $0
    }
    let marks = [
      "\"", "'", "[", "]", "{", "}", "=", ".", ",", "#", "\n", "\r", "\t", " ", "\\", "\\u0000",
      "[[",
      "]]", "\"\"\"", "'''", "\u{e9}", "\u{301}", "1e400", "07:32", "0x", "1_", "{a=1}", "[1,",
    ]
    var random = SplitMix64(seed: 17)
    for _ in 0..<3_000 {
      var text = (0...Int.random(in: 0...4, using: &random)).map { _ in
        String(lines[Int.random(in: lines.indices, using: &random)])
      }.joined(separator: "\n")
      for _ in 0...Int.random(in: 0...6, using: &random) {
        let scalars = Array(text.unicodeScalars)
        let place = Int.random(in: 0...scalars.count, using: &random)
        let mark = marks[Int.random(in: marks.indices, using: &random)]
        let rest = scalars.dropFirst(Bool.random(using: &random) ? place : place + 1)
        text = String(String.UnicodeScalarView(scalars.prefix(place) + mark.unicodeScalars + rest))
      }
      _ = try? parse(text)
    }
  }

  /// Secrets stay out of messages, whatever is wrong around them.
  @Test(arguments: [
    "url = \"http://me:hunter2@h/\"", "url = \"ftp://me:hunter2@h/\"", "url = \"me:hunter2@h/\"",
    "url = \"http://me:hun/hunter2@h/\"", "url = \"http://me:hunter2@h h/\"",
    "url = \"http://h/\"\nheaders = { Authorization = \"hunter2\\r\\nX: y\" }",
    "url = \"http://h/\"\nheaders = { Host = \"hunter2\" }",
    "url = \"http://h/\"\nheaders = { Authorization = \"hunter2 }\" }",
    "url = \"http://h/\"\nauth = { bearer = \"hunter2\\r\\nX: y\" }",
    "url = \"http://h/\"\nauth = { bearer = \"hunter2 {\" }",
    "url = \"http://h/\"\nauth = { basic = { user = \"a:b\", password = \"hunter2\" } }",
    "url = \"http://h/\"\nauth = { basic = { user = \"hunter2:b\", password = \"c\" } }",
  ])
  func secretsAreNotShown(_ lines: String) {
    let text = message { _ = try parse("[targets.a]\n\(lines)") }
    #expect(text.hasPrefix("c.toml:") && !text.contains("hunter2"), "\(text)")
  }

  @Test func aTerminalIsNotGivenWhatTheFileSays() {
    let text = message { _ = try parse("\"\\u001b[2J\" = 1") }
    #expect(text.utf8.allSatisfy { $0 >= 0x20 })
  }

  // MARK: Good ones

  @Test func theLeastThereIs() throws {
    let target = try parse("[targets.a]\nurl = \"http://h/up\"").target("a")
    let url = try #require(URL(string: "http://h/up"))
    #expect(target == Target(name: "a", url: url))
  }

  @Test func everyKey() throws {
    let target = try parse(
      """
      [targets.a]
      url = "https://h:8443/up?x=1"
      method = "PATCH"
      file_field = "pic"
      fields = [{ name = "z", value = "1" }, { name = "a", value = 2, type = "text/csv" }]
      query = { z = true, b = "{{}}" }
      headers = { X-A = "v" }
      concurrency = 64
      retry = { attempts = 7, base = "500ms", max = 90, statuses = [520, 500, 520] }
      timeout = "1.5m"
      idempotent = true
      redirect_to = ["https://B.example/any"]
      batch = { max_files = 10, max_bytes = "64 MiB", split_refused = true }
      """
    ).target("a")
    #expect(target.url.absoluteString == "https://h:8443/up?x=1")
    #expect(
      target.method == "PATCH" && target.fileField.fixedText == "pic" && target.concurrency == 64)
    #expect(
      target.fields == [
        Target.Field(name: "z", value: Template(literal: "1")),
        Target.Field(name: "a", value: Template(literal: "2"), type: "text/csv"),
      ])
    #expect(
      target.query == [
        Target.Field(name: "b", value: Template(literal: "{}")),
        Target.Field(name: "z", value: Template(literal: "true")),
      ])
    #expect(target.headers == [Target.Field(name: "X-A", value: Template(literal: "v"))])
    #expect(
      target.retry
        == RetryPolicy(
          attempts: 7, base: 0.5, cap: 90, isIdempotent: true, statuses: [500, 520]))
    #expect(target.stallTimeout == 90)
    #expect(target.batch == BatchRule(maxFiles: 10, maxBytes: 64 << 20, splitsRefused: true))
    #expect(target.redirectOrigins.map(\.description) == ["https://b.example"])
  }

  @Test(arguments: [
    ("{ bearer = \"{env.T}\" }", "Bearer s3cret"),
    ("{ bearer = \"a{{b}}\" }", "Bearer a{b}"),
    // RFC 7617 §2.1 has this pair.
    ("{ basic = { user = \"test\", password = \"123£\" } }", "Basic dGVzdDoxMjPCow=="),
    ("{ basic = { user = \"{env.T}\", password = \"\" } }", "Basic czNjcmV0Og=="),
  ])
  func credentials(_ auth: String, _ header: String) throws {
    let target = try parse(
      "[targets.a]\nurl = \"http://h/\"\nauth = \(auth)", ["T": "s3cret"]
    ).target("a")
    #expect(target.headers.map(\.name) == ["Authorization"])
    #expect(target.headers.map(\.value.fixedText) == [header])
    // The scheme is no secret; what follows it is.
    let shown = target.headers.map(\.value.source).joined()
    #expect(shown.hasPrefix(header.prefix(6)) && !shown.contains(header.dropFirst(7)))
    #expect(target.tokenCommand == nil)
  }

  @Test func aCommandForATokenIsKeptAsItIs() throws {
    let target = try parse(
      "[targets.a]\nurl = \"http://h/\"\nauth = { bearer_command = [\"pass\", \"show {x}\", \"\"] }"
    ).target("a")
    #expect(target.tokenCommand == TokenCommand(["pass", "show {x}", ""]))
    #expect(target.headers.isEmpty)
  }

  @Test(arguments: [
    ("60", 60.0), ("1.5", 1.5), ("\"1500ms\"", 1.5), ("\"2 s\"", 2), ("\"5m\"", 300),
    ("\"24h\"", 86_400),
  ])
  func times(_ value: String, _ seconds: Double) throws {
    let settings = try parse("[targets.a]\nurl = \"http://h/\"\ntimeout = \(value)")
    #expect(try settings.target("a").stallTimeout == seconds)
  }

  @Test(arguments: [
    ("http://bücher.example/x", "http://xn--bcher-kva.example/x"),
    ("http://h/ä", "http://h/%C3%A4"), ("http://[::1]:3000/x", "http://[::1]:3000/x"),
    ("http://h/users/@me", "http://h/users/@me"), ("HTTPS://H", "https://H"),
  ])
  func addresses(_ text: String, _ url: String) throws {
    #expect(try TargetURL.parse(text).absoluteString == url)
  }

  // MARK: Which target

  private static let two = """
    default_target = "b"
    [targets.a]
    url = "http://a/"
    [targets.b]
    url = "http://b/"
    headers = { Authorization = "Bearer {env.TOKEN}" }
    """

  @Test func targetsAreFoundByNameURLOrDefault() throws {
    let settings = try parse(Self.two, ["TOKEN": "t"])
    #expect(settings.targetNames == ["a", "b"])
    #expect(try settings.target("a").url.absoluteString == "http://a/")
    #expect(try settings.target(nil).name == "b")
    #expect(try settings.target("https://c/x").url.absoluteString == "https://c/x")
  }

  @Test(arguments: [
    ("aa", "no target is called \"aa\"; did you mean \"a\"?"),
    ("zzzzzz", "no target is called \"zzzzzz\"; the targets are: a, b"),
    ("htp:/x", "expected an http or https URL with a host, found \"htp:/x\""),
    (
      "h/up",
      "expected a URL such as https://host/upload, found \"h/up\", which lacks http:// or https://"
    ),
    (
      "localhost:3000/up",
      "expected an http or https URL with a host, found \"localhost:3000/up\""
    ),
    (
      "http://me:pw@h/",
      "the URL contains a user name or password; use an Authorization header instead"
    ),
  ])
  func targetsThatAreNone(_ name: String, _ text: String) throws {
    let settings = try parse(Self.two)
    #expect(message { _ = try settings.target(name) } == text)
  }

  @Test func withoutATargetThePlaceToNameOneIsSaid() {
    let none = Settings.none(environment: ["HOME": "/home/me"])
    #expect(
      message { _ = try none.target(nil) }
        == "no target: use --to URL, or set default_target in /home/me/.config/hoist/config.toml")
  }

  @Test func theEnvironmentIsReadWhenTheTargetIsUsed() throws {
    let settings = try parse(Self.two)
    #expect(try settings.target("a").name == "a", "another target's token is not needed")
    #expect(
      message { _ = try settings.target("b") }
        == "c.toml:6: targets.b.headers.Authorization: the environment variable TOKEN is not set")
    let broken = try parse(Self.two, ["TOKEN": "s3cret\nX-Evil: 1"])
    #expect(
      message { _ = try broken.target("b") }
        == "c.toml:6: targets.b.headers.Authorization: "
        + "the value of Authorization contains a control character")
  }

  // MARK: Files

  @Test(arguments: [
    (["HOME": "/home/me"], "/home/me/.config/hoist/config.toml"),
    (["HOME": "/home/me", "XDG_CONFIG_HOME": "/etc/me"], "/etc/me/hoist/config.toml"),
    (["HOME": "/home/me", "XDG_CONFIG_HOME": ""], "/home/me/.config/hoist/config.toml"),
    (["HOME": "/home/me", "XDG_CONFIG_HOME": "rel"], "/home/me/.config/hoist/config.toml"),
    ([:], "\(NSHomeDirectory())/.config/hoist/config.toml"),
  ])
  func usualPlaces(_ environment: [String: String], _ path: String) {
    #expect(Settings.usualPath(environment: environment) == path)
  }

  @Test func filesThatCannotBeRead() throws {
    let folder = try ScratchDirectory()
    let loop = folder.path("loop")
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    let latin = try folder.write("latin", [0x61, 0x20, 0xE4])
    let rows = [
      (folder.path("none"), "cannot be read: No such file or directory"),
      (folder.path, "cannot be read: Is a directory"),
      (loop, "cannot be read: Too many levels of symbolic links"),
      (latin, "is not valid UTF-8"),
    ]
    for (path, problem) in rows {
      #expect(
        message { _ = try Settings.load(path: path, environment: [:]) } == "\(path): \(problem)")
    }
  }

  @Test func theUsualFileNeedNotExist() throws {
    let folder = try ScratchDirectory()
    let settings = try Settings.load(path: nil, environment: ["XDG_CONFIG_HOME": folder.path])
    #expect(settings.file == nil && settings.targetNames.isEmpty)
  }

  @Test func aByteOrderMarkDoesNoHarm() throws {
    let folder = try ScratchDirectory()
    let path = try folder.write("c.toml", [0xEF, 0xBB, 0xBF] + Array(Self.two.utf8))
    #expect(try Settings.load(path: path, environment: [:]).defaultTarget == "b")
  }

  // MARK: The sample

  @Test func theSampleIsGoodAndShowsEveryKey() throws {
    let settings = try Settings.load(
      path: SampleConfiguration.path, environment: SampleConfiguration.environment)
    #expect(try settings.target("album").fields.map(\.name) == ["title", "meta"])
    let text = SampleConfiguration.text
    for (table, broken) in Self.tables {
      for key in try keys(of: table, broken) {
        let isShown =
          text.contains(try Regex("(?m)(^#? ?|[{, ])\(key) = "))
          || text.contains(".\(key)]") || text.contains("[\(key)]") || text.contains("[\(key).")
        #expect(isShown, "\(table) \(key)")
      }
    }
    for slot in Template.Placeholder.allCases { #expect(text.contains("{\(slot.rawValue)}")) }
  }

  /// Every table, with a key that no table has.
  private static let tables: [(name: String, text: String)] = {
    func target(_ line: String) -> String { "[targets.a]\nurl = \"https://h/\"\n\(line)" }
    let unknown = "zzzzzzzzzz = 1"
    let list = "url = \"https://h/\", id = \"/id\""
    return [
      ("", unknown), ("screen", "[screen]\n\(unknown)"), ("target", target(unknown)),
      ("secret", "[secrets]\na = { \(unknown) }"),
      ("ticket", "[targets.a.ticket]\n\(unknown)"),
      ("retry", target("retry = { \(unknown) }")), ("batch", target("batch = { \(unknown) }")),
      ("auth", target("auth = { \(unknown) }")),
      ("basic", target("auth = { basic = { \(unknown) } }")),
      ("digest", target("auth = { digest = { \(unknown) } }")),
      ("sigv4", target("auth = { sigv4 = { \(unknown) } }")),
      ("tus", target("resume = \"tus\"\ntus = { \(unknown) }")),
      ("columns.pointer", target("server = { list = { \(list), time = { \(unknown) } } }")),
      ("limits", target("limits = { \(unknown) }")), ("tls", target("tls = { \(unknown) }")),
      ("prepare", target("prepare = { \(unknown) }")),
      ("fields", target("fields = [{ \(unknown) }]")),
      ("response", target("response = { \(unknown) }")),
      ("fail_when", target("response = { fail_when = [{ \(unknown) }] }")),
      ("response.url", target("response = { url = { \(unknown) } }")),
      ("verify", target("response = { verify = { \(unknown) } }")),
      ("exists", target("exists = { \(unknown) }")), ("wait", target("wait = { \(unknown) }")),
      ("after", target("after = { \(unknown) }")),
      ("server", target("server = { \(unknown) }")),
      ("list", target("server = { list = { \(unknown) } }")),
      ("get", target("server = { get = { \(unknown) } }")),
      ("delete", target("server = { delete = { \(unknown) } }")),
      ("create", target("server = { create = { \(unknown) } }")),
      ("next", target("server = { list = { \(list), next = { \(unknown) } } }")),
      ("pieces", target("pieces = { \(unknown) }")),
      ("begin", target("pieces = { begin = { \(unknown) } }")),
      ("piece", target("pieces = { piece = { \(unknown) } }")),
      ("status", target("pieces = { status = { \(unknown) } }")),
      ("offset", target("pieces = { status = { offset = { \(unknown) } } }")),
      ("each", target("pieces = { each = { \(unknown) } }")),
      ("columns", target("server = { list = { \(list), columns = [{ \(unknown) }] } }")),
    ]
  }()

  /// The keys that a table may have, in the reader's own words.
  private func keys(of table: String, _ broken: String) throws -> [String] {
    let words = message { _ = try parse(broken) }
    let match = try #require(
      words.firstMatch(of: /zzzzzzzzzz: unknown key; valid here: (.+)$/), "\(table): \(words)")
    return match.1.split(separator: ", ").map(String.init)
  }

  /// The commented lines name the defaults: with them in force nothing changes.
  @Test func theSamplesCommentedLinesAreTheDefaults() throws {
    let (text, inForce) = (SampleConfiguration.text, SampleConfiguration.withDefaults)
    #expect(inForce != text)
    #expect(try parse(inForce).target("demo") == parse(text).target("demo"))
  }

  /// Only variables are looked at: no file is read, and no command is run.
  @Test(arguments: [
    ("env.NO_TOKEN", "NO_TOKEN"), ("env.A_TOKEN", nil), ("secret.unset", "NO_SECRET"),
    ("secret.set", nil), ("secret.file", nil), ("secret.command", nil), ("uuid", nil),
  ])
  func aVariableThatIsNotSetIsNamed(_ placeholder: String, _ variable: String?) throws {
    let text = """
      [targets.a]
      url = "http://h/"
      headers = { X-Key = "{\(placeholder)}" }

      [secrets]
      unset = { env = "NO_SECRET" }
      set = { env = "A_TOKEN" }
      file = { file = "/nowhere" }
      command = { command = ["false"] }
      """
    let settings = try Settings.parse(text, file: "/c.toml", environment: ["A_TOKEN": "x"])
    #expect(settings.unsetVariable(of: "a") == variable)
    #expect(settings.unsetVariable(of: "b") == nil)
  }
}
