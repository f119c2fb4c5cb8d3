import Foundation
import JSONText
import TestSupport
import Testing

@testable import UploadModel

struct ReplyRulesTests {
  private func judge(
    _ body: String, status: Int = 200, headers: [String: String] = [:], isCut: Bool = false,
    _ change: (inout ReplyRules) throws -> Void
  ) throws -> Verdict {
    let url = try #require(URL(string: "https://h/up/load"))
    var target = Target(name: "t", url: url)
    try change(&target.response)
    let end = TransferEnd(
      url: url, status: status, headers: headers, reply: Reply(text: body, isCut: isCut))
    return Verdict.judge(end, target: target, attempt: 1, redirects: 0, now: Date())
  }

  private func outcome(_ verdict: Verdict) -> String {
    switch verdict {
    case .delivered(let receipt): "delivered \(receipt.url ?? "-")"
    case .failed(let failure):
      if case .rejected(let why) = failure.cause { "rejected: \(why)" } else { failure.code }
    case .follow: "follow"
    }
  }

  // MARK: Replies that are made to cost time

  /// Read by one attempt after the other, this would take longer than anybody waits.
  @Test func aDeepAndLongReplyIsJudged() throws {
    let depth = 100
    let deep =
      String(repeating: "[", count: depth)
      + Array(repeating: "{}", count: 100_000)
      .joined(separator: ",") + String(repeating: "]", count: depth)
    let verdict = try judge("{\"rc\":0,\"x\":\(deep)}") {
      $0.failures = [FailureRule(.pointer(try JSONPointer("/rc")), test: .differs(.integer(0)))]
      $0.url = ReplyValue(.pointer(try JSONPointer("/x/0")))
    }
    #expect(outcome(verdict) == "delivered -")
  }

  // MARK: The name

