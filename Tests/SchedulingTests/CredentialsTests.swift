import Testing

@testable import UploadModel

/// What happens to a target's credentials, step by step, and what each step is answered with.
struct CredentialsRow: Sendable, CustomTestStringConvertible {
  /// One event, with the answer that it must get.
  enum Step: Sendable {
    /// An upload asks to start, and does if it may.
    case ask(Credentials.Permission)
    /// The server answers 401 or 403 to an upload that was sent with the token in force.
    case refused(Int, Credentials.Consequence)
    /// The server answers 403 to this file, perhaps once more.
    case forbiddenAsBefore(Int64)
    /// The server answers an upload that was already sent again because of such an answer.
    case refusedAgain(Int, Credentials.Consequence)
    /// The server answers an upload that was sent with the token before.
    case refusedWithOldToken(Int, Credentials.Consequence)
    /// The server accepts an upload; afterwards the credentials are closed, or not.
    case accepted(isClosed: Bool = false)
    case acceptedWithOldToken
    /// The command gives a token, or fails.
    case token, noToken
    /// The user tries again.
    case tryAgain
    /// The probe ended without an answer, or is gone.
    case unanswered, gone
    /// Another process has found them to be refused.
    case knownRefused
  }

  let testDescription: String
  var hasCommand = false
  let steps: [Step]

  static let all = withoutCommand + withCommand

  private static let withoutCommand = [
    CredentialsRow(testDescription: "all goes well", steps: [.ask(.go), .accepted(), .ask(.go)]),
    CredentialsRow(
      testDescription: "wrong from the start",
      steps: [
        .ask(.go), .refused(401, .close), .refused(401, .stands), .ask(.wait),
        .refused(403, .stands), .ask(.wait),
      ]),
    CredentialsRow(
      testDescription: "the first file is forbidden",
      steps: [.ask(.go), .refused(403, .stands), .ask(.go), .accepted(), .ask(.go)]),
    CredentialsRow(
      testDescription: "the user helps",
      steps: [
        .refused(401, .close), .ask(.wait), .tryAgain, .ask(.probe), .ask(.wait),
        .refused(401, .close), .ask(.wait), .tryAgain, .ask(.probe), .accepted(), .ask(.go),
        .ask(.go),
      ]),
    CredentialsRow(
      testDescription: "they expire: the third 401 in a row closes them",
      steps: [
        .accepted(), .accepted(), .refused(401, .stands), .ask(.go), .refused(401, .stands),
        .ask(.go), .refused(401, .close), .ask(.wait),
      ]),
    CredentialsRow(
      testDescription: "some files are unauthorized, others are accepted",
      steps: [
        .accepted(), .refused(401, .stands), .refused(401, .stands), .accepted(),
        .refused(401, .stands), .refused(401, .stands), .accepted(), .ask(.go),
      ]),
    CredentialsRow(
      testDescription: "an upload that was under way is accepted",
      steps: [.refused(401, .close), .ask(.wait), .accepted(), .ask(.go)]),
    CredentialsRow(
      testDescription: "one file is forbidden again and again",
      steps: [
        .forbiddenAsBefore(1), .forbiddenAsBefore(1), .forbiddenAsBefore(1), .ask(.go),
        .forbiddenAsBefore(2), .forbiddenAsBefore(1), .ask(.go), .forbiddenAsBefore(3),
        .ask(.probe),
      ]),
    CredentialsRow(
      testDescription: "many files are forbidden, others are not",
      steps: [
        .accepted(), .refused(403, .stands), .refused(403, .stands), .accepted(),
        .refused(403, .stands), .refused(403, .stands), .ask(.go), .accepted(), .ask(.go),
      ]),
    CredentialsRow(
      testDescription: "three forbidden in a row: one at a time until one is accepted",
      steps: [
        .refused(403, .stands), .refused(403, .stands), .refused(403, .stands), .ask(.probe),
        .ask(.wait), .refused(403, .stands), .unanswered, .ask(.probe), .refused(403, .stands),
        .unanswered, .ask(.probe), .accepted(), .ask(.go), .ask(.go),
      ]),
    CredentialsRow(
      testDescription: "forbidden files do not count as unauthorized",
      steps: [
        .accepted(), .refused(403, .stands), .refused(403, .stands), .refused(401, .stands),
        .refused(401, .stands), .ask(.go),
      ]),
    CredentialsRow(
      testDescription: "one that goes alone because others were forbidden, and is unauthorized",
      steps: [
        .refused(403, .stands), .refused(403, .stands), .refused(403, .stands), .ask(.probe),
        .refused(401, .close), .ask(.wait),
      ]),
    CredentialsRow(
      testDescription: "the user tries again, and the file that goes first is forbidden",
      steps: [
        .refused(401, .close), .tryAgain, .ask(.probe), .refused(403, .stands), .gone,
        .unanswered, .ask(.probe), .accepted(), .ask(.go),
      ]),
    CredentialsRow(
      testDescription: "a probe without an answer is followed by the next",
      steps: [
        .refused(401, .close), .tryAgain, .ask(.probe), .ask(.wait), .unanswered, .ask(.probe),
        .accepted(), .ask(.go),
      ]),
    CredentialsRow(
      testDescription: "a probe that is taken back changes nothing",
      steps: [
        .refused(401, .close), .tryAgain, .gone, .ask(.wait), .tryAgain, .ask(.probe), .gone,
        .ask(.wait),
      ]),
    CredentialsRow(
      testDescription: "known to be refused, nothing starts until the user tries again",
      steps: [
        .knownRefused, .ask(.wait), .tryAgain, .ask(.probe), .ask(.wait), .refused(401, .close),
        .ask(.wait), .tryAgain, .ask(.probe), .accepted(), .ask(.go),
      ]),
    CredentialsRow(
      testDescription: "nothing is given up or unanswered while all is well",
      steps: [.unanswered, .gone, .ask(.go), .accepted(), .unanswered, .gone, .ask(.go)]),
  ]

