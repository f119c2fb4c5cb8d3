import Foundation
import TestSupport
import Testing
import UploadModel

@testable import Settings

/// A placeholder that is neither filled in nor refused is sent as it stands: every file then goes to one name.
@Suite("Every text of the configuration fills placeholders or refuses them")
struct PlaceholderTests {
  /// Configurations with every key of every table; the test checks that.
  private static let samples: [String] =
    [SampleConfiguration.withDefaults]
    + TargetTextTests.samples.map { "[targets.\"a b\"]\n" + $0 }
    .map { $0 + "\n[secrets]\ns = { env = \"S\" }\n" } + [
      """
      default_target = "a b"
      [targets."a b"]
      url = "https://h/"
      auth = { basic = { user = "me", password = "{secret.s}" } }
      tls = { ca_file = "ca.pem", client_cert = "me.pem", client_key = "me.key" }
      response.url = { pointer = "/url", prefix = "a", suffix = "b" }
      response.deletion_url = { header = "x-delete" }
      server.list = { url = "https://h/l", id = "/id", method = "POST", form = { a = "b" }, query = { c = "d" }, ok = "200", fail_when = [{ pointer = "/e", is = "no" }, { regex = "r", message = "m" }, { header = "x-h", is = "v" }], columns = [{ pointer = "/t" }], next = { pointer = "/n" }, total = { pointer = "/t", prefix = "a", suffix = "b" } }
      server.get = { url = "https://h/l/{id}", method = "POST", json = { a = ["b"] }, query = { c = "d" }, ok = "200", fail_when = [{ pointer = "/e", is = { k = "no" } }, { regex = "r", message = "m" }, { header = "x-h", is = "v" }], unreadable = "ok" }
      server.delete = { url = "https://h/l/{id}", form = { a = "b" }, query = { c = "d" }, ok = "200", unreadable = "ok" }
      server.create = { url = "https://h/l", method = "PUT", query = { c = "d" }, fail_when = [{ pointer = "/e", not = "no", message = "/m" }, { regex = "r", message = "m" }, { header = "x-h", is = "v" }], unreadable = "ok" }
      [secrets]
      s = { command = ["pass", "show"], timeout = "5s" }
      t = { file = "token" }
      [screen]
      mouse = true
      when_done = "bell"
      on_end = ["sh", "-c", "echo"]
      background = false
      [keys]
      retry-all = ["R", "F5"]
      [theme]
      bad = "bold red"
      """,
      """
      [targets."a b".ticket]
      url = "https://h/t"
      method = "PUT"
      json = { a = "b" }
      query = { a = "b" }
      ok = "200"
      fail_when = [{ pointer = "/e", is = "no" }, { regex = "r", message = "m" }, { header = "x-h", is = "v" }]
      unreadable = "ok"
      upload_url = { pointer = "/links", prefix = "a", suffix = "/b" }
      is_there_when = [{ pointer = "/e", missing = true }, { regex = "r", message = "m" }, { header = "x-h", is = "v" }]
      confirm = { url = "/c", form = { a = "b" } }
      """,
      """
      [targets."a b"]
      url = "http://h/"
      pieces.begin = { url = "{url}/b", text = "b", type = "text/csv", query = { a = "b" }, headers = { A = "b" }, ok = 200, fail_when = [{ regex = "r", message = "m" }], unreadable = "ok", method = "POST", values = { a = { pointer = "/a", prefix = "p", suffix = "s" } } }
      pieces.ticket = { url = "http://h/t", text = "b", type = "text/csv", query = { a = "b" }, headers = { A = "b" }, ok = 200, fail_when = [{ regex = "r", message = "m" }], unreadable = "ok", method = "POST" }
      pieces.piece = { url = "{url}/p", query = { a = "b" }, headers = { A = "b" }, type = "text/csv", ok = 200, fail_when = [{ regex = "r", message = "m" }], unreadable = "ok", method = "POST", body = "binary", unanswered = "again", begins = { b = { header = "a" } }, values = { a = { header = "a" } }, offset = { header = "a", regex = "r", plus = 1, missing = "0" } }
      pieces.last = { url = "{url}/p", query = { a = "b" }, headers = { A = "b" }, type = "text/csv", ok = 200, fail_when = [{ regex = "r", message = "m" }], unreadable = "ok", method = "POST", body = "binary", values = { a = { header = "a" } }, offset = { pointer = "/a" } }
      pieces.finish = { url = "{url}/f", text = "b{pieces}", type = "text/csv", query = { a = "b" }, headers = { A = "b" }, method = "POST", ok = 200, fail_when = [{ regex = "r", message = "m" }], unreadable = "ok" }
      pieces.abort = { url = "{url}/a", text = "b", type = "text/csv", query = { a = "b" }, headers = { A = "b" }, ok = 200, fail_when = [{ regex = "r", message = "m" }], unreadable = "ok", method = "POST" }
      pieces.status = { url = "{url}/s", text = "b", type = "text/csv", query = { a = "b" }, headers = { A = "b" }, ok = 200, fail_when = [{ regex = "r", message = "m" }], unreadable = "ok", method = "POST", offset = { regex = "r" } }
      pieces.each = { text = "a", separator = "b" }
      pieces.forgotten = [{ pointer = "/e", is = "v" }, { regex = "r", message = "m" }, { header = "x-h", is = "v" }]
      """,
      """
      [targets."a b"]
      url = "http://h/"
      open = { url = "http://h/o", text = "b", values = { a = { pointer = "/a", prefix = "p", suffix = "s" } }, query = { a = "b" }, headers = { A = "b" }, type = "text/csv", ok = 200, fail_when = [{ regex = "r", message = "m" }], unreadable = "ok", method = "PUT" }
      close = { url = "http://h/c", text = "b", on_failure = "abort", abort = { url = "http://h/a", text = "b", query = { a = "b" }, headers = { A = "b" }, type = "text/csv", ok = 200, fail_when = [{ regex = "r", message = "m" }], unreadable = "ok", method = "PUT" }, query = { a = "b" }, headers = { A = "b" }, type = "text/csv", ok = 200, fail_when = [{ regex = "r", message = "m" }], unreadable = "ok", method = "PUT" }
      """,
      """
      [targets."a b"]
      url = "http://h/"
      open = { url = "http://h/o", json = { a = "b" } }
      close = { url = "http://h/c", form = { a = "b" }, abort = { url = "http://h/a", json = { a = "b" } } }
      """,
      """
      [targets."a b"]
      url = "http://h/"
      open = { url = "http://h/o", form = { a = "b" } }
      close = { url = "http://h/c", json = { a = "b" }, abort = { url = "http://h/a", form = { a = "b" } } }
      """,
      """
      [targets."a b"]
      url = "http://h/"
      pieces.begin = { json = { a = "b" } }
      pieces.ticket = { json = { a = "b" } }
      pieces.finish = { json = { a = "b", p = "{pieces}" } }
      pieces.abort = { json = { a = "b" } }
      pieces.status = { method = "POST", json = { a = "b" }, offset = "/a" }
      pieces.each = { json = { a = "b" } }
      """,
      """
      [targets."a b"]
      url = "http://h/"
      server.create = { url = "http://h/l", json = { a = "b" }, type = "text/csv" }
      server.get = { url = "http://h/{id}", method = "POST", json = { a = "b" }, type = "text/csv" }
      server.delete = { url = "http://h/{id}", json = { a = "b" }, type = "text/csv" }
      server.list = { url = "http://h/", id = "/i", method = "POST", json = { a = "b" }, type = "text/csv" }
      """,
      """
      [targets."a b".ticket]
      url = "http://h/"
      json = { a = "b" }
      type = "text/csv"
      upload_url = "/u"
      """,
      "[targets.\"a b\"]\nurl = \"http://h/\"\npieces.begin = { form = { a = \"b\" } }\npieces.ticket = { form = { a = \"b\" } }\npieces.finish = { form = { a = \"b\" } }\npieces.abort = { form = { a = \"b\" } }\npieces.status = { method = \"POST\", form = { a = \"b\" }, offset = \"/a\" }",
      "[targets.\"a b\"]\nurl = \"http://h/a/\"\nfolders = { method = \"PUT\", ok = [201, 405] }",
      "[targets.\"a b\"]\nurl = \"http://h/\"\nserver.delete = { url = \"http://h/{id}\", json = { a = \"b\" } }",
      "[targets.\"a b\"]\nurl = \"http://h/\"\nserver.get = { url = \"http://h/{id}\", method = \"POST\", form = { a = \"b\" } }",
      "[targets.\"a b\"]\nurl = \"http://h/\"\nserver.list = { url = \"http://h/\", id = \"/i\", method = \"POST\", json = { a = \"b\" } }",
    ]

