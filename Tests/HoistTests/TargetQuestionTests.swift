import Foundation
import Settings
import TestSupport
import Testing

@testable import hoist

@Suite("Questions for a new target")
struct TargetQuestionTests {
  private static let all = TargetQuestion.first + TargetQuestion.others

  private func draft(_ lines: [(String, String)] = []) -> TargetDraft {
    var draft = TargetDraft(named: "a b", file: "/c.toml")
    draft.set("url", "\"https://h/\"")
    for (key, value) in lines { draft.set(key, value) }
    return draft
  }

  @Test("every key of the sample's first table is asked for")
  func keys() throws {
    let sample = try String(
      contentsOfFile: "\(Repository.root)/config/config.toml", encoding: .utf8)
    let tables = sample.split(separator: "\n[")
    let first = try #require(tables.first { $0.hasPrefix("targets.") })
    let shown = first.matches(of: #/(?m)^#?([a-z_]+) = /#).map { String($0.1) }
    // The credentials and `idempotent` are described in words.
    let wanted = Set(shown + ["idempotent"]).subtracting(["url"])
    #expect(shown.count > 10 && first.contains("`idempotent`"))
    #expect(Set(Self.all.map(\.key)) == wanted)
  }

  @Test("what is shown as usual is what the reader takes for it", arguments: all.map(\.key))
  func defaults(_ key: String) throws {
    let question = try #require(Self.all.first { $0.key == key })
    let problem = draft().problem(with: question.value(question.trial), for: key)
    #expect(problem == nil)
    guard question.trial == question.usual else { return }
    let said = draft([(key, question.value(question.usual))])
    let plain = try Settings.parse(draft().text, file: "/c.toml", environment: [:])
    let full = try Settings.parse(said.text, file: "/c.toml", environment: [:])
    #expect(full.blueprint(of: "a b") == plain.blueprint(of: "a b"), "\(said.text)")
  }

  @Test(
    "an answer that makes no sense is refused by the reader",
    arguments: [
      ("body", "raw", "expected \"multipart\" or \"binary\", found \"raw\""),
      (
        "concurrency", "many",
        "expected a number from 1 to 64, \"auto\", or a table such as { min = 2, max = 16 }"
      ),
      ("retry", "0", "expected a whole number from 1 to 100, found 0"),
      ("same_names", "maybe", "expected true or false, found a string"),
      (
        "timeout", "a \"while\"", "expected a time such as \"30s\" or \"5m\", found \"a \"while\"\""
      ),
      (
        "redirect_to", "https://a b",
        "expected a URL such as https://host/upload, found \"b\", which lacks http:// or https://"
      ),
    ])
  func refusals(_ key: String, _ answer: String, _ problem: String) throws {
    let question = try #require(Self.all.first { $0.key == key })
    #expect(draft().problem(with: question.value(answer), for: key) == problem)
  }

  @Test(
    "what does not go with the answers before is not asked for",
    arguments: [
      ("body", "\"binary\"", ["file_field", "file_name", "batch"]),
      ("resume", "\"tus\"", ["method", "file_field", "file_name", "batch"]),
      ("type", "\"hoist\"", ["method", "body"]),
    ])
  func fitting(_ key: String, _ value: String, _ left: [String]) {
    let draft = draft([(key, value)])
    let refused = Self.all.filter {
      $0.key != key && draft.problem(with: $0.value($0.trial), for: $0.key) != nil
    }
    #expect(Set(refused.map(\.key)).subtracting(["body"]) == Set(left).subtracting(["body"]))
  }
}