  /// Servers that replace nothing say under which name they keep a file.
  @Test(arguments: [
    ("/files/pic%20(2).png", "", "pic (2).png"), ("/files/pic-1.png?x=1", "", "pic-1.png"),
    ("/files/pic.png", "", nil), ("/files/42", "", nil), ("/files/pic%20(2).jpg", "", nil),
    ("/files/pictures2.png", "", nil), ("", #"{"name": "pic_2.png"}"#, "pic_2.png"),
    ("", #"{"files": [{"name": "pic.png", "stored": "pic (3).png"}]}"#, "pic (3).png"),
    ("", #"{"files": [{"name": "pic (2).png"}, {"name": "b"}]}"#, nil), ("", "pic (2).png", nil),
    ("", #"{"name": 7}"#, nil),
  ])
  func theNameThatAServerHasMade(_ location: String, _ body: String, _ name: String?) throws {
    let url = try #require(URL(string: "https://h/up"))
    var end = TransferEnd(
      url: url, status: 201, headers: location.isEmpty ? [:] : ["location": location],
      reply: Reply(text: body))
    #expect(ReplyRules().otherName(than: "pic.png", in: end) == name)
    end.status = 409
    #expect(ReplyRules().otherName(than: "pic.png", in: end) == nil)
  }

  // MARK: The address

  /// Without a rule and without a `Location`, the address is that of a plain reply.
  @Test(arguments: [
    (#"{"url": "https://cdn.h/f/42"}"#, "https://cdn.h/f/42"),
    (#"{"id": 42, "url": "/f/42"}"#, "https://h/f/42"),
    (#"{"url": "javascript:alert(1)"}"#, "-"), (#"{"url": ""}"#, "-"), (#"{"url": 7}"#, "-"),
    (#"[{"url": "https://h/f"}]"#, "https://h/f"),
    (#"{"file": {"url": "https://h/f"}}"#, "https://h/f"),
    ("https://h/f/42", "https://h/f/42"), (" https://paste.ex/abc\r\n", "https://paste.ex/abc"),
    (#"{"link": "/f/r1.txt"}"#, "https://h/f/r1.txt"),
    (#"{"link": "https://i/b", "url": "/a"}"#, "https://h/a"),
    (#"{"data": {"link": "https://i/1"}}"#, "https://i/1"),
    (#"{"url": "", "data": {"link": "https://i/1", "url": "/x"}}"#, "https://i/1"),
    (#"{"file": {"url": "https://i/1"}, "image": {"link": "https://i/1"}}"#, "https://i/1"),
    // That is not the file's.
    (#"{"uploader": {"url": "https://h/users/7"}}"#, "-"),
    (#"{"data": {"owner": {"url": "https://h/u"}, "link": "https://i/1"}}"#, "https://i/1"),
    // Which of them it is cannot be told.
    (#"{"files": [{"url": "https://i/1"}, {"url": "https://i/2"}]}"#, "-"),
    (#"{"data": {"link": "/f/1"}}"#, "-"), (#"{"id": "https://i/1"}"#, "-"),
    ("see https://h/f/42", "-"), ("https://h/1 https://h/2", "-"), ("https://", "-"),
    ("ftp://h/f", "-"), ("", "-"), ("201", "-"),
    // Another server is only meant if it is named in full, and credentials are for nobody to copy.
    (#"{"url": "//evil.ex/f"}"#, "-"), (#"{"link": "https://u:p@h/f"}"#, "-"),
    ("https://u@h/f", "-"), (#"{"url": "?x=1"}"#, "-"), (##"{"url": "#top"}"##, "-"),
  ])
  func anAddressInAPlainReply(_ body: String, _ address: String) throws {
    #expect(outcome(try judge(body) { _ in }) == "delivered \(address)")
    let both = try judge(body, status: 201, headers: ["location": "/at/7"]) { _ in }
    #expect(outcome(both) == "delivered https://h/at/7")
  }

  @Test func anAddressThatIsNotRecognizedIsNoticed() {
    for (text, isThere) in [
      (#"{"a": {"url": "https://i/1"}, "b": {"url": "https://i/2"}}"#, true),
      (#"{"view": "https:\/\/i\/1"}"#, true), (#"{"ok": true}"#, false), ("stored", false),
    ] {
      #expect(Reply(text: text).mayNameAddress == isThere, "\(text)")
    }
  }

  // MARK: Which statuses

  @Test(arguments: [
    (200, "delivered -"), (204, "http-204"), (302, "delivered -"), (303, "outcome-unknown"),
    (500, "http-500"),
  ])
  func statuses(_ status: Int, _ expected: String) throws {
    let verdict = try judge("", status: status) { $0.ok = [200...201, 302...302] }
    #expect(outcome(verdict) == expected)
  }

  // MARK: What says that the server has it

  /// A reply that names nothing says nothing of a file.
  @Test(arguments: [
    (#"{"o":{"a":"x"}}"#, FailureRule.Test.differs(.string("y")), true),
    (#"{"o":{"a":"y"}}"#, .differs(.string("y")), false),
    (#"{"o":{"a":null}}"#, .differs(.string("y")), false),
    (#"{"o":{"a":5}}"#, .differs(.string("y")), false),
    (#"{"o":{"a":{"b":1}}}"#, .differs(.string("y")), false),
    (#"{"o":{}}"#, .differs(.string("y")), false),
    (#"{"o":{"a":2.5}}"#, .differs(.integer(1)), true),
    (#"{"o":{}}"#, .missing(true), true), (#"{"o":{"a":null}}"#, .missing(true), true),
    (#"{"o":{"a":1}}"#, .missing(true), false), (#"{}"#, .missing(true), false),
    (#"[]"#, .missing(true), false), (#"{"o":[]}"#, .missing(true), false),
    (#"{"message":"rate limited"}"#, .missing(true), false),
    (#"{"o":{"a":1}}"#, .missing(false), true), (#"{"o":{"a":null}}"#, .missing(false), false),
  ])
  func onlyWhatIsNamedIsThere(_ body: String, _ test: FailureRule.Test, _ isThere: Bool) throws {
    let end = TransferEnd(
      url: try #require(URL(string: "https://h/")), status: 200, headers: [:],
      reply: Reply(text: body))
    let rule = FailureRule(.pointer(try JSONPointer("/o/a")), test: test)
    #expect(try [rule].fit(end) == isThere)
  }

  /// While a server is asked whether it has finished, a list that is too short lacks what would be in it.
  @Test(arguments: [
    (#"{"data":[]}"#, true), (#"{"data":[{"lockType":"Ingest"}]}"#, false),
    (#"{"data":[{}]}"#, true), (#"{"data":{}}"#, false), (#"{}"#, false), ("[]", false),
  ])
  func aListThatIsTooShortLacksTheValue(_ body: String, _ isFinished: Bool) throws {
    var rule = WaitRule()
    rule.signs = [FailureRule(.pointer(try JSONPointer("/data/0/lockType")), test: .missing(true))]
    let end = TransferEnd(
      url: try #require(URL(string: "https://h/")), status: 200, reply: Reply(text: body))
    #expect(
      rule.answer(in: end) == (isFinished ? .finished(url: nil) : .open(trouble: nil)))
    // Elsewhere, such a reply says nothing of the file.
    #expect(try rule.signs.fit(end) == body.contains("{}]"))
  }

  /// A server may call the task failed that finds that it has the file.
  @Test(arguments: [
    (#"[{"status":"FAILURE","result":"a.pdf: It is a duplicate of b"}]"#, "had it"),
    (#"[{"status":"FAILURE","result":"out of memory"}]"#, "failed"),
    (#"[{"status":"SUCCESS","result":"New document id 7"}]"#, "finished"),
    (#"[{"status":"PENDING","result":null}]"#, "open"),
  ])
  func aTaskMayFindADuplicate(_ body: String, _ expected: String) throws {
    var target = Target(name: "t", url: try #require(URL(string: "https://h/")))
    var rule = WaitRule()
    let status = ReplyPlace.pointer(try JSONPointer("/0/status"))
    rule.signs = [FailureRule(status, test: .equals(.string("SUCCESS")))]
    rule.call.rules.failures = [FailureRule(status, test: .equals(.string("FAILURE")))]
    rule.call.rules.duplicates = [
      ReplySign(FailureRule(.pattern(try Pattern("duplicate of")), test: .equals(.bool(true))))
    ]
    target.response = rule.call.rules
    let end = TransferEnd(url: target.url, status: 200, reply: Reply(text: body))
    let verdict = Verdict.judge(end, target: target, attempt: 1, redirects: 0, now: .now)
    let answer =
      if case .failed(let failure) = verdict {
        rule.answer(in: failure, from: target.url)
      } else {
        rule.answer(in: end)
      }
    let words =
      switch answer {
      case .finished(_, let isDuplicate): isDuplicate ? "had it" : "finished"
      case .failed: "failed"
      case .open: "open"
      }
    #expect(words == expected, "\(answer)")
  }

  // MARK: What says failure

  private func rule(_ test: FailureRule.Test, _ message: FailureRule.Message? = nil) throws
    -> FailureRule
  {
    FailureRule(
      .pointer(try JSONPointer("/fishingResponse/rc")), test: test, message: message)
  }

  @Test(arguments: [
    ("Something went wrong: disk full\n", "rejected: Something went wrong: disk full"),
    ("Stored.\n", "delivered -"), ("{\"a\":1}", "delivered -"), ("", "delivered -"),
  ])
  func aTextThatSaysFailure(_ body: String, _ expected: String) throws {
    let verdict = try judge(body) {
      $0.failures = [
        FailureRule(
          .pattern(try Pattern("(?i)something went wrong.*$")), test: .equals(.bool(true)))
      ]
    }
    #expect(outcome(verdict) == expected)
  }

  @Test(arguments: [
    ("OK\n", "delivered -"), ("Error", "rejected: not taken"), ("", "rejected: not taken"),
  ])
  func aTextThatDoesNotSaySuccess(_ body: String, _ expected: String) throws {
    let rule = FailureRule(
      .pattern(try Pattern("^OK$")), test: .differs(.bool(true)), message: .text("not taken"))
    #expect(outcome(try judge(body) { $0.failures = [rule] }) == expected)
    // What is missing may say that it failed.
    #expect(outcome(try judge("Sto", isCut: true) { $0.failures = [rule] }) == "outcome-unknown")
  }

  /// A rule that takes too long leaves the outcome unknown, unless another rule finds a failure.
  @Test func aTextThatIsMadeToCostTime() throws {
    let body = String(repeating: "a", count: 60_000) + "!"
    let slow = Effort.isLong ? try Pattern("(a+)+$") : try Pattern("(a+)+$", steps: 100_000)
    let reason = "searching its answer for (a+)+$ takes too long"
    for test in [
      FailureRule.Test.equals(.bool(true)), .equals(.bool(false)), .differs(.bool(true)),
    ] {
      let rule = FailureRule(.pattern(slow), test: test)
      guard case .failed(let failure) = try judge(body, { $0.failures = [rule] }) else {
        Issue.record("it counts as delivered")
        continue
      }
      #expect(failure.cause == .outcomeUnknown(reason))
      let other = FailureRule(.pattern(try Pattern("!$")), test: .equals(.bool(true)))
      #expect(outcome(try judge(body) { $0.failures = [rule, other] }) == "rejected: !")
    }
    // If the address cannot be found in time, the upload is still delivered.
    let verdict = try judge(body) { $0.url = ReplyValue(.pattern(slow)) }
    #expect(outcome(verdict) == "delivered -")
  }

  @Test(arguments: [
    ("ab12", "delivered -"), ("ab13", "rejected: x-hash-sha256 is ab13"),
    (nil, "rejected: its answer has no x-hash-sha256"),
  ])
  func aSumInAHeaderField(_ sum: String?, _ expected: String) throws {
    let url = try #require(URL(string: "https://h/up"))
    var target = Target(name: "t", url: url)
    target.response.failures = [
      FailureRule(.header("x-hash-sha256"), test: .differsText(try Template("{file.sha256}")))
    ]
    #expect(target.digests == [.sha256] && !target.response.needsContent)
    #expect(target.response.ofWholeRequest.failures.isEmpty)
    var end = TransferEnd(url: url, status: 201)
    end.headers["x-hash-sha256"] = sum
    end.digests = ContentDigests([.sha256: "ab12"])
    let verdict = Verdict.judge(end, target: target, attempt: 1, redirects: 0, now: Date())
    #expect(outcome(verdict) == expected)
  }

  @Test(arguments: [
    (#"{"fishingResponse":{"rc":0,"descr":"","items":[]}}"#, "delivered -"),
    (#"{"fishingResponse":{"rc":0.0}}"#, "delivered -"),
    (#"{"fishingResponse":{"rc":7,"descr":"unknown fish"}}"#, "rejected: unknown fish"),
    (#"{"fishingResponse":{"rc":7,"descr":""}}"#, "rejected: /fishingResponse/rc is 7"),
    (#"{"fishingResponse":{"rc":7}}"#, "rejected: /fishingResponse/rc is 7"),
    (#"{"fishingResponse":{"rc":"0"}}"#, "rejected: /fishingResponse/rc is \"0\""),
    (#"{"fishingResponse":{}}"#, "rejected: its answer has no /fishingResponse/rc"),
    ("[]", "rejected: its answer has no /fishingResponse/rc"),
    ("<html>Log in</html>", "outcome-unknown"), ("", "outcome-unknown"),
  ])
  func aValueThatMustBeThere(_ body: String, _ expected: String) throws {
    let message = FailureRule.Message.pointer(try JSONPointer("/fishingResponse/descr"))
    let verdict = try judge(body) { $0.failures = [try rule(.differs(.integer(0)), message)] }
    #expect(outcome(verdict) == expected)
  }

  @Test(arguments: [
    (#"{"fishingResponse":{"rc":"failed"}}"#, "rejected: no luck"), ("{}", "delivered -"),
    ("no JSON", "delivered -"),
  ])
  func aValueThatMustNotBeThere(_ body: String, _ expected: String) throws {
    let verdict = try judge(body) {
      $0.failures = [try rule(.equals(.string("failed")), .text("no luck"))]
    }
    #expect(outcome(verdict) == expected)
  }

  @Test func theFirstRuleThatFitsSpeaks() throws {
    let verdict = try judge(#"{"fishingResponse":{"rc":3}}"#) {
      $0.failures = [
        try rule(.equals(.integer(4)), .text("four")),
        try rule(.equals(.integer(3)), .text("three")),
        try rule(.differs(.integer(0)), .text("not null")),
      ]
    }
    #expect(outcome(verdict) == "rejected: three")
  }

  @Test(arguments: [FailureRule.Test.differs(.integer(0)), .equals(.string("error"))])
  func anAnswerThatIsTooLongToBeReadIsNeitherSuccessNorFailure(
    _ test: FailureRule.Test
  ) throws {
    let verdict = try judge("{\"a\":", isCut: true) { $0.failures = [try rule(test)] }
    #expect(outcome(verdict) == "outcome-unknown")
  }

  /// A page that begins like HTML is not JSON, however it ends.
  @Test func aLongPageIsJudgedAsAShortOne() throws {
    for isCut in [false, true] {
      let equals = try judge("<html>", isCut: isCut) {
        $0.failures = [try rule(.equals(.string("error")))]
      }
      #expect(outcome(equals) == "delivered -")
      let differs = try judge("<html>", isCut: isCut) {
        $0.failures = [try rule(.differs(.integer(0)))]
      }
      #expect(outcome(differs) == "outcome-unknown")
    }
  }

  /// What a reply that is no JSON means is the target's to say; unless it does, nothing is claimed.
  @Test(
    arguments: [
      (nil, "outcome-unknown", "delivered -"), (.unknown, "outcome-unknown", "outcome-unknown"),
      (.ok, "delivered -", "delivered -"), (.fail, "unusable-answer", "unusable-answer"),
    ] as [(ReplyRules.Unreadable?, String, String)])
  func whatCannotBeRead(
    _ meaning: ReplyRules.Unreadable?, _ differs: String, _ equals: String
  ) throws {
    for (test, expected) in [
      (FailureRule.Test.differs(.integer(0)), differs), (.equals(.integer(7)), equals),
    ] {
      let verdict = try judge("<html>thanks</html>") {
        $0.failures = [try rule(test)]
        $0.unreadable = meaning
      }
      #expect(outcome(verdict) == expected)
    }
  }

  @Test func whatCannotBeReadIsNotCalledAFailure() throws {
    let verdict = try judge("<html>") { $0.failures = [try rule(.differs(.integer(0)))] }
    guard case .failed(let failure) = verdict else { return #expect(Bool(false)) }
    #expect(failure.mayHaveArrived)
    #expect(
      failure.explanation
        == "The server answered 200 OK, and it is unclear whether it stored the file: its answer is not "
        + "JSON. Check the server before you retry: a retry may store the file twice.")
  }

  /// Each file of a request is judged by what the reply says of it.
  @Test(arguments: [
    (0, "delivered -"), (1, "rejected: no room for b"), (2, "rejected: /files/2/error is 5"),
    (3, "delivered -"),
  ])
  func eachFileByItsOwnIndex(_ index: Int, _ expected: String) throws {
    var target = Target(name: "t", url: try #require(URL(string: "https://h/")))
    target.response.failures = try [FailureRule.Test.equals(.string("bad")), .equals(.integer(5))]
      .map { test in
        FailureRule(
          .pointer(try JSONPointer("/files/*/error")), test: test,
          message: .pointer(try JSONPointer("/files/*/why")))
      }
    var end = TransferEnd(
      url: target.url, status: 200,
      reply: Reply(
        text:
          #"{"files":[{},{"error":"bad","why":"no room for b"},{"error":5},{"error":"soso"}]}"#))
    end.place = TransferEnd.Place(index, of: 4)
    let verdict = Verdict.judge(end, target: target, attempt: 1, redirects: 0, now: Date())
    #expect(outcome(verdict) == expected)
  }

  @Test func aRejectedFileIsNotTriedAgain() throws {
    let verdict = try judge("{}") { $0.failures = [try rule(.differs(.integer(0)))] }
    guard case .failed(let failure) = verdict else { return #expect(Bool(false)) }
    #expect(!failure.isTransient && failure.code == "rejected" && failure.status == 200)
  }

  // MARK: Where the file is

  private static let places: [(String, String, String)] = [
    ("/files/0/url", #"{"files":[{"url":"https://i/1.png"}]}"#, "https://i/1.png"),
    ("/url", #"{"url":"/f/1"}"#, "https://h/f/1"), ("/url", #"{"url":"f/1"}"#, "https://h/up/f/1"),
    ("/id", #"{"id":42}"#, "https://h/up/42"), ("/url", #"{"url":""}"#, "-"),
    ("/url", #"{"url":null}"#, "-"), ("/url", #"{"url":{}}"#, "-"), ("/url", "{}", "-"),
    ("/url", "no JSON", "-"),
  ]

  @Test(arguments: places)
  func byPointer(_ pointer: String, _ body: String, _ expected: String) throws {
    let verdict = try judge(body) { $0.url = ReplyValue(.pointer(try JSONPointer(pointer))) }
    #expect(outcome(verdict) == "delivered \(expected)")
  }

  @Test(arguments: [
    ("/files/*/url", 1, 2, "https://i/b"), ("/files/*/url", 2, 3, "-"),
    ("/files/*/url", 0, 1, "https://i/a"), ("/files/0/url", 0, 2, "-"), ("/*", 0, 2, "-"),
  ])
  func byPointerForEachFile(_ pointer: String, _ index: Int, _ count: Int, _ expected: String)
    throws
  {
    var rules = ReplyRules()
    rules.url = ReplyValue(.pointer(try JSONPointer(pointer)))
    let url = try #require(URL(string: "https://h/up/"))
    var end = TransferEnd(
      url: url, status: 200, headers: ["location": "/one"],
      reply: Reply(text: #"{"files":[{"url":"https://i/a"},{"url":"https://i/b"}]}"#))
    end.place = TransferEnd.Place(index, of: count)
    #expect(rules.address(in: end) ?? "-" == expected)
    rules.url = nil
    #expect(rules.address(in: end) == (count == 1 ? "https://h/one" : nil))
  }

  @Test(arguments: [
    (#"href="([^"]+)""#, "<a href=\"https://i/2\">", "https://i/2"),
    (#"https?://\S+"#, "see https://i/3 now", "https://i/3"), ("nothing(x)", "see", "-"),
  ])
  func byExpression(_ pattern: String, _ body: String, _ expected: String) throws {
    let verdict = try judge(body) { $0.url = ReplyValue(.pattern(try Pattern(pattern))) }
    #expect(outcome(verdict) == "delivered \(expected)")
  }

  @Test func byHeaderAndWithSomethingAround() throws {
    let header = try judge("", headers: ["x-file": "abc", "location": "https://other/"]) {
      $0.url = ReplyValue(.header("x-file"), prefix: "https://i/", suffix: ".png")
    }
    #expect(outcome(header) == "delivered https://i/abc.png")
    let usual = try judge("", headers: ["location": "/new"]) { _ in }
    #expect(outcome(usual) == "delivered https://h/new")
  }
}

struct UploadLimitsTests {
  @Test(arguments: [
    ("image/*", "image/jpeg", true), ("image/*", "IMAGE/PNG", true),
    ("image/*", "video/mp4", false),
    ("image/*", "imagex/png", false), ("image/jpeg", "image/jpeg", true),
    ("image/jpeg", "image/jpeg; q=1", true), ("Image/JPEG", "image/jpeg", true),
    ("image/jpeg", "image/jpegx", false),
  ])
  func types(_ pattern: String, _ type: String, _ matches: Bool) throws {
    #expect(try #require(TypePattern(pattern)).matches(type) == matches)
  }

  @Test(arguments: ["", "image", "*/*", "/x", "x/", "a/b/c", "im age/x", "*"])
  func whatIsNoType(_ text: String) { #expect(TypePattern(text) == nil) }

  @Test func refusals() throws {
    var (limits, noEmpty) = (UploadLimits(), UploadLimits())
    (limits.maxBytes, limits.types) = (10, [try #require(TypePattern("image/*"))])
    noEmpty.takesEmpty = false
    #expect(limits.refusal(ofSize: 10, type: "image/png") == nil)
    #expect(limits.refusal(ofSize: 0, type: "image/png") == nil)
    #expect(noEmpty.refusal(ofSize: 0, type: "image/png") == .empty)
    #expect(limits.refusal(ofSize: 11, type: "image/png") == .tooLarge(limit: 10))
    #expect(
      limits.refusal(ofSize: 1, type: "text/plain")
        == .typeNotAllowed("text/plain", allowed: ["image/*"]))
    #expect(UploadLimits().refusal(ofSize: .max, type: "a/b") == nil)
  }
}

struct SecretNameTests {
  @Test(arguments: [
    ("Authorization", true), ("X-Api-Key", true), ("api_key", true), ("token", true), ("key", true),
    ("X-Amz-Signature", true), ("Cookie", true), ("password", true), ("keywords", false),
    ("username", false), ("author", false), ("X-Atlassian-Token", false), ("X-Csrf-Token", true),
    ("monkey", false), ("Accept", false), ("sig", true), ("signal", false),
    ("X-JWT-Assertion", true),
    ("Ocp-Apim-Subscription-Key", true), ("X-Session-ID", true), ("X-User-Pwd", true),
    ("pass", true),
    ("passport", false), ("pin", true), ("pinned", false), ("userhash", true), ("obsession", false),
  ])
  func names(_ name: String, _ isSecret: Bool) { #expect(SecretName.matches(name) == isSecret) }

  @Test(
    "a duplicate is one of its own file, and a value that is missing says nothing",
    arguments: [
      ("/files/0/s", FailureRule.Test.equals(.string("d")), 1, true),
      ("/files/0/s", .equals(.string("d")), 2, false),
      ("/files/*/s", .equals(.string("d")), 2, true),
      ("/new", .differs(.bool(true)), 1, false),
    ])
  func duplicates(
    _ pointer: String, _ test: FailureRule.Test, _ count: Int, _ isDuplicate: Bool
  ) throws {
    var rules = ReplyRules()
    rules.duplicates = [ReplySign(FailureRule(.pointer(try JSONPointer(pointer)), test: test))]
    var target = Target(name: "t", url: try #require(URL(string: "http://h/")))
    target.response = rules
    var end = TransferEnd(
      url: target.url, status: 200, reply: Reply(text: #"{"files":[{"s":"d"},{"s":"n"}]}"#))
    end.place = TransferEnd.Place(0, of: count)
    let verdict = Verdict.judge(end, target: target, attempt: 1, redirects: 0, now: Date())
    guard case .delivered(let receipt) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect(receipt.wasThere == isDuplicate)
    #expect(receipt.words == (isDuplicate ? "there already" : "200 OK"))
  }
}
