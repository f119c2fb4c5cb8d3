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

  private static let known = Template.Placeholder.allCases.map { "{\($0.rawValue)}" }
    .joined(separator: " ")

  @Test(arguments: [
    ("{", "\"{\" without \"}\" after it; write \"{{\" for a brace"),
    ("a {file.name", "\"{\" without \"}\" after it; write \"{{\" for a brace"),
    ("}", "\"}\" without \"{\" before it; write \"}}\" for a brace"),
    ("{file.name}}", "\"}\" without \"{\" before it; write \"}}\" for a brace"),
    ("{env.NOPE}", "the environment variable NOPE is not set"),
    ("{env.}", "{env.} names no environment variable"),
    ("{file.nme}", "unknown placeholder {file.nme}; there are \(known) {env.NAME}"),
    ("{}", "unknown placeholder {}; there are \(known) {env.NAME}"),
    ("{ file.name }", "unknown placeholder { file.name }; there are \(known) {env.NAME}"),
    ("{FILE.NAME}", "unknown placeholder {FILE.NAME}; there are \(known) {env.NAME}"),
  ])
  func mistakes(_ source: String, _ message: String) {
    let mistake = #expect(throws: Template.Mistake.self) { try filled(source) }
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
}
