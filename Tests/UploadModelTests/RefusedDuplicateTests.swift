import Foundation
import JSONText
import Testing
import UploadModel

@Suite("A refusal that says that the server has the file already")
struct RefusedDuplicateTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let signs: [ReplySign]
    let status: Int
    var body = ""
    var sentAll = true
    let expected: String
  }

  private static func rule(_ text: String) -> FailureRule? {
    (try? Pattern(text)).map { FailureRule(.pattern($0), test: .equals(.bool(true))) }
  }

  static let rows = [
    Row(
      testDescription: "its status is enough", signs: [ReplySign(status: 409)], status: 409,
      expected: "there already"),
    Row(
      testDescription: "its status and its words",
      signs: [ReplySign(status: 422, rule("already_exists"))], status: 422,
      body: #"{"errors":[{"code":"already_exists"}]}"#, expected: "there already"),
    Row(
      testDescription: "other words", signs: [ReplySign(status: 422, rule("already_exists"))],
      status: 422, body: #"{"errors":[{"code":"missing"}]}"#, expected: "http-422"),
    Row(
      testDescription: "another status", signs: [ReplySign(status: 422, rule("exists"))],
      status: 400, body: "exists", expected: "http-400"),
    Row(
      testDescription: "a rule without a status is about successes",
      signs: [ReplySign(rule("exists"))], status: 400, body: "exists", expected: "http-400"),
    Row(
      testDescription: "a server need not read to the end what it has",
      signs: [ReplySign(status: 403)], status: 403, sentAll: false, expected: "there already"),
    Row(
      testDescription: "a success with its own status",
      signs: [ReplySign(status: 208)], status: 208, expected: "there already"),
    Row(
      testDescription: "a rule for another success",
      signs: [ReplySign(status: 208)], status: 200, expected: "200 OK"),
    Row(
      testDescription: "a server fault", signs: [ReplySign(status: 500, rule("unique"))],
      status: 500, body: "unique constraint", expected: "there already"),
  ]

  private static func target(_ signs: [ReplySign]) throws -> Target {
    var target = Target(name: "t", url: try #require(URL(string: "http://h/")))
    target.response.duplicates = signs
    return target
  }

  @Test(arguments: rows) func refusal(_ row: Row) throws {
    let target = try Self.target(row.signs)
    var end = TransferEnd(url: target.url, status: row.status, reply: Reply(text: row.body))
    end.sentAll = row.sentAll
    switch Verdict.judge(end, target: target, attempt: 1, redirects: 0, now: Date()) {
    case .delivered(let receipt): #expect(receipt.words == row.expected)
    case .failed(let failure): #expect(failure.code == row.expected)
    case .follow: Issue.record("there is no redirect")
    }
  }
}
