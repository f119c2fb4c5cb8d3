import Foundation
import TestSupport
import Testing
import UploadModel

/// What is kept from view, and in which forms it is found.
@Suite struct SecretsTests {
  static let token = "AbC/dEf==\"+ü"

  static let echoes = [
    "you sent \(token)!", "{\"sent\": \"AbC/dEf==\\\"+ü\"}", "{\"sent\": \"AbC\\/dEf==\\\"+ü\"}",
    "http://nas/?key=AbC%2FdEf%3D%3D%22%2B%C3%BC", "AbC%2fdEf%3d%3d%22%2b%c3%bc",
    #"AbC\u002FdEf\u003d=\u0022\u002B\u00FC"#, #"AbC\x2fdEf==\x22+\u{fc}"#, #"AbC/dEf==\"+\u00fc"#,
    "AbC&sol;dEf&equals;=&quot;&plus;&uuml;", "AbC&#47;dEf&#x3D;&#X3d;&#034;&#43&#252;",
    "AbC&SOL;dEf==&QUOT;+&#xfc;", "AbC%252FdEf%253D%253D%2522%252B%25C3%25BC",
    #"AbC\\u002fdEf==\\\"+\\u00fc"#, #"AbC\u0026sol;dEf==\u0026quot;+ü"#,
    "AbC%26sol%3BdEf==%26%2334;+ü",
    #"%41%62%43/%64Ef==%5Cu0022+ü"#,
  ]

  /// The ways in which servers write a character, each more or less usual.
  static let spellings: [(String, @Sendable (Unicode.Scalar) -> String)] = [
    ("itself", { String($0) }),
    ("percent", { String($0).utf8.map { String(format: "%%%02X", $0) }.joined() }),
    ("percent, small", { String($0).utf8.map { String(format: "%%%02x", $0) }.joined() }),
    ("percent twice", { String($0).utf8.map { String(format: "%%25%02x", $0) }.joined() }),
    ("JSON", { String($0).utf16.map { String(format: "\\u%04x", $0) }.joined() }),
    ("JSON, capitals", { String($0).utf16.map { String(format: "\\u%04X", $0) }.joined() }),
    ("JSON in JSON", { String($0).utf16.map { String(format: "\\\\u%04x", $0) }.joined() }),
    ("backslash", { "/\"\\'".unicodeScalars.contains($0) ? "\\\($0)" : String($0) }),
    ("decimal", { "&#\($0.value);" }), ("hexadecimal", { String(format: "&#x%X;", $0.value) }),
    ("HTML in JSON", { "\\u0026#\($0.value);" }),
  ]

