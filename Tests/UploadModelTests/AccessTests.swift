import Testing
import UploadModel

/// What happens to a target's access, in words, and what each is answered with.
struct AccessRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var hasCommand = false
  /// "ask", "401" and "403" with the token in force, "old 401" with the one before, "again 401" of an
  /// upload that was refused before, "taken", "old taken", "token", "no token", "reopen"; then "=" and
  /// the answer.
  let story: String

  static let all = [
    // Without a command.
    AccessRow(testDescription: "all goes well", story: "ask=go taken ask=go"),
    AccessRow(
      testDescription: "wrong from the start",
      story: "ask=go 401=close 401=stands ask=wait 403=stands ask=wait"),
    AccessRow(testDescription: "forbidden from the start", story: "403=close ask=wait"),
    AccessRow(
      testDescription: "a person helps", story: "401=close ask=wait reopen ask=go 401=close"),
    AccessRow(testDescription: "it expires", story: "taken taken 401=close ask=wait"),
    AccessRow(
      testDescription: "one that was under way gets in",
      story: "401=close ask=wait taken=open ask=go"),
    AccessRow(
      testDescription: "one file is forbidden", story: "taken 403=stands ask=go 403=stands ask=go"),
    AccessRow(
      testDescription: "many files are forbidden, others not",
      story: "taken 403=stands 403=stands taken 403=stands 403=stands taken ask=go"),
    AccessRow(
      testDescription: "forbidden all at once",
      story: "taken 403=stands 403=stands 403=close ask=wait reopen ask=go 403=close"),
    // With one.
    AccessRow(
      testDescription: "the token is fetched before the first", hasCommand: true,
      story: "ask=renew ask=wait ask=wait token ask=go taken ask=go"),
    AccessRow(
      testDescription: "there is none", hasCommand: true,
      story: "ask=renew no-token ask=wait reopen ask=renew token ask=go"),
    AccessRow(
      testDescription: "it expires, several notice", hasCommand: true,
      story:
        "ask=renew token taken 401=renew 401=again ask=wait token old-401=again ask=go taken ask=go"
    ),
    AccessRow(
      testDescription: "it expires twice", hasCommand: true,
      story: "ask=renew token taken 401=renew token taken 401=renew token ask=go"),
    AccessRow(
      testDescription: "the first is stale", hasCommand: true,
      story: "ask=renew token 401=renew token again-401=close ask=wait 401=stands"),
    AccessRow(
      testDescription: "a new one is refused too, and a person helps", hasCommand: true,
      story:
        "ask=renew token 403=renew token 403=close ask=wait reopen ask=renew ask=wait token ask=go"),
    AccessRow(
      testDescription: "a new one is taken by others only", hasCommand: true,
      story:
        "ask=renew token taken 403=renew token taken again-403=stands ask=go again-401=stands ask=go"
    ),
    AccessRow(
      testDescription: "one forbidden file, alone on its lane", hasCommand: true,
      story: "ask=renew token taken 403=renew token again-403=stands ask=go taken ask=go"),
    AccessRow(
      testDescription: "an answer to the old token proves nothing", hasCommand: true,
      story: "ask=renew token taken 401=renew token old-taken 401=close"),
    AccessRow(
      testDescription: "renewal fails, and one that was under way gets in", hasCommand: true,
      story: "ask=renew token taken 401=renew no-token taken=shut ask=wait"),
    AccessRow(
      testDescription: "a person asks for what is open", hasCommand: true,
      story: "ask=renew reopen ask=wait token reopen ask=go"),
  ]
}

struct AccessTests {
  @Test(arguments: AccessRow.all)
  func stories(_ row: AccessRow) {
    var access = Access(hasCommand: row.hasCommand)
    for step in row.story.split(separator: " ") {
      let halves = step.split(separator: "=").map(String.init)
      let answer = Self.tell(halves[0], to: &access)
      if halves.count > 1 { #expect(answer == halves[1], "\(step) in \(row.story)") }
    }
  }

  private static func tell(_ word: String, to access: inout Access) -> String {
    let parts = word.split(separator: "-")
    switch parts.last {
    case "ask": return "\(access.mayStart())"
    case "taken":
      return access.noteTaken(with: access.token - (parts[0] == "old" ? 1 : 0)) ? "open" : "shut"
    case "token" where parts[0] == "no": access.noteNotRenewed()
    case "token": access.noteRenewed()
    case "reopen": access.reopen()
    case let status?:
      let consequence = access.noteRefused(
        status: Int(status) ?? 0, with: access.token - (parts[0] == "old" ? 1 : 0),
        isSecondTime: parts[0] == "again")
      return "\(consequence)"
    case nil: break
    }
    return ""
  }
}
