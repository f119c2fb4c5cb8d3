import Foundation
import JSONText
import Testing
import UploadModel

@testable import Settings

@Suite("A rule is written into the configuration, and nothing else changes")
struct RuleEditTests {
  private static let entry = #"fail_when = [ { pointer = "/ok", is = false, message = "/error" } ]"#
  private static let one = #"{ pointer = "/ok", is = false, message = "/error" }"#

  private func rule() throws -> FailureRule {
    FailureRule(
      .pointer(try JSONPointer("/ok")), test: .equals(.bool(false)),
      message: .pointer(try JSONPointer("/error")))
  }

  @Test(arguments: [
    // No table of rules.
    (
      "# mine\n[targets.nas]  # é\nurl = \"http://nas/\"\n",
      "# mine\n[targets.nas]  # é\nresponse.\(entry)\nurl = \"http://nas/\"\n"
    ),
    (
      "[targets.nas]\r\nurl = \"http://nas/\"\r\n",
      "[targets.nas]\r\nresponse.\(entry)\r\nurl = \"http://nas/\"\r\n"
    ),
    // A table of its own, and one on a line.
    (
      "[targets.nas]\nurl = \"http://nas/\"\n[targets.nas.response]\nurl = \"/url\"\n",
      "[targets.nas]\nurl = \"http://nas/\"\n[targets.nas.response]\n\(entry)\nurl = \"/url\"\n"
    ),
    (
      "[targets.nas]\nurl = \"http://nas/\"\nresponse = { url = \"/url\" } # so\n",
      "[targets.nas]\nurl = \"http://nas/\"\nresponse = { \(entry), url = \"/url\" } # so\n"
    ),
    (
      "[targets.nas]\nurl = \"http://nas/\"\nresponse = {}\n",
      "[targets.nas]\nurl = \"http://nas/\"\nresponse = { \(entry) }\n"
    ),
    (
      "[targets.nas]\nurl = \"http://nas/\"\nresponse.url = \"/url\"\n",
      "[targets.nas]\nresponse.\(entry)\nurl = \"http://nas/\"\nresponse.url = \"/url\"\n"
    ),
    // Rules that come after it.
    (
      "[targets.nas]\nurl = \"http://nas/\"\n[targets.nas.response]\nfail_when = [{ regex = 'no' }] # x\n",
      "[targets.nas]\nurl = \"http://nas/\"\n[targets.nas.response]\nfail_when = [ \(one), { regex = 'no' }] # x\n"
    ),
    (
      "[targets.nas]\nurl = \"http://nas/\"\nresponse.fail_when = [\n  { regex = 'no' },\n]\n",
      "[targets.nas]\nurl = \"http://nas/\"\nresponse.fail_when = [ \(one),\n  { regex = 'no' },\n]\n"
    ),
    (
      "[targets.nas]\nurl = \"http://nas/\"\nresponse = { fail_when = [ ] }\n",
      "[targets.nas]\nurl = \"http://nas/\"\nresponse = { fail_when = [ \(one)  ] }\n"
    ),
  ])
  func aRuleIsAdded(_ before: String, _ after: String) throws {
    let edit = ConfigEdit(of: before, file: "/c/config.toml", environment: [:])
    #expect(try edit.writing(try rule(), to: "nas") == after)
  }

  @Test(
    "a form that is not easy to recognise stays as it is, and the error has the rule",
    arguments: [
      "targets.nas.url = \"http://nas/\"\n",
      "[targets]\nnas = { url = \"http://nas/\" }\n",
    ])
  func notEditable(_ text: String) throws {
    let edit = ConfigEdit(of: text, file: "/c/config.toml", environment: [:])
    let error = #expect(throws: ConfigError.self) { try edit.writing(try rule(), to: "nas") }
    #expect("\(error.map { "\($0)" } ?? "")".contains(Self.entry))
  }

  @Test("a rule that searches a text is quoted so that TOML leaves it alone")
  func patterns() throws {
    let pattern = try Pattern(#""error"\s*:\s*"\K[^"]+"#)
    let rule = FailureRule(.pattern(pattern), test: .equals(.bool(true)))
    let edit = ConfigEdit(
      of: "[targets.nas]\nurl = \"http://nas/\"\n", file: "/c/config.toml", environment: [:])
    let text = try edit.writing(rule, to: "nas")
    #expect(
      text.contains(#"response.fail_when = [ { regex = '"error"\s*:\s*"\K[^"]+', is = true } ]"#))
  }
}