  @Test(arguments: spellings.indices) func everySpellingOfEveryCharacter(_ index: Int) {
    let (name, spelled) = Self.spellings[index]
    let secret = "S3/cr\"e+t&<%41>\\u0041'ü漢😀=="
    let secrets = Secrets([secret])
    for text in [secret]
      + secret.unicodeScalars.map({ one in
        secret.unicodeScalars.map { $0 == one ? spelled($0) : String($0) }.joined()
      }) + [secret.unicodeScalars.map(spelled).joined()]
    {
      for mark in [""] + CombiningMarks.all.map(String.init) {
        let hidden = secrets.hidden(in: "a \(text)\(mark) b")
        #expect(
          hidden.utf8.elementsEqual("a (secret)\(mark) b".utf8), "\(name): \(text): \(hidden)")
      }
    }
  }

  @Test func aMarkAfterItHidesNothingFromUs() {
    for secret in CombiningMarks.variants(of: "a/b\"c d=") {
      for text in CombiningMarks.variants(of: "x=\(secret)&") {
        let hidden = Secrets([secret]).hidden(in: text)
        #expect(
          !hidden.unicodeScalars.starts(with: text.unicodeScalars) || !Self.holds(text, secret))
        #expect(!Self.holds(hidden, secret), "\(hidden)")
      }
    }
  }

  private static func holds(_ text: String, _ part: String) -> Bool {
    let (bytes, part) = (Array(text.utf8), Array(part.utf8))
    return bytes.indices.contains { bytes[$0...].starts(with: part) }
  }

  @Test(arguments: echoes) func formsInWhichServersRepeatIt(_ echo: String) {
    let hidden = Secrets([Self.token]).hidden(in: echo)
    #expect(hidden.contains("(secret)") && !hidden.contains("dEf"), "\(hidden)")
  }

  @Test(arguments: [
    ("abc", "abc is not abcd, nor xabc; abc", "(secret) is not abcd, nor xabc; (secret)"),
    ("1", "1 of 12: key=1&%201&", "(secret) of 12: key=(secret)&%20(secret)&"),
    ("é", "é été", "(secret) été"), ("a/b", #""a\/b" a%2Fbc"#, #""(secret)" a%2Fbc"#),
    ("abcd", "xabcdx", "x(secret)x"),
  ])
  func shortOnesAreHiddenAsWords(_ secret: String, _ text: String, _ hidden: String) {
    #expect(Secrets([secret]).hidden(in: text) == hidden)
  }

  @Test(arguments: [
    ("it is s3cret-to", "it is (secret)"), ("it is s3c", "it is s3c"), ("s3cret%2D", "(secret)"),
    ("s3cret%2", "(secret)"), ("s3cret-token", "(secret)"), ("s3cret-x", "s3cret-x"),
  ])
  func aReplyThatIsCutInTheMidstOfOne(_ text: String, _ hidden: String) {
    #expect(Secrets(["s3cret-token"]).hidden(in: text, isCut: true) == hidden)
    let failure = Failure(.refused, reply: Reply(text: text, isCut: true))
    #expect(Secrets(["s3cret-token"]).hidden(in: failure).reply.text == hidden)
  }

  @Test func thoseThatOverlap() {
    #expect(
      Secrets(["abcdef", "defghi"]).hidden(in: "abcdefghi abcdefabcdef")
        == "(secret) (secret)(secret)")
    #expect(Secrets(["aaaa"]).hidden(in: "aaaaaa") == "(secret)")
    #expect(Secrets([""]).hidden(in: "a") == "a")
  }

  /// The old way went through JSON, and kept everything where a secret was one of its keys.
  @Test(arguments: ["network", "_0", "{\"network", "rejected"])
  func aSecretThatIsAWordOfOurs(_ secret: String) {
    let cause = Failure.Cause.network("no \(secret) today")
    #expect(Secrets([secret]).hidden(in: Failure(cause)).cause == .network("no (secret) today"))
  }

  @Test func longTextsOfEscapesEnd() {
    let secrets = Secrets(["s3cret-token", String(repeating: "%", count: 100), "aaaaaaaaaa"])
    for unit in ["%25", "\\", "&amp;", "%5C", "a", "%", "&#", "\\u005c", "&#x26;", "%25%5C&"] {
      let text = String(repeating: unit, count: 16_384 / unit.utf8.count)
      #expect(!secrets.hidden(in: text + "s3cret-token").contains("token"))
    }
  }

  @Test func aPartDoesNotSpoilTheWhole() {
    let secrets = Secrets(["s3cret", "s3cret-token"])
    #expect(secrets.hidden(in: "s3cret-token, s3cret") == "(secret), (secret)")
  }

  static let states: [ItemState] = [
    .failed(
      Failure(.rejected("bad \(token)"), status: 200, reply: Reply(text: "you sent \(token)"))),
    .failed(Failure(.redirected(to: "http://h/?key=AbC%2FdEf%3D%3D%22%2B%C3%BC", .losesBody))),
    .retrying(
      Failure(.network("no \(token)")), next: 2, of: 5, at: Instant(seconds: 0)),
    .done(
      Receipt(
        status: 201, url: "http://h/AbC%2FdEf%3D%3D%22%2B%C3%BC", reply: Reply(text: token))),
  ]

  @Test(arguments: states) func statesWithoutThem(_ state: ItemState) {
    let hidden = "\(Secrets([Self.token]).hidden(in: state))"
    #expect(hidden.contains("(secret)") && !hidden.contains("dEf"), "\(hidden)")
  }

  @Test func whatHasTheNameOfAFileIsHiddenToo() {
    let taken = TakenName("\(Self.token).jpg", time: "sent with \(Self.token)")
    var receipt = Receipt(status: 412)
    receipt.fate = NameFate()
    receipt.fate?.skipped = taken
    for state in [ItemState.done(receipt), .failed(Failure(.taken(taken)))] {
      let hidden = "\(Secrets([Self.token]).hidden(in: state))"
      #expect(hidden.contains("(secret).jpg") && !hidden.contains("dEf"), "\(hidden)")
    }
  }

  @Test func ofATargetOnlyWhatIsKeptFromView() throws {
    let lookup = Template.Lookup(environment: { "value of \($0)" }) { "value of \($0)" }
    func template(_ text: String, scope: [Template.Placeholder] = Template.Placeholder.ofFile)
      throws -> Template
    {
      try Template(text, scope: scope, lookup: lookup)
    }
    var target = Target(
      name: "desk",
      url: try #require(URL(string: "https://h/up?album=holidays&api_key=literal-key")))
    target.fields = [
      Target.Field(name: "album", value: Template(literal: "holidays")),
      Target.Field(name: "meta", value: try template("{{\"k\": \"{secret.inner}\"}}")),
    ]
    target.query = [Target.Field(name: "sig", value: try template("{env.QUERY}"))]
    target.headers = [
      Target.Field(
        name: "Authorization",
        value: Template(literal: "Bearer literal-token").hidden(as: "Authorization")),
      Target.Field(name: "X-Client", value: Template(literal: "hoist-client")),
    ]
    target.server.delete = Call(
      url: try template("https://h/{id}?k={secret.delete}", scope: [.id]))
    target.ingredients = ["p4ssw0rd"]
    let secrets = target.secrets
    for text in [
      "literal-key", "value of inner", "value of QUERY", "literal-token", "Bearer literal-token",
      "value of delete", "p4ssw0rd",
    ] {
      #expect(!secrets.hidden(in: text).contains(text), "\(text)")
    }
    for text in ["holidays", "hoist-client", "https://h/up", "Bearer"] {
      #expect(secrets.hidden(in: text) == text)
    }
  }
}
