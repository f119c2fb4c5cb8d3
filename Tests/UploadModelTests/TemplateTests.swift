import Foundation
import Testing
import UploadModel

struct TemplateTests {
  private static let uuid = "5E8F4B8A-0000-4000-8000-0123456789AB"

  private func values(_ name: String = "photo.tar.gz") -> Template.Values {
    Template.Values(
      fileName: name, fileSize: 1234, fileType: "image/jpeg",
      now: Date(timeIntervalSince1970: 1_795_212_900.5), uuid: UUID(uuidString: Self.uuid) ?? UUID()
    )
  }

  private func filled(_ source: String, name: String = "photo.tar.gz") throws -> String {
    try Template(source, environment: { ["TOKEN": "{s3cret}", "EMPTY": ""][$0] })
      .filled(with: values(name))
  }

  @Test(arguments: [
    ("", ""), ("plain", "plain"), ("{file.name}", "photo.tar.gz"), ("{file.stem}", "photo.tar"),
    ("{file.ext}", "gz"), ("{file.size}", "1234"), ("{file.type}", "image/jpeg"),
    ("{unix_ms}", "1795212900500"), ("{unix_s}", "1795212900"),
    ("{now.iso8601}", "2026-11-20T22:15:00Z"), ("{uuid}", uuid.lowercased()),
    ("{unix_s}_{file.stem}.{file.ext}", "1795212900_photo.tar.gz"),
    ("{file.ext}{file.ext}", "gzgz"), ("ä{file.ext}🙂", "ägz🙂"),
    // Braces.
    ("{{", "{"), ("}}", "}"), ("{{}}", "{}"), ("{{file.name}}", "{file.name}"),
    ("{{{file.ext}}}", "{gz}"), ("{{\"a\": 1}}", "{\"a\": 1}"),
    // The environment's text is text: what looks like a placeholder in it is none.
    ("Bearer {env.TOKEN}", "Bearer {s3cret}"), ("<{env.EMPTY}>", "<>"),
  ])
  func fillsIn(_ source: String, _ text: String) throws {
    #expect(try filled(source) == text)
  }

  @Test(arguments: [
    ("a", "a", ""), ("a.b", "a", "b"), (".hidden", ".hidden", ""), (".a.b", ".a", "b"),
    ("a.", "a", ""), ("..", ".", ""), ("a b.c d", "a b", "c d"), ("", "", ""), (".", ".", ""),
  ])
  func stemAndExtension(_ name: String, _ stem: String, _ ext: String) throws {
    #expect(try filled("{file.stem}", name: name) == stem)
    #expect(try filled("{file.ext}", name: name) == ext)
  }

  private static let known = Template.Placeholder.ofFile.map { "{\($0.rawValue)}" }
    .joined(separator: " ")

  @Test(arguments: [
    ("{", "\"{\" without \"}\" after it; write \"{{\" for a brace"),
    ("a {file.name", "\"{\" without \"}\" after it; write \"{{\" for a brace"),
    ("}", "\"}\" without \"{\" before it; write \"}}\" for a brace"),
    ("{file.name}}", "\"}\" without \"{\" before it; write \"}}\" for a brace"),
    ("{env.NOPE}", "the environment variable NOPE is not set"),
    ("{env.}", "{env.} names no environment variable"),
    ("{file.nme}", "unknown placeholder {file.nme}; there are \(known) {env.NAME} {secret.NAME}"),
    ("{}", "unknown placeholder {}; there are \(known) {env.NAME} {secret.NAME}"),
    (
      "{ file.name }",
      "unknown placeholder { file.name }; there are \(known) {env.NAME} {secret.NAME}"
    ),
    ("{id}", "{id} has no value here; there are \(known) {env.NAME} {secret.NAME}"),
    ("{secret.x}", "no secret is called \"x\""),
    ("{FILE.NAME}", "unknown placeholder {FILE.NAME}; there are \(known) {env.NAME} {secret.NAME}"),
  ])
  func mistakes(_ source: String, _ message: String) {
    let mistake = #expect(throws: InvalidInput.self) { try filled(source) }
    #expect(mistake?.description == message)
  }

  @Test func literalTextIsNotRead() {
    #expect(Template(literal: "{file.name}").filled(with: values()) == "{file.name}")
    #expect(Template(literal: "").filled(with: values()) == "")
  }

  @Test func fixedTextLeavesThePlaceholdersOut() throws {
    let template = try Template("a{file.name}{env.X}c", environment: { _ in "b" })
    #expect(template.fixedText == "abc")
  }

  // MARK: Secrets

  private static let lookup = Template.Lookup(
    environment: { "env:\($0)" },
    secret: { name throws(InvalidInput) in "a \"\(name)\"" })

  @Test func secretsAreSentAndNotShown() throws {
    let template = try Template("Bearer {env.A_B} {secret.my-key}!", lookup: Self.lookup)
    #expect(template.filled(with: values()) == "Bearer env:A_B a \"my-key\"!")
    #expect(template.stretches(with: values()).shown == "Bearer $A_B $MY_KEY!")
    #expect(template.source == "Bearer {env.A_B} {secret.my-key}!")
    #expect(template.secrets.map(\.name) == ["A_B", "my-key"])
    let literal = Template(literal: "Bearer hunter2").hidden(as: "X-Api-Key")
    #expect(literal.filled(with: values()) == "Bearer hunter2")
    #expect(literal.stretches(with: values()).shown == "$X_API_KEY" && literal.source == "…")
    #expect(template.hidden(as: "x") == template, "it hides what is secret already")
  }

  // MARK: Where the text stands

  @Test func valuesAreEscapedForJSON() throws {
    let template = try Template(
      "a\"{file.name}\\{secret.k}", escaping: .json, lookup: Self.lookup)
    #expect(
      template.filled(with: values("x\"\n\u{1}.txt"))
        == #"a\"x\"\n\u0001.txt\\a \"k\""#)
  }

  @Test func valuesAreEncodedForURLs() throws {
    let template = try Template(
      "http://h/a b/{file.name}?k={secret.k}", escaping: .url, lookup: Self.lookup)
    #expect(
      template.filled(with: values("ä/../b?#%.txt"))
        == "http://h/a b/%C3%A4%2F..%2Fb%3F%23%25.txt?k=a%20%22k%22")
    #expect(template.sample("x") == "http://h/a b/x?k=x")
  }

  @Test func templatesAreJoined() throws {
    let sum =
      Template(literal: "[") + (try Template("{file.ext}", lookup: Self.lookup))
      + Template(literal: "]")
    #expect(sum.filled(with: values()) == "[gz]")
    #expect(Template(literal: "a") + Template(literal: "b") == Template(literal: "ab"))
  }
}
