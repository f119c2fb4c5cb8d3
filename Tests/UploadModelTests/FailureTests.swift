import Foundation
import MultipartForm
import Testing

@testable import UploadModel

/// One cause, and what scripts and retries go by. The words are for people, and only have to fit.
struct CauseRow: Sendable, CustomTestStringConvertible {
  let failure: Failure
  let code: String
  let isTransient: Bool
  var testDescription: String { "\(code): \(failure.headline)" }

  init(_ cause: Failure.Cause, _ code: String, transient: Bool = false, status: Int? = nil) {
    failure = Failure(cause, status: status, attempts: 1)
    self.code = code
    isTransient = transient
  }

  static let all: [CauseRow] = [
    CauseRow(.missing, "missing"),
    CauseRow(.unreadable("Permission denied"), "unreadable"),
    CauseRow(.shortage("Too many open files"), "shortage", transient: true),
    CauseRow(.notAFile(kind: "a folder"), "not-a-file"),
    CauseRow(.changed(.vanished), "missing"),
    CauseRow(.changed(.shrank), "changed"),
    CauseRow(.changed(.grew), "changed"),
    CauseRow(.changed(.replaced), "changed"),
    CauseRow(.changed(.modified), "changed"),
    CauseRow(.tooLarge(limit: 5_000_000), "too-large"),
    CauseRow(.empty, "empty"),
    CauseRow(
      .typeNotAllowed(
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        allowed: ["image/*", "application/pdf"]), "type-not-allowed"),
    CauseRow(
      .unsendable("Part 1 cannot be sent: its name has the byte 0x0A. Replace it."), "unsendable"),
    CauseRow(.clash(.address("https://h/a.txt")), "would-overwrite"),
    CauseRow(.clash(.name("a.txt")), "would-overwrite"),
    CauseRow(.taken(TakenName("a.txt", size: 3, time: "2026-11-29 14:00")), "name-taken"),
    CauseRow(.nameNotResolved(host: "nowhere.example"), "name-not-resolved", transient: true),
    CauseRow(.connectionRefused("Connection refused"), "connection-refused", transient: true),
    CauseRow(.unreachable("No route to host"), "unreachable", transient: true),
    CauseRow(
      .proxyUnreachable("proxy:3128: Connection refused"), "proxy-unreachable", transient: true),
    CauseRow(.connectionLost("Broken pipe"), "connection-lost", transient: true),
    CauseRow(.stalled(seconds: 60), "stalled", transient: true),
    CauseRow(.outOfTime(seconds: 90), "out-of-time"),
    CauseRow(.insecure("certificate has expired"), "insecure"),
    CauseRow(.network("error -1"), "network", transient: true),
    CauseRow(.network(""), "network", transient: true),
    CauseRow(.refused, "refused"),
    CauseRow(.refused, "http-599", transient: true, status: 599),
    CauseRow(.redirected(to: "https://b.example/", .otherOrigin), "redirected", status: 307),
    CauseRow(.redirected(to: nil, .noLocation), "redirected"),
    CauseRow(.redirected(to: "/x", .losesBody), "redirected", status: 302),
    CauseRow(.redirected(to: "/x", .tooMany), "redirected", status: 308),
    CauseRow(.unencrypted("http://a.example/files/1"), "unencrypted", status: 201),
    CauseRow(.notHTTP("Weird server reply"), "not-http"),
    CauseRow(.rejected("rc is 7"), "rejected", status: 200),
    CauseRow(.unusable("the ticket has no /url"), "unusable-answer", status: 200),
    CauseRow(.outcomeUnknown("its answer is not JSON"), "outcome-unknown", status: 200),
    CauseRow(.differs("its sha-256 is 00, and the file's is 11"), "content-differs", status: 200),
    CauseRow(.notRecorded("503 Service Unavailable"), "no-record"),
    CauseRow(.noFolder("photos/2026", "403 Forbidden"), "no-folder", status: 403),
    CauseRow(.denied("pass ended with status 1"), "no-credentials"),
    CauseRow(.denied("even with a new token from pass"), "http-401", status: 401),
    CauseRow(.anonymous, "http-401", status: 401),
    CauseRow(.nonceExpired, "nonce-expired", transient: true, status: 401),
    CauseRow(.notTried("the server refused the credentials"), "not-tried"),
    CauseRow(.cancelled, "cancelled"),
    CauseRow(.outcomeUnknown("Recv failure"), "outcome-unknown"),
    CauseRow(.unresumable(.noLocation), "resume-no-location"),
  ]
}

