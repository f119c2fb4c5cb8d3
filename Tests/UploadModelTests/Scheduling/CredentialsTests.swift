import Testing

@testable import UploadModel

/// What happens to a target's credentials, in words, and what each is answered with.
struct CredentialsRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var hasCommand = false
  /// "ask" for one start, which is made where that is permitted; "401" and "403" with the token in force, "old 401" with the one before, "again 401" of an
  /// upload that was refused before, "taken", "old taken", "token", "no token"; "reopen" for another try by
  /// the person; "silent" where the probe was not answered, "gone" where it is no more; then "=" and the
  /// answer.
  let story: String

  static let all = [
    // Without a command.
    CredentialsRow(testDescription: "all goes well", story: "ask=go taken ask=go"),
    CredentialsRow(
      testDescription: "wrong from the start",
      story: "ask=go 401=close 401=stands ask=wait 403=stands ask=wait"),
    CredentialsRow(testDescription: "forbidden from the start", story: "403=close ask=wait"),
    CredentialsRow(
      testDescription: "a person helps",
      story:
        "401=close ask=wait reopen ask=probe ask=wait 401=close ask=wait reopen ask=probe taken=open ask=go ask=go"
    ),
    CredentialsRow(testDescription: "it expires", story: "taken taken 401=close ask=wait"),
    CredentialsRow(
      testDescription: "one that was under way gets in",
      story: "401=close ask=wait taken=open ask=go"),
    CredentialsRow(
      testDescription: "one file is forbidden", story: "taken 403=stands ask=go 403=stands ask=go"),
    CredentialsRow(
      testDescription: "many files are forbidden, others not",
      story: "taken 403=stands 403=stands taken 403=stands 403=stands taken ask=go"),
    CredentialsRow(
      testDescription: "forbidden all at once",
      story: "taken 403=stands 403=stands 403=close ask=wait reopen ask=probe 403=close"),
    CredentialsRow(
      testDescription: "a probe that is not answered leaves it to the next",
      story: "401=close reopen ask=probe ask=wait silent ask=probe taken=open ask=go"),
    CredentialsRow(
      testDescription: "a probe that is taken back leaves all as it was",
      story: "401=close reopen gone ask=wait reopen ask=probe gone ask=wait"),
    CredentialsRow(
      testDescription: "nothing is given up or unanswered where all is well",
      story: "silent gone ask=go taken silent gone ask=go"),
    // With one.
    CredentialsRow(
      testDescription: "the token is fetched before the first", hasCommand: true,
      story: "ask=renew ask=wait ask=wait token ask=go taken ask=go"),
    CredentialsRow(
      testDescription: "there is none", hasCommand: true,
      story:
        "ask=renew no-token ask=wait reopen ask=renew token ask=probe ask=wait taken=open ask=go"),
    CredentialsRow(
      testDescription: "it expires, several notice", hasCommand: true,
      story:
        "ask=renew token taken 401=renew 401=again ask=wait token old-401=again ask=go taken ask=go"
    ),
    CredentialsRow(
      testDescription: "it expires twice", hasCommand: true,
      story: "ask=renew token taken 401=renew token taken 401=renew token ask=go"),
    CredentialsRow(
      testDescription: "the first is stale", hasCommand: true,
      story: "ask=renew token 401=renew token again-401=close ask=wait 401=stands"),
    CredentialsRow(
      testDescription: "a new one is refused too, and a person helps", hasCommand: true,
      story:
        "ask=renew token 403=renew token 403=close ask=wait reopen ask=renew ask=wait token ask=probe"
    ),
    CredentialsRow(
      testDescription: "a new one is taken by others only", hasCommand: true,
      story:
        "ask=renew token taken 403=renew token taken again-403=stands ask=go again-401=stands ask=go"
    ),
    CredentialsRow(
      testDescription: "one forbidden file, alone on its lane", hasCommand: true,
      story: "ask=renew token taken 403=renew token again-403=stands ask=go taken ask=go"),
    CredentialsRow(
      testDescription: "an answer to the old token proves nothing", hasCommand: true,
      story: "ask=renew token taken 401=renew token old-taken 401=close"),
    CredentialsRow(
      testDescription: "renewal fails, and one that was under way gets in", hasCommand: true,
      story: "ask=renew token taken 401=renew no-token taken=shut ask=wait"),
    CredentialsRow(
      testDescription: "a person asks for what is open", hasCommand: true,
      story: "ask=renew reopen ask=wait token reopen ask=go"),
  ]
}

struct CredentialsTests {
  @Test(arguments: CredentialsRow.all)
  func stories(_ row: CredentialsRow) {
    var credentials = Credentials(hasCommand: row.hasCommand)
    for step in row.story.split(separator: " ") {
      let halves = step.split(separator: "=").map(String.init)
      let answer = Self.tell(halves[0], to: &credentials)
      if halves.count > 1 { #expect(answer == halves[1], "\(step) in \(row.story)") }
    }
  }

  private static func tell(_ word: String, to credentials: inout Credentials) -> String {
    let parts = word.split(separator: "-")
    switch parts.last {
    case "ask":
      let permission = credentials.permission
      switch permission {
      case .go, .probe: credentials.recordStarted()
      case .renew: credentials.recordRenewing()
      case .wait: break
      }
      return "\(permission)"
    case "taken":
      credentials.recordAccepted(with: credentials.token - (parts[0] == "old" ? 1 : 0))
      return credentials.isClosed ? "shut" : "open"
    case "silent": credentials.recordUnanswered()
    case "gone": credentials.recordGivenUp()
    case "token" where parts[0] == "no": credentials.recordRenewalFailure()
    case "token": credentials.recordRenewed()
    case "reopen": credentials.tryAgain()
    case let status?:
      let consequence = credentials.recordRefused(
        status: Int(status) ?? 0, with: credentials.token - (parts[0] == "old" ? 1 : 0),
        isSecondTime: parts[0] == "again")
      return "\(consequence)"
    case nil: break
    }
    return ""
  }
}