  private static let withCommand = [
    CredentialsRow(
      testDescription: "the token is fetched before the first", hasCommand: true,
      steps: [
        .ask(.renew), .ask(.wait), .ask(.wait), .token, .ask(.go), .accepted(), .ask(.go),
      ]),
    CredentialsRow(
      testDescription: "there is none", hasCommand: true,
      steps: [
        .ask(.renew), .noToken, .ask(.wait), .tryAgain, .ask(.renew), .token, .ask(.probe),
        .ask(.wait), .accepted(), .ask(.go),
      ]),
    CredentialsRow(
      testDescription: "it expires, and several notice", hasCommand: true,
      steps: [
        .ask(.renew), .token, .accepted(), .refused(401, .renew), .refused(401, .again),
        .ask(.wait), .token, .refusedWithOldToken(401, .again), .ask(.go), .accepted(), .ask(.go),
      ]),
    CredentialsRow(
      testDescription: "it expires twice", hasCommand: true,
      steps: [
        .ask(.renew), .token, .accepted(), .refused(401, .renew), .token, .accepted(),
        .refused(401, .renew), .token, .ask(.go),
      ]),
    CredentialsRow(
      testDescription: "the first is stale", hasCommand: true,
      steps: [
        .ask(.renew), .token, .refused(401, .renew), .token, .refusedAgain(401, .close),
        .ask(.wait), .refused(401, .stands),
      ]),
    CredentialsRow(
      testDescription: "one file stays unauthorized with a new token, others do not",
      hasCommand: true,
      steps: [
        .ask(.renew), .token, .accepted(), .refused(401, .renew), .token,
        .refusedAgain(401, .stands), .ask(.go), .accepted(), .ask(.go),
      ]),
    CredentialsRow(
      testDescription: "a 403 renews a token once, and then stands", hasCommand: true,
      steps: [
        .ask(.renew), .token, .refused(403, .renew), .token, .refusedAgain(403, .stands),
        .ask(.go), .accepted(), .ask(.go),
      ]),
    CredentialsRow(
      testDescription: "three forbidden in a row with a new token: one at a time", hasCommand: true,
      steps: [
        .ask(.renew), .token, .refused(403, .renew), .token, .refusedAgain(403, .stands),
        .refused(403, .stands), .ask(.probe), .ask(.wait), .accepted(), .ask(.go),
      ]),
    CredentialsRow(
      testDescription: "a new one is accepted for others only", hasCommand: true,
      steps: [
        .ask(.renew), .token, .accepted(), .refused(403, .renew), .token, .accepted(),
        .refusedAgain(403, .stands), .ask(.go), .refusedAgain(401, .stands), .ask(.go),
      ]),
    CredentialsRow(
      testDescription: "an answer to the old token proves nothing", hasCommand: true,
      steps: [
        .ask(.renew), .token, .accepted(), .refused(401, .renew), .token, .acceptedWithOldToken,
        .refusedAgain(401, .stands), .refused(401, .close),
      ]),
    CredentialsRow(
      testDescription: "renewal fails, and one that was under way is accepted", hasCommand: true,
      steps: [
        .ask(.renew), .token, .accepted(), .refused(401, .renew), .noToken,
        .accepted(isClosed: true), .ask(.wait),
      ]),
    CredentialsRow(
      testDescription: "known to be refused, the command does not run until the user tries again",
      hasCommand: true,
      steps: [
        .knownRefused, .ask(.wait), .tryAgain, .ask(.renew), .token, .ask(.probe), .accepted(),
        .ask(.go),
      ]),
    CredentialsRow(
      testDescription: "the user tries again what is open", hasCommand: true,
      steps: [.ask(.renew), .tryAgain, .ask(.wait), .token, .tryAgain, .ask(.go)]),
  ]
}

