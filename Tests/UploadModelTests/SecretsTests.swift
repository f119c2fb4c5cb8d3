import Foundation
import Testing
import UploadModel

/// What is kept from view, and in which forms it is found.
@Suite struct SecretsTests {
  static let token = "AbC/dEf==\"+ü"

  static let echoes = [
    "you sent \(token)!", "{\"sent\": \"AbC/dEf==\\\"+ü\"}", "{\"sent\": \"AbC\\/dEf==\\\"+ü\"}",
    "http://nas/?key=AbC%2FdEf%3D%3D%22%2B%C3%BC",
  ]

  @Test(arguments: echoes) func formsInWhichServersRepeatIt(_ echo: String) {
    let hidden = Secrets([Self.token]).hidden(in: echo)
    #expect(hidden.contains("(secret)") && !hidden.contains("dEf"), "\(hidden)")
  }

  @Test func shortTextsAreTooCommon() {
    let secrets = Secrets(["abc", "long enough"])
    #expect(secrets.hidden(in: "abc is not long enough") == "abc is not (secret)")
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
      Failure(.network("no \(token)")), next: 2, of: 5, at: Moment(seconds: 0)),
    .done(
      Receipt(
        status: 201, url: "http://h/AbC%2FdEf%3D%3D%22%2B%C3%BC", reply: Reply(text: token))),
  ]

  @Test(arguments: states) func statesWithoutThem(_ state: ItemState) {
    let hidden = "\(Secrets([Self.token]).hidden(in: state))"
    #expect(hidden.contains("(secret)") && !hidden.contains("dEf"), "\(hidden)")
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
      url: try #require(URL(string: "https://h/up?album=holidays&api_key=literal-key")),
      fields: [
        Target.Field(name: "album", value: Template(literal: "holidays")),
        Target.Field(name: "meta", value: try template("{{\"k\": \"{secret.inner}\"}}")),
      ],
      query: [Target.Field(name: "sig", value: try template("{env.QUERY}"))],
      headers: [
        Target.Field(
          name: "Authorization",
          value: Template(literal: "Bearer literal-token").hidden(as: "Authorization")),
        Target.Field(name: "X-Client", value: Template(literal: "hoist-client")),
      ])
    target.server.delete = ServerCall(
      url: try template("https://h/{id}?k={secret.delete}", scope: [.id]))
    let secrets = target.secrets
    for text in [
      "literal-key", "value of inner", "value of QUERY", "literal-token", "Bearer literal-token",
      "value of delete",
    ] {
      #expect(!secrets.hidden(in: text).contains(text), "\(text)")
    }
    for text in ["holidays", "hoist-client", "https://h/up", "Bearer"] {
      #expect(secrets.hidden(in: text) == text)
    }
  }
}
