import Testing
import UploadModel

/// Failures are gathered by their cause and the server's words.
@Suite struct FailureReasonTests {
  private static func refused(_ status: Int, _ text: String = "") -> Failure {
    Failure(.refused, status: status, reply: Reply(text: text), attempts: 1)
  }

  @Test func theWordsAreTheCauseAndWhatTheServerSaid() {
    func words(_ failure: Failure, of name: String = "a.jpg") -> String {
      FailureReason(failure, of: name).words
    }
    #expect(words(Self.refused(403, #"{"error": "not yours"}"#)) == "403, not yours")
    #expect(words(Self.refused(404)) == "404 Not Found")
    #expect(words(Failure(.missing)) == "file is missing")
    #expect(
      words(Failure(.rejected("ok is false"), status: 200, reply: Reply(text: "quota exceeded")))
        == "rejected by the server, quota exceeded")
    // A page that only repeats the status says nothing.
    let page = "<html><head><title>404 Not Found</title></head><body>404</body></html>"
    #expect(words(Self.refused(404, page)) == "404 Not Found")
    #expect(words(Failure(.outcomeUnknown("closed"))) == "closed, may have arrived")
    var unclear = Self.refused(500, "disk full")
    unclear.arrival = .unclear
    #expect(words(unclear) == "500, disk full, may have arrived")
  }

  @Test func theSameWordsAboutTwoFilesAreTheSameReason() {
    let reasons = ["a.jpg", "b b.jpg"].map { name in
      FailureReason(Self.refused(409, "There is a file called \(name)."), of: name)
    }
    #expect(reasons[0] == reasons[1])
    #expect(reasons[0].words == "409, There is a file called …")
    // A name inside a longer word does not count.
    let failure = Self.refused(403, "at http://h/?password=s3cret a map")
    #expect(
      FailureReason(failure, of: "a").words == "403, at http://h/?password=(secret) … map")
  }

  @Test func theLineOfAFailureShowsNoSecretOfAnAddress() {
    let failure = Self.refused(403, "not at http://h/?password=s3cret")
    #expect(
      failure.line == "403 Forbidden, the server said: not at http://h/?password=(secret)")
  }

  /// What has failed is not among what somebody has to look for on the server.
  @Test func whatHasFailedComesFirst() {
    let unclear = Failure(.outcomeUnknown("closed"))
    var (doubtful, grown) = (Receipt(status: 200), Receipt(status: 201))
    doubtful.doubt = "quota exceeded"
    grown.growth = 12
    let reasons =
      [FailureReason(doubtful, of: "a"), FailureReason(doubtful, of: "b")].compactMap(\.self)
      + [FailureReason(unclear, of: "c"), FailureReason(unclear, of: "d")]
      + [FailureReason(Self.refused(403, "not yours"), of: "e")]
      + [FailureReason(grown, of: "f")].compactMap(\.self)
    let groups = FailureGroup.gathered(reasons.enumerated().map { ($1, $0) })
    #expect(
      groups.map(\.line) == [
        "1 × 403, not yours", "2 × closed, may have arrived", "2 × doubtful: 200, quota exceeded",
        "1 × doubtful: 201, the file has grown",
      ])
    #expect(FailureReason(Receipt(status: 201), of: "a") == nil)
  }

  @Test func theMostFrequentReasonIsFirst() {
    let failures =
      [Failure(.missing)] + Array(repeating: Self.refused(403, "not yours"), count: 412)
      + [Self.refused(403, "too late"), Failure(.missing)]
    let groups = FailureGroup.gathered(
      failures.enumerated().map { (FailureReason($1, of: "\($0)"), $0) })
    #expect(
      groups.map(\.words) == [
        "403, not yours: 412 files", "file is missing: 2 files", "403, too late: 1 file",
      ])
    #expect(groups[1].members == [0, 414] && groups[0].members == Array(1...412))
  }
}