struct CredentialsTests {
  @Test(arguments: CredentialsRow.all)
  func everyStepGetsItsAnswer(_ row: CredentialsRow) {
    var credentials = Credentials(hasCommand: row.hasCommand)
    for (index, step) in row.steps.enumerated() {
      Self.check(step, about: ItemID(Int64(index)), "step \(index + 1): \(step)", &credentials)
    }
  }

  private static func check(
    _ step: CredentialsRow.Step, about file: ItemID, _ words: Comment,
    _ credentials: inout Credentials
  ) {
    switch step {
    case .ask(let expected):
      let permission = credentials.permission
      #expect(permission == expected, words)
      switch permission {
      case .go, .probe: credentials.recordStarted()
      case .renew: credentials.recordRenewing()
      case .wait: break
      }
    case .refused(let status, let expected):
      let consequence = credentials.recordRefused(
        file, status: status, with: credentials.token, isSecondTime: false)
      #expect(consequence == expected, words)
    case .forbiddenAsBefore(let file):
      let consequence = credentials.recordRefused(
        ItemID(-file), status: 403, with: credentials.token, isSecondTime: false)
      #expect(consequence == .stands, words)
    case .refusedAgain(let status, let expected):
      let consequence = credentials.recordRefused(
        file, status: status, with: credentials.token, isSecondTime: true)
      #expect(consequence == expected, words)
    case .refusedWithOldToken(let status, let expected):
      let consequence = credentials.recordRefused(
        file, status: status, with: credentials.token - 1, isSecondTime: false)
      #expect(consequence == expected, words)
    case .accepted(let isClosed):
      credentials.recordAccepted(with: credentials.token)
      #expect(credentials.isClosed == isClosed, words)
    case .acceptedWithOldToken: credentials.recordAccepted(with: credentials.token - 1)
    case .token: credentials.recordRenewed()
    case .noToken: credentials.recordRenewalFailure()
    case .tryAgain: credentials.tryAgain()
    case .unanswered: credentials.recordUnanswered()
    case .gone: credentials.recordGivenUp()
    case .knownRefused: credentials.recordKnownRefused()
    }
  }
}
