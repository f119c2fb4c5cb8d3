import Foundation
import Testing

@testable import Settings

/// Targets that are removed from a configuration, and another that becomes the default.
@Suite struct ConfigTargetsTests {
  private static let text = """
    # mine
    default_target = "photos"  # the usual one

    [targets.photos]
    url = "https://a/"

    # The other one.
    [targets.album] # with tables
    url = "https://b/"
    [targets.album.headers]
    A = "1"

    # Stays.
    [targets."a.b"]
    url = "https://c/"
    [[targets.album.fields]]
    name = "x"
    value = "y"

    [screen]
    mouse = true

    """

  private static func edit(_ text: String = text) -> ConfigEdit {
    ConfigEdit(of: text, file: "/c.toml", environment: [:])
  }

  @Test func aTargetGoesWithAllItsTables() throws {
    let edited = try Self.edit().removing("album")
    #expect(
      edited == """
        # mine
        default_target = "photos"  # the usual one

        [targets.photos]
        url = "https://a/"

        # The other one.
        # Stays.
        [targets."a.b"]
        url = "https://c/"
        [screen]
        mouse = true

        """)
    #expect(try Self.edit().removing("a.b").contains("# Stays.\n[[targets.album.fields]]"))
    let crlf = Self.text.replacing("\n", with: "\r\n")
    let same = try Self.edit(crlf).removing("album")
    #expect(same == edited.replacing("\n", with: "\r\n"))
    // The last one takes the blank lines before it along.
    let last = "[targets.a]\nurl = \"https://a/\"\n\n[targets.b]\nurl = \"https://b/\"\n"
    #expect(try Self.edit(last).removing("b") == "[targets.a]\nurl = \"https://a/\"\n")
    #expect(try Self.edit(last).removing("a") == "[targets.b]\nurl = \"https://b/\"\n")
  }

  @Test(arguments: [
    ("photos", "is the default target; make another the default first"),
    ("nas", "there is no target called \"nas\""),
  ])
  func whatCannotGo(_ name: String, _ why: String) {
    let error = #expect(throws: ConfigError.self) { try Self.edit().removing(name) }
    #expect(error.map { "\($0)".contains(why) } == true)
  }

  @Test func whatHasAnotherFormIsLeftAlone() {
    for text in [
      "targets.a.url = \"https://a/\"\n", "[targets]\na = { url = \"https://a/\" }\n",
      "[targets]\na.url = \"https://a/\"\n",
      // A line that only looks like the end of the table.
      "[targets.a]\nurl = \"https://a/\"\n[[targets.a.fields]]\nname = \"x\"\nvalue = \"\"\"\n[x]\n\"\"\"\n",
    ] {
      let error = #expect(throws: ConfigError.self) { try Self.edit(text).removing("a") }
      #expect(error.map { "\($0)".contains("remove the table targets.a yourself") } == true)
    }
  }

  @Test func aTargetIsChangedAndEveryOtherByteStays() throws {
    let text = """
      default_target = 'a'  # mine
      # about a
      [targets.a]  # here
      url = "https://a/up" # the old one
      [targets.a.fields]
      x = "targets.a"
      [targets."b.c"]
      url = 'https://b/'

      """
    let new = try #require(URL(string: "https://n/up"))
    #expect(
      try Self.edit(text).changing("a", url: new, name: "a")
        == text.replacing("\"https://a/up\"", with: "\"https://n/up\""))
    #expect(
      try Self.edit(text).changing("a", name: "n d")
        == text.replacing("'a'  #", with: "\"n d\"  #")
        .replacing("[targets.a]", with: "[targets.\"n d\"]")
        .replacing("[targets.a.fields]", with: "[targets.\"n d\".fields]"))
    #expect(
      try Self.edit(text).changing("b.c", url: new, name: "bc")
        == text.replacing("\"b.c\"", with: "bc").replacing("'https://b/'", with: "\"https://n/up\"")
    )
    #expect(throws: ConfigError.self) { try Self.edit(text).changing("a", name: "b.c") }
    #expect(throws: ConfigError.self) { try Self.edit(text).changing("nas", name: "x") }
    // What is not seen at a glance is left to the person.
    let other = "[targets]\na = { url = \"https://a/\" }\n"
    let error = #expect(throws: ConfigError.self) {
      try Self.edit(other).changing("a", url: new, name: "a")
    }
    #expect(error.map { "\($0)".contains("yourself") } == true)
  }

  @Test(arguments: [
    ("", "", "auth = { bearer = \"{env.NEW}\" }\n"),
    (
      "auth = { bearer = \"{env.OLD}\" } # mine\n", "", "auth = { bearer = \"{env.NEW}\" } # mine\n"
    ),
    (
      "auth = { basic = { user = \"me\", password = \"{secret.old}\" } }\n",
      "\n[secrets.old]\nfile = \"old\"\n",
      "auth = { basic = { user = \"me\", password = \"{env.NEW}\" } }\n"
    ),
    ("auth = {bearer='to-ken'} # mine\n", "", "auth = { bearer = \"{env.NEW}\" } # mine\n"),
    (
      "auth = { bearer_command = [ \"cat\", \"/x\" ] }\n", "",
      "auth = { bearer = \"{env.NEW}\" }\n"
    ),
  ])
  func aSecretIsElsewhere(_ before: String, _ secrets: String, _ after: String) throws {
    let start = "[targets.\"a.b\"]\n"
    let url = "url = \"https://a/\"\n"
    let edit = Self.edit(start + before + url + secrets)
    #expect(
      try edit.loggingIn("a.b", with: .variable("NEW"), as: "x") == start + after + url + secrets)
    #expect(edit.secrets(of: "a.b") == (secrets.isEmpty ? [] : ["old"]))
    let file = try edit.loggingIn("a.b", with: .file("secrets/x"), as: "x")
    #expect(
      file == start + after.replacing("env.NEW", with: "secret.x") + url + secrets
        + "\n[secrets.x]\nfile = \"secrets/x\"\n")
  }

  @Test(arguments: [
    "[targets.a]\nurl = \"https://a/\"\nheaders = { Authorization = \"Bearer {env.A}\" }\n",
    "[targets.a]\nurl = \"https://a/\"\n[targets.a.auth.sigv4]\nregion = \"r\"\nkey = \"{env.A}\"\nsecret = \"{env.B}\"\n",
    "[targets]\na = { url = \"https://a/\" }\n",
  ])
  func whatIsNotSeenAtAGlanceIsLeftToThePerson(_ text: String) {
    let error = #expect(throws: ConfigError.self) {
      try Self.edit(text).loggingIn("a", with: .variable("NEW"), as: "x")
    }
    #expect(error.map { "\($0)".contains("yourself") } == true)
  }

  @Test func anotherBecomesTheDefault() throws {
    let edited = try Self.edit().choosing("a.b")
    #expect(edited.contains("\ndefault_target = \"a.b\"\n"))
    #expect(edited.count < Self.text.count + 5)
    let none = "[targets.a]\nurl = \"https://a/\"\n"
    #expect(try Self.edit(none).choosing("a") == "default_target = \"a\"\n\n" + none)
    #expect(throws: ConfigError.self) { try Self.edit().choosing("nas") }
  }
}