/// A number for each case; a new one does not compile until it is here, and then fails below.
private func number(_ cause: Failure.Cause) -> Int {
  switch cause {
  case .missing: 0
  case .unreadable: 1
  case .notAFile: 2
  case .changed: 3
  case .tooLarge: 4
  case .typeNotAllowed: 5
  case .unsendable: 6
  case .nameNotResolved: 7
  case .connectionRefused: 8
  case .unreachable: 9
  case .connectionLost: 10
  case .stalled: 11
  case .insecure: 12
  case .network: 13
  case .refused: 14
  case .redirected: 15
  case .notHTTP: 16
  case .rejected: 17
  case .cancelled: 18
  case .outcomeUnknown: 19
  case .outOfTime: 20
  case .denied: 21
  case .empty: 22
  case .notRecorded: 23
  case .shortage: 24
  case .unusable: 25
  case .proxyUnreachable: 26
  case .unresumable: 27
  case .differs: 28
  case .anonymous: 29
  case .notTried: 30
  case .clash: 31
  case .nonceExpired: 32
  case .unencrypted: 33
  case .taken: 34
  case .noFolder: 35
  }
}

struct FailureTests {
  @Test func theTableHasEveryCause() {
    #expect(Set(CauseRow.all.map { number($0.failure.cause) }) == Set(0...35))
  }

  @Test func whatMayBeThereAlready() {
    let codes = CauseRow.all.filter { $0.failure.mayHaveArrived }.map(\.code)
    #expect(codes == ["outcome-unknown", "no-record", "outcome-unknown"])
  }

  @Test(arguments: CauseRow.all)
  func whatRestsOnTheCause(_ row: CauseRow) {
    #expect(row.failure.code == row.code)
    let headline = row.failure.headline
    #expect(!headline.isEmpty && headline.count <= 40, "it must fit a row: \(headline)")
    // A row tells apart what its causes tell apart, but for the words of a server or a system.
    let same = CauseRow.all.filter { $0.failure.headline == headline }
    #expect(Set(same.map(\.code)).count == 1, "\(headline)")
    #expect(row.failure.isTransient == row.isTransient)
    #expect(row.failure.needsPerson == (!row.isTransient && row.failure.cause != .cancelled))
  }

  /// A story of at least one sentence and an advice, each with a capital and one full stop.
  @Test(arguments: CauseRow.all)
  func theExplanationIsMadeOfSentences(_ row: CauseRow) {
    let text = row.failure.explanation
    #expect(text.first?.isUppercase == true && text.hasSuffix("."), "\(text)")
    for flaw in ["..", ": .", "  ", " .", ":.", "nil", "Optional", "\n"] {
      #expect(!text.contains(flaw), "\(flaw.debugDescription) in: \(text)")
    }
    let sentences = text.dropLast().split(separator: ". ")
    #expect(sentences.count >= 2, "story and advice: \(text)")
    #expect(sentences.allSatisfy { $0.first?.isUppercase == true }, "\(text)")
  }

  /// The history has only the code, and says the same as the queue, unless that depends on the failure.
  @Test(arguments: CauseRow.all)
  func theCodeHasTheWords(_ row: CauseRow) {
    let varying: Set = [
      "not-a-file", "changed", "stalled", "out-of-time", "redirected", "no-folder", "refused",
      "resume-no-location",
    ]
    guard !varying.contains(row.code), !row.code.hasPrefix("http-") else { return }
    #expect(Failure.headline(ofCode: row.code) == Failure(row.failure.cause).headline)
    #expect(Failure.headline(ofCode: "resume-no-location") == "resume no location")
  }