  private typealias Value = ConfigNode.Value
  private let folder: ScratchDirectory

  init() throws {
    folder = try ScratchDirectory()
    for (name, label) in [
      ("ca.pem", "CERTIFICATE"), ("me.pem", "CERTIFICATE"), ("me.key", "PRIVATE KEY"),
    ] {
      try folder.write(name, Array("-----BEGIN \(label)-----\n-----END \(label)-----\n".utf8))
    }
  }

  @Test(
    arguments: Effort.of(
      ["x{file.name|url}"], long: ["{file.name}", "{env.HOME}", "x{file.name|url}"]))
  func filledOrRefused(_ placeholder: String) throws {
    var texts = 0
    for sample in Self.samples {
      let whole = try ConfigNode.parse(sample, file: "c.toml").value
      try #require(problem(with: whole).error == nil, "\(sample)")
      for (part, alone) in Self.parts(of: whole) {
        try #require(problem(with: alone(part)).error == nil, "\(alone(part))")
        for (path, changed) in Self.changes(of: part, to: placeholder) {
          texts += 1
          let (error, kept) = problem(with: alone(changed), looking: placeholder)
          if let error {
            #expect(
              !error.keyPath.isEmpty && !error.problem.contains("unknown key"), "\(path): \(error)")
          } else {
            #expect(kept == nil, "\(path) would be used as it stands: \(kept ?? "")")
          }
        }
      }
    }
    #expect(texts > 300)
  }

  /// The reader itself names the keys that a table has.
  @Test func theSamplesHaveEveryKeyOfEveryTable() throws {
    var (known, present) = ([String: Set<String>](), [String: Set<String>]())
    for sample in Self.samples {
      let whole = try ConfigNode.parse(sample, file: "c.toml").value
      Self.visitTables(whole, "") { path, entries, _ in
        present[path, default: []].formUnion(entries.keys)
      }
      for (part, alone) in Self.parts(of: whole) {
        Self.visitTables(part, "") { path, entries, replaced in
          var more = entries
          more["zzzzzzzzzzzzzzzzz"] = .integer(1)
          let words = problem(with: alone(replaced(.table(more)))).error?.problem ?? ""
          guard let match = words.wholeMatch(of: /unknown key; valid here: (.+)/) else { return }
          known[path, default: []].formUnion(match.1.split(separator: ", ").map(String.init))
        }
      }
    }
    #expect(known.count > 20, "\(known.keys.sorted())")
    // Tables of the same keys are read by the same code.
    for (path, keys) in known {
      let there = known.filter { $0.value == keys }.keys.map { present[$0] ?? [] }
      let missing = there.reduce(keys) { $0.subtracting($1) }
      #expect(missing.isEmpty, "\(path): \(missing.sorted())")
    }
  }

  @Test(arguments: [
    ("response.url = { pointer = \"/u\", suffix = \"/{file.name}\" }", "response.url.suffix"),
    ("redirect_to = [\"https://{file.name}.h/\"]", "redirect_to[0]"),
    (
      "response.fail_when = [{ pointer = \"/{file.name}\", is = 1 }]",
      "response.fail_when[0].pointer"
    ),
    ("fields = { \"a[{index}]\" = \"b\" }", "fields.\"a[{index}]\""),
    ("auth = { bearer_command = [\"token\", \"{env.HOME}\"] }", "auth.bearer_command[1]"),
  ])
  func refusalsNameTheKey(_ line: String, _ key: String) throws {
    let error = #expect(throws: ConfigError.self) {
      try Settings.parse(
        "[targets.a]\nurl = \"http://h/\"\n\(line)", file: "c.toml", environment: [:])
    }
    #expect(error?.keyPath == "targets.a.\(key)", "\(error?.description ?? "")")
    #expect(error?.problem.contains("not supported here") == true, "\(error?.description ?? "")")
  }

  /// Other syntaxes have braces of their own, and doubled ones stand for themselves.
  @Test func braces() throws {
    let target = try #require(
      try Settings.parse(
        #"""
        [targets.a]
        url = "http://h/"
        file_field = "f{{0}}"
        fields = [{ name = "a{{b}}", json = { "k{{l}}" = "m" } }]
        query = { "q{{r}}" = "s" }
        auth = { bearer_command = ["sh", "-c", "awk '{print $2}' ${HOME}/x ${id}"] }
        response.url = { regex = 'id=(\w{3,9})', suffix = "{{}}" }
        response.fail_when = [{ pointer = "/{http:~1~1ns}rc", is = "{{}}", message = "{{1}}" }]
        """#, file: "c.toml", environment: [:]
      ).blueprint(of: "a"))
    #expect(target.fileField.fixedText == "f{0}")
    #expect(target.fields.map(\.name) == ["a{b}"] && target.query.map(\.name) == ["q{r}"])
    #expect(target.fields[0].value.fixedText == "{\"k{l}\":\"m\"}")
    #expect(target.response.url?.suffix.fixedText == "{}")
    #expect(target.response.failures.first?.message == .text("{1}"))
    #expect(target.response.failures.first?.test == .equals(.string("{}")))
    #expect(target.tokenCommand?.words.last == "awk '{print $2}' ${HOME}/x ${id}")
    let text = TargetText.of(target, named: "a")
    let again = try Settings.parse(text, file: "c.toml", environment: [:]).blueprint(of: "a")
    #expect(again == target, "\(text)")
  }

  // MARK: Walks

  /// What is wrong with a configuration, or the text in what it comes to that still has the placeholder.
  private func problem(
    with value: Value, looking placeholder: String? = nil
  ) -> (error: ConfigError?, kept: String?) {
    guard case .table(let entries) = value else { return (nil, nil) }
    let text = entries.map { "\(TOMLText.key($0)) = \(Self.written($1))\n" }.joined()
    do throws(ConfigError) {
      let settings = try Settings.parse(
        text, file: "\(folder.path)/c.toml",
        environment: SampleConfiguration.environment.merging(["T": "t"]) { $1 })
      guard let placeholder else { return (nil, nil) }
      let all: [Any] =
        settings.targetNames.compactMap { settings.blueprint(of: $0) } + [
          settings.screen, Mirror(reflecting: settings).descendant("secrets") as Any,
        ]
      return (nil, all.lazy.compactMap { Self.find(placeholder, in: $0) }.first)
    } catch {
      return (error, nil)
    }
  }

  /// A text somewhere in a value.
  private static func find(_ text: String, in value: Any) -> String? {
    if let found = value as? String { return found.contains(text) ? found : nil }
    if let url = value as? URL {
      let found = url.absoluteString
      return found.contains(text)
        || found.contains("%7B\(text.trimmingPrefix(while: { $0 != "{" }).dropFirst().prefix(4))")
        ? found : nil
    }
    return Mirror(reflecting: value).children.lazy.compactMap { find(text, in: $0.value) }.first
  }

  private static func written(_ value: Value) -> String {
    switch value {
    case .string(let text): TOMLText.string(text)
    case .integer(let number): "\(number)"
    case .float(let number): "\(number)"
    case .bool(let flag): "\(flag)"
    case .array(let values): TOMLText.array(values.map(written))
    case .table(let entries): TOMLText.table(entries.map { ($0.key, written($0.value)) })
    case .other(let kind): kind
    }
  }

  /// Each target, and all else, each with what makes a configuration of it that can be read: to read all of the sample
  /// anew for each text in it takes ten times as long.
  private static func parts(of whole: Value) -> [(Value, alone: (Value) -> Value)] {
    guard case .table(let entries) = whole, case .table(let targets)? = entries["targets"],
      targets.count > 1
    else { return [(whole, { $0 })] }
    let fallback = entries["default_target"]
    let others = entries.filter { $0.key != "targets" && $0.key != "default_target" }
    let secrets = others.filter { $0.key == "secrets" }
    let each = targets.map { name, target -> (Value, alone: (Value) -> Value) in
      (.table(["targets": .table([name: target])]), { Self.merged(.table(secrets), $0) })
    }
    guard case .string(let name)? = fallback, let target = targets[name] else {
      return each + [(.table(others), { $0 })]
    }
    return each + [
      (
        .table(others.merging(["default_target": .string(name)]) { $1 }),
        { Self.merged($0, .table(["targets": .table([name: target])])) }
      )
    ]
  }

  private static func merged(_ first: Value, _ second: Value) -> Value {
    guard case .table(let some) = first, case .table(let more) = second else { return first }
    return .table(some.merging(more) { $1 })
  }

  /// The configuration with another text in each place that has one: the placeholder alone, and after what is
  /// there; keys that a person makes up are texts too.
  private static func changes(of whole: Value, to placeholder: String) -> [(String, Value)] {
    var all: [(String, Value)] = []
    visit(whole, "") { path, value, replaced in
      switch value {
      case .string(let text):
        all.append((path, replaced(.string(placeholder))))
        all.append(("\(path)+", replaced(.string(text + placeholder))))
      case .table(let entries):
        // Keys of tables that have keys of their own are refused as unknown.
        let isFree = [
          "fields", "query", "headers", "public_headers", "metadata", "form", "json", "is",
        ]
        .contains { path.hasSuffix(".\($0)") }
        guard isFree, let (key, value) = entries.first else { return }
        all.append(
          (
            "\(path) key",
            replaced(.table(entries.merging([key + placeholder: value]) { old, _ in old }))
          ))
      case .integer, .float, .bool, .array, .other: break
      }
    }
    return all
  }

  private static func visitTables(
    _ whole: Value, _ path: String,
    _ body: (String, [String: Value], @escaping (Value) -> Value) -> Void
  ) {
    visit(whole, path) { path, value, replaced in
      if case .table(let entries) = value { body(path, entries, replaced) }
    }
  }

  /// Calls `body` for each value with its place, and what makes the whole of another one there.
  private static func visit(
    _ value: Value, _ path: String, _ replaced: @escaping (Value) -> Value = { $0 },
    _ body: (String, Value, @escaping (Value) -> Value) -> Void
  ) {
    body(path, value, replaced)
    switch value {
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        visit(
          element, "\(path)[]",
          { new in
            var copy = elements
            copy[index] = new
            return replaced(.array(copy))
          }, body)
      }
    case .table(let entries):
      for (key, element) in entries {
        visit(
          element, "\(path).\(key)", { replaced(.table(entries.merging([key: $0]) { $1 })) }, body)
      }
    case .string, .integer, .float, .bool, .other: break
    }
  }
}
