import Foundation
import TestSupport
import Testing
import UploadModel

@testable import Settings

/// Mistakes around credentials, which are found before anything is sent and said without them.
struct CredentialSettingsTests {
  private func parse(_ text: String, _ environment: [String: String] = [:]) throws -> Settings {
    try Settings.parse(text, file: "c.toml", environment: environment)
  }

  @Test(arguments: [
    ("auth = { bearer = \"{env.TOKEN}\" }", "auth.bearer"),
    ("auth = { bearer = \"x{env.TOKEN}\" }", "auth.bearer"),
    ("auth = { basic = { user = \"me\", password = \"{env.TOKEN}\" } }", "auth.basic.password"),
    ("auth = { basic = { user = \"{env.TOKEN}\", password = \"x\" } }", "auth.basic.user"),
    (
      "auth = { sigv4 = { region = \"r\", key = \"k\", secret = \"s\", token = \"{env.TOKEN}\" } }",
      "auth.sigv4.token"
    ),
    ("headers = { Authorization = \"Bearer {env.TOKEN}\" }", "headers.Authorization"),
    ("headers = { X-Api-Key = \"{env.TOKEN}\" }", "headers.X-Api-Key"),
  ])
  func anEmptyVariable(_ line: String, _ key: String) throws {
    let text = "[targets.a]\nurl = \"https://h/\"\n\(line)"
    let settings = try parse(text, ["TOKEN": " \t"])
    let error = #expect(throws: ConfigError.self) { try settings.target("a") }
    #expect(
      error?.description == "c.toml:3: targets.a.\(key): the environment variable TOKEN is empty")
    #expect(try parse(text, ["TOKEN": "t"]).target("a").name == "a")
  }

  @Test func noTokenAtAll() throws {
    let error = #expect(throws: ConfigError.self) {
      try parse("[targets.a]\nurl = \"http://h/\"\nauth = { bearer = \" \" }")
    }
    #expect(
      error?.description == "c.toml:3: targets.a.auth.bearer: expected a token, found nothing")
  }

  @Test(arguments: [
    "{ user = \"me\", password = \"{env.P}\" }", "{ user = \"me\", password = \"p4ss/w0rd\" }",
    "{ user = \"{env.P}\", password = \"x\" }",
  ])
  func thePasswordIsHiddenAsWellAsTheCredentials(_ basic: String) throws {
    let target = try parse(
      "[targets.a]\nurl = \"http://h/\"\nauth = { basic = \(basic) }", ["P": "p4ss/w0rd"]
    ).target("a")
    let pair = try #require(target.headers.first?.value.secrets.first?.value)
    let hidden = target.secrets.hidden(in: "Basic \(pair): p4ss/w0rd, p4ss%2fw0rd\u{301}, me")
    #expect(hidden == "Basic (secret): (secret), (secret)\u{301}, me")
  }

  @Test(arguments: [
    "key = \"AK\", secret = \"p4ss/w0rd\", token = \"t0ken\"",
    "key = \"AK\", secret = \"{env.P}\", token = \"{env.T}\"",
  ])
  func theKeysOfASignatureAreHidden(_ keys: String) throws {
    let target = try parse(
      "[targets.a]\nurl = \"https://h/\"\nauth = { sigv4 = { region = \"r\", \(keys) } }",
      ["P": "p4ss/w0rd", "T": "t0ken"]
    ).target("a")
    #expect(target.secrets.hidden(in: "AK p4ss%2Fw0rd t0ken r") == "AK (secret) (secret) r")
    #expect(target.secrets.hidden(in: "3a 74 30 6b 65 6e 0a") == "3a (secret) 0a")
    #expect(target.sigV4?.service == "s3")
  }

  @Test(arguments: [
    "http://u:hunter2/x@h:3128", "http://u:hunter2@", "u:hunter2@h:port", "h:hunter2",
    "http://h:70000",
    "ftp://u:hunter2@h", "http://u:hun ter2@h", "http://u:hunter2@h h", "http://u:hunter2@[::1",
    "http://u:hunter2@h:1:2", "hunter2://h", "http://u:hunter2\n@h", "http://", ":",
    "http://u:hunter2@h@",
    "http://u:hunter2/\u{301}@h", "http:/\u{301}/u:hunter2@h", "hunter2 ", "http://u:hunter2@h:0x1",
  ])
  func aProxyThatIsNone(_ proxy: String) throws {
    for (url, variable) in [
      ("http://a/", "http_proxy"), ("https://a/", "https_proxy"), ("https://a/", "HTTPS_PROXY"),
      ("http://a/", "all_proxy"), ("https://a/", "ALL_PROXY"),
    ] {
      let settings = try parse("[targets.a]\nurl = \"\(url)\"", [variable: proxy])
      for name in ["a", url] {
        let error = #expect(throws: ConfigError.self) { try settings.target(name) }
        let said = error?.description ?? ""
        #expect(
          said.contains("the environment variable \(variable) does not hold a valid proxy address"))
        #expect(!said.contains("hun"), "\(said)")
      }
    }
  }

  @Test(arguments: [
    ("http://h:3128", nil), ("h", nil), ("h:", nil), ("HTTP://h:1/", nil),
    ("socks5h://[::1]:1080", nil),
    ("http://u@h", nil), ("http://u:hunter2@h:3128", "hunter2"), ("u:hunter2@h", "hunter2"),
    ("http://u:hun%2Fter2@h", "hun/ter2"), ("http://u:hu@nter2@h", "hu@nter2"),
    ("http://u:hunter2@h", "dTpodW50ZXIy"),
  ])
  func aProxyThatIsOne(_ proxy: String, _ secret: String?) throws {
    let target = try parse("", ["http_proxy": proxy]).target("http://a/")
    if let secret {
      #expect(target.secrets.hidden(in: "x \(secret) y") == "x (secret) y")
    } else {
      #expect(target.ingredients.isEmpty)
    }
  }

  @Test(arguments: [
    ("http://nas/", ["no_proxy": "nas", "http_proxy": "\n"]),
    ("http://nas/", ["NO_PROXY": "*", "http_proxy": "\n"]),
    ("http://a.home.lan/", ["no_proxy": "x, .home.lan", "http_proxy": "\n"]),
    ("http://A.lan/", ["no_proxy": "a.LAN", "http_proxy": "\n"]),
    ("https://a/", ["http_proxy": "\n"]), ("http://a/", ["HTTP_PROXY": "\n"]),
    ("http://a/", ["http_proxy": ""]),
  ])
  func aProxyThatDoesNotCount(_ url: String, _ environment: [String: String]) throws {
    #expect(try parse("", environment).target(url).ingredients.isEmpty)
  }

  @Test func aNULIsAnErrorThatNamesItsKey() throws {
    let text = "[targets.a]\nurl = \"http://h/\"\nmethod = \"PO\0ST\"\nzebra = 1"
    let error = #expect(throws: ConfigError.self) { try parse(text) }
    #expect(
      error?.description.hasPrefix("c.toml:3: targets.a.method: holds a NUL character") == true)
    let folder = try ScratchDirectory()
    let file = try folder.write("c.toml", Array(text.utf8))
    let mistakes = Settings.mistakes(path: file, environment: [:])
    #expect(mistakes.map(\.keyPath) == ["targets.a.method"] && mistakes.first?.line == 3)
    let escaped = #expect(throws: ConfigError.self) {
      try parse(#"default_target = "a\u0000b""#)
    }
    #expect(escaped?.keyPath == "default_target")
  }

  /// Every mistake that is one whatever the other keys are is named at once, and nothing that only seems to be one.
  @Test(arguments: [
    // The name of a key that is gone begins like that of the wrong one.
    ("urls = \"x\"\nurl = \"ftp://h/\"", ["urls", "url"]),
    ("url = 3\ndeadline = true\ntimeout = true", ["url", "deadline", "timeout"]),
    (
      "deadline = true\nticket = { url = 3, upload_url = \"/url\" }\ntimeout = true",
      ["deadline", "ticket.url", "timeout"]
    ),
    ("url = \"ftp://h\"\nheaders = { \"a b\" = \"x\" }", ["url", "headers.\"a b\""]),
    ("url = \"http://h\"\nresume = 3\nresume_from = \"5 MB\"\nfeild = 1", ["resume", "feild"]),
    ("urll = \"http://h/\"\ntimeout = true", ["urll", "timeout"]),
  ])
  func theMistakesOfATarget(_ lines: String, _ keys: [String]) throws {
    let folder = try ScratchDirectory()
    let file = try folder.write("c.toml", Array("[targets.a]\n\(lines)\n".utf8))
    let mistakes = Settings.mistakes(path: file, environment: [:])
    #expect(mistakes.map(\.keyPath) == keys.map { "targets.a.\($0)" }, "\(mistakes)")
  }

  @Test func textsAreReadBackWhateverFollowsAQuote() throws {
    for text in CombiningMarks.variants(of: "a'b\"c\\d\r\n\te'\"#=") {
      let target = try parse(
        "[targets.a]\nurl = \"http://h/\"\nfields = [{ name = \"x\", value = \(TOMLText.string(text)) }]"
      ).target("a")
      #expect(target.fields.first?.value.fixedText.utf8.elementsEqual(text.utf8) == true, "\(text)")
    }
  }

  /// Braces are placeholders also where a mark follows them.
  @Test func placeholdersAreReadWhateverFollowsABrace() throws {
    for mark in CombiningMarks.all {
      let template = try Template("a{env.X}\(mark)b{{\(mark)}}\(mark)", environment: { _ in "v" })
      #expect(
        template.filled(with: Template.Values(now: Date(), uuid: UUID())).utf8
          .elementsEqual("av\(mark)b{\(mark)}\(mark)".utf8))
      #expect(template.secrets.map(\.name) == ["X"])
      #expect(throws: InvalidInput.self) { try Template("a{\(mark)") }
    }
  }

  /// A mark after what ends a password, or begins a query, does not show either.
  @Test func passwordsAndQueriesOfURLsWithMarks() throws {
    for url in CombiningMarks.variants(of: "http://me:hunter2@h/a?key=hunter2") {
      let error = #expect(throws: InvalidInput.self) { try TargetURL.parse(url) }
      #expect(error?.description.contains("hunter2") != true, "\(error?.description ?? "")")
    }
    for url in CombiningMarks.variants(of: "htp://h/a?key=hunter2") {
      let error = #expect(throws: InvalidInput.self) { try TargetURL.parse(url) }
      #expect(error?.description.contains("hunter2") != true, "\(error?.description ?? "")")
    }
  }
}