  @Test func wholeExplanations() {
    #expect(
      Failure(.refused, status: 413, attempts: 1).explanation
        == "The server refused it: 413 Content Too Large. "
        + "Retrying will not help: the server does not accept files of this size.")
    // What may have been stored is not said to be refused.
    var unclear = Failure(.refused, status: 500, attempts: 1)
    unclear.arrival = .unclear
    #expect(
      unclear.explanation
        == "The server answered 500 Internal Server Error. "
        + "The server may have stored the file before it reported an error: check there before you retry."
    )
    #expect(
      Failure(.connectionLost("Broken pipe."), attempts: 3).explanation
        == "The connection broke before everything was sent: Broken pipe. "
        + "It was tried 3 times. Retry sends it again from the first byte.")
    #expect(
      Failure(.notAFile(kind: "a FIFO")).explanation
        == "This path is a FIFO; only regular files can be uploaded. "
        + "Copy its content to a regular file and add that.")
    #expect(
      Failure(.network(""), attempts: 1).explanation
        == "The upload was interrupted: no reason was given. "
        + "Retry sends it again from the first byte.")
  }

  /// The list, the history, reports and messages call it the same, whenever it is noticed.
  @Test func aFileThatIsNotThereHasOneName() {
    let (before, since) = (Failure(.missing), Failure(.changed(.vanished)))
    #expect(since.code == before.code && since.headline == before.headline)
    #expect(
      since.explanation
        == "The file was there when it was queued and is gone now. "
        + "Put the file back, or correct its path, then retry.")
  }

  @Test func aTimeOutIsThatOfEachAttempt() {
    #expect(
      Failure(.stalled(seconds: 3), attempts: 1).explanation.hasPrefix(
        "No byte moved for 3 s. Retry"))
    #expect(
      Failure(.stalled(seconds: 3), attempts: 3).explanation.hasPrefix(
        "In the last of 3 attempts, no byte moved for 3 s. Each attempt may wait that long. Retry"))
  }

  @Test(arguments: [
    Failure.Cause.connectionLost("reset"), .stalled(seconds: 30), .network("broke"), .cancelled,
  ])
  func whatGoesOnDoesNotStartAgain(_ cause: Failure.Cause) throws {
    let failure = Failure(cause, attempts: 1)
    #expect(failure.explanation.hasSuffix("Retry sends it again from the first byte."))
    #expect(
      failure.explanation(goesOn: true).hasSuffix("Retry resumes where the upload left off."))
    // Whether it does is the item's to say.
    var item = UploadItem(id: ItemID(1), target: "nas", location: FileLocation("/a"))
    #expect(item.explanation == nil)
    item.state = .failed(failure)
    #expect(item.explanation == failure.explanation)
    let url = try #require(URL(string: "http://nas/files/1"))
    item.resumePoint = ResumePoint(
      url: url, target: "nas",
      identity: FileIdentity(device: 1, inode: 1, size: 1, modified: 0))
    #expect(item.canGoOn && item.explanation == failure.explanation(goesOn: true))
    item.target = "other"
    #expect(!item.canGoOn && item.explanation == failure.explanation, "begun for another target")
  }

  /// Nobody who reads it has anything to do.
  @Test func whatIsTriedAgainByItselfHasNoAdvice() {
    let failure = Failure(.refused, status: 429, attempts: 1, retryAfter: 17)
    #expect(failure.account.hasSuffix(" The server asks to wait 17 s."), "\(failure.account)")
    #expect(failure.explanation.hasPrefix("\(failure.account) Retry after that"))
  }

  @Test(arguments: 100...599)
  func everyStatus(_ status: Int) {
    let failure = Failure(.refused, status: status, attempts: 1)
    #expect(failure.code == "http-\(status)")
    #expect(failure.headline.contains(String(status)) && failure.headline.count <= 40)
    let mayPass =
      [408, 423, 425, 429, 500, 502, 503, 504].contains(status) || status == 509 || status > 511
    #expect(failure.isTransient == mayPass)
    #expect(failure.explanation.contains(failure.headline))
    if failure.isTransient { #expect(failure.explanation.hasSuffix("retry in a while.")) }
  }

  @Test func anErrorAfterAllWasSentDoesNotPassByItself() {
    var failure = Failure(.refused, status: 500, attempts: 1)
    failure.arrival = .unclear
    #expect(!failure.isTransient && failure.needsPerson && failure.code == "http-500")
    #expect(failure.explanation.hasSuffix("check there before you retry."))
    let unknown = Failure(.outcomeUnknown("a gateway answered"), status: 502, attempts: 1)
    #expect(unknown.explanation.hasPrefix("The server answered 502 Bad Gateway, and it is unclear"))
  }

  @Test(arguments: [
    (FileError.Reason.vanished, true, Failure.Cause.changed(.vanished)),
    (.vanished, false, .missing),
    (.shrunk(from: 9, to: 3), true, .changed(.shrank)),
    (.rangeOutsideFile(0..<9, size: 3), true, .changed(.shrank)),
    (.grown(from: 3, to: 9), true, .changed(.grew)),
    (.replaced, true, .changed(.replaced)),
    (.modified, true, .changed(.modified)),
    (.unreadable(errno: EACCES, during: .open), false, .unreadable("Permission denied")),
    (.unreadable(errno: EIO, during: .read), true, .unreadable("Input/output error")),
    (.notARegularFile(.directory), false, .notAFile(kind: "a folder")),
    (.notARegularFile(.fifo), false, .notAFile(kind: "a FIFO")),
    (.notARegularFile(.device), false, .notAFile(kind: "a device")),
    (.notARegularFile(.socket), false, .notAFile(kind: "a socket")),
    (.notARegularFile(.other), false, .notAFile(kind: "not a regular file")),
    (.sizeUnknown, false, .unreadable("its size cannot be known before it is read")),
  ])
  func faultsOfFiles(_ reason: FileError.Reason, wasSeen: Bool, cause: Failure.Cause) {
    let error = FileError("/a", reason)
    #expect(Failure.Cause(error, wasSeen: wasSeen) == cause)
    #expect(Failure.Cause(BodyError.file(error), wasSeen: wasSeen) == cause)
    #expect(cause.isLocal)
  }

  /// The details of a file that was sent say what would happen if it was sent again.
  @Test func onlyAnUploadIsSaidToHaveBeenCutOff() {
    let cause = Failure.Cause.changed(.grew)
    let broken = Failure(cause, attempts: 1).explanation
    #expect(broken.contains("The upload was cut off, so nothing wrong was stored."))
    let unsent = Failure(cause).explanation
    #expect(
      unsent
        == "The file has become longer since it was queued. Retry sends the file as it is now.")
  }

  @Test func aClockThatIsWrongIsNotTakenForWrongKeys() {
    let text = "<Error><Code>RequestTimeTooSkewed</Code><Message>The difference</Message></Error>"
    let failure = Failure(.refused, status: 403, reply: Reply(text: text), attempts: 1)
    #expect(failure.explanation.contains("Set this machine's clock"))
    #expect(!Failure(.refused, status: 403, attempts: 1).explanation.contains("clock"))
  }

  /// Many mistakes share these statuses; the words of the server tell them apart.
  @Test(arguments: [
    (
      422,
      #"{"message": "Validation Failed", "errors": [{"code": "already_exists", "field": "name"}]}"#,
      "under another name"
    ),
    (400, "<d:error><s:message>File already exists</s:message></d:error>", "under another name"),
    (409, #"{"error": {"code": "nameAlreadyExists"}}"#, "under another name"),
    (
      422, #"{"errors": {"file": ["must not be greater than 2048 kilobytes"]}}"#,
      "files of this size"
    ),
    (400, "<Error><Code>EntityTooLarge</Code></Error>", "files of this size"),
    (400, #"{"error": "Storage quota exceeded"}"#, "make room"),
    (400, #"{"message": "Unsupported file type"}"#, "does not accept this type"),
    (400, #"{"error": "The token has expired"}"#, "give the target credentials"),
    (
      400, #"{"detail": [{"loc": ["body", "file"], "msg": "field required"}]}"#,
      "which fields and header fields"
    ),
    (
      400, "<d:error><s:message>Eicar-Test-Signature found</s:message></d:error>",
      "fix what the server reports"
    ),
    (400, "<html><title>400 Bad Request</title>", "which fields and header fields"),
    (400, "", "which fields and header fields"),
    (409, #"{"message": "the album is closed"}"#, "until something changes on the server"),
    (413, #"{"message": "already exists"}"#, "files of this size"),
  ])
  func adviceGoesByWhatTheServerSays(_ status: Int, _ reply: String, _ advice: String) {
    let failure = Failure(.refused, status: status, reply: Reply(text: reply), attempts: 1)
    #expect(failure.explanation.contains(advice), "\(failure.explanation)")
  }

  /// The target may have no credentials at all.
  @Test func aRefusalDoesNotSpeakOfCredentialsThatMayNotBeThere() {
    let words = Failure(.refused, status: 403, attempts: 1).explanation
    #expect(!words.contains("these credentials") && words.contains("if any"), "\(words)")
  }

  @Test func faultsOfFormsCannotBeSent() {
    let cause = Failure.Cause(.form(.tooLong), wasSeen: true)
    #expect(cause == .unsendable(FormError.tooLong.description))
  }

  @Test(arguments: [
    (0.0, "0 s"), (0.0004, "1 ms"), (0.005, "5 ms"), (0.0994, "99 ms"), (0.0995, "0.1 s"),
    (0.4, "0.4 s"), (8, "8 s"),
  ])
  func shortSpansAreNotRoundedToNothing(_ seconds: Double, _ words: String) {
    #expect(HumanReadable.seconds(seconds) == words)
  }
}
