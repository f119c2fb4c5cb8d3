import Digests
import Testing

@testable import UploadModel

/// Digest authentication (RFC 7616): what a challenge asks for, and who uses which nonce.
struct DigestNoncesTests {
  private static func challenge(_ nonce: String, _ more: String = "") -> [String: String] {
    ["www-authenticate": #"Digest realm="r", qop="auth", nonce="\#(nonce)"\#(more)"#]
  }

  /// The example of RFC 7616 §3.9.1, in one field with both challenges; the stronger hash is answered.
  @Test(arguments: [
    (
      "MD5", #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, "#,
      "8ca523f5e9506fed4657c9700eebdbec"
    ),
    (
      "SHA-256",
      #"Digest realm="x", nonce="y", algorithm=MD5, Basic realm="a, \"b\"", Negotiate, "#
        + #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, "#,
      "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"
    ),
  ])
  func theExampleOfTheRFC(_ algorithm: String, _ beginning: String, _ response: String) throws {
    let field =
      beginning + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v","#
      + #" opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#
    let answer = try #require(DigestChallenge(in: field)).answer(
      user: "Mufasa", password: "Circle of Life", method: "GET", uri: "/dir/index.html", count: 1,
      clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
    #expect(
      answer == #"Digest username="Mufasa", realm="http-auth@example.org", "#
        + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", uri="/dir/index.html", "#
        + #"response="\#(response)", cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", "#
        + #"nc=00000001, qop=auth, opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", "#
        + "algorithm=\(algorithm)")
  }

  /// Without `qop` as in RFC 2069; `-sess`, `userhash` and quotes as in RFC 7616 §3.4.
  @Test func otherWaysToAnswer() throws {
    func hash(_ text: String) -> String { MD5.hash(text.utf8).hexadecimal }
    func answer(_ field: String, user: String = "me") throws -> String {
      try #require(DigestChallenge(in: field)).answer(
        user: user, password: "p", method: "PUT", uri: "/a", count: 17, clientNonce: "c")
    }
    let secret = hash("me:r:p")
    let plain = hash("\(secret):n:\(hash("PUT:/a"))")
    #expect(
      try answer(#"digest Realm = "r" ,nonce="n""#)
        == #"Digest username="me", realm="r", nonce="n", uri="/a", response="\#(plain)""#)
    let session = hash("\(hash("\(secret):n:c")):n:00000011:c:auth:\(hash("PUT:/a"))")
    #expect(
      try answer(#"Digest realm="r", nonce="n", algorithm=MD5-sess, qop=auth, userhash=true"#)
        == #"Digest username="\#(hash("me:r"))", realm="r", nonce="n", uri="/a", "#
        + #"response="\#(session)", cnonce="c", nc=00000011, qop=auth, algorithm=MD5-sess, userhash=true"#
    )
    #expect(
      try answer(#"Digest realm="\"r\"", nonce="n""#, user: #"a\b"#)
        .hasPrefix(#"Digest username="a\\b", realm="\"r\"", nonce="n""#))
  }

  @Test(arguments: [
    "", "Basic realm=\"r\"", "Digest", "Digest realm=\"r\"", "Digest realm=\"r\", nonce=",
    "Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\"",
    "Digest realm=\"r\", nonce=\"n\", algorithm=SHA-512-256", "Digest realm=\"r, nonce=\"n",
    "=,=\",\"Digest",
  ])
  func whatCannotBeAnswered(_ field: String) {
    let challenge = DigestChallenge(in: field)
    #expect(challenge == nil || challenge?.nonce == "")
  }

  /// One request asks, and all use the nonce that it gets.
  @Test func theOthersWaitForTheNonce() {
    let nonces = Nonces()
    #expect(nonces.step(method: "PUT", uri: "/1") == .ask)
    #expect(nonces.step(method: "PUT", uri: "/2") == .wait)
    nonces.recordUnanswered()
    #expect(nonces.step(method: "PUT", uri: "/2") == .ask, "the first one got no reply")
    #expect(nonces.recordAsked(status: 401, headers: Self.challenge("n1")))
    for count in 1...3 {
      #expect(count == nonces.use("/\(count)")?.count("n1"))
    }
  }

  /// A reply that calls the nonce stale brings the next one, and says nothing about the password.
  @Test func aStaleNonceIsReplaced() throws {
    let nonces = Nonces()
    _ = nonces.step(method: "PUT", uri: "/")
    _ = nonces.recordAsked(status: 401, headers: Self.challenge("n1"))
    let first = try #require(nonces.use("/"))
    #expect(nonces.record(status: 401, headers: Self.challenge("n2", ", stale=TRUE"), to: first))
    let second = try #require(nonces.use("/"))
    #expect(second.count("n2") == 1)
    #expect(!nonces.record(status: 401, headers: Self.challenge("n3"), to: second), "a refusal")
  }

  /// Servers that forget their nonces do not all say so, but they have accepted the password before.
  @Test func aNonceThatWasAcceptedAndIsForgotten() throws {
    let nonces = Nonces()
    _ = nonces.step(method: "PUT", uri: "/")
    _ = nonces.recordAsked(status: 401, headers: Self.challenge("n1"))
    let (first, second) = (try #require(nonces.use("/")), try #require(nonces.use("/")))
    let third = try #require(nonces.use("/"))
    #expect(!nonces.record(status: 201, headers: [:], to: first))
    #expect(!nonces.record(status: 201, headers: [:], to: second))
    #expect(!nonces.record(status: 401, headers: Self.challenge("n1"), to: third), "still valid")
    #expect(nonces.record(status: 401, headers: Self.challenge("n2"), to: third))
  }

  /// A server that accepts each nonce once is asked for one for each request, so that no body is sent in vain.
  @Test func noncesForOneUse() throws {
    let nonces = Nonces()
    _ = nonces.step(method: "PUT", uri: "/")
    _ = nonces.recordAsked(status: 401, headers: Self.challenge("n1"))
    let first = try #require(nonces.use("/"))
    #expect(!nonces.record(status: 201, headers: [:], to: first))
    for number in 2...3 {
      let second = try #require(nonces.use("/"))
      let stale = Self.challenge("n\(number)", ", stale=true")
      #expect(nonces.record(status: 401, headers: stale, to: second))
      let again = try #require(nonces.use("/"))
      #expect(again.count("n\(number)") == 1)
      #expect(!nonces.record(status: 201, headers: [:], to: again))
    }
    for number in 4...6 {
      #expect(nonces.step(method: "PUT", uri: "/") == .ask)
      #expect(nonces.step(method: "PUT", uri: "/") == .ask, "none waits for another one's nonce")
      #expect(nonces.recordAsked(status: 401, headers: Self.challenge("n\(number)")))
      #expect(nonces.use("/")?.count("n\(number)") == 1)
    }
  }

  @Test func theNextNonceMayComeWithASuccess() throws {
    let nonces = Nonces()
    _ = nonces.step(method: "PUT", uri: "/")
    _ = nonces.recordAsked(status: 401, headers: Self.challenge("n1"))
    let first = try #require(nonces.use("/"))
    let info = ["authentication-info": #"nextnonce="n2", qop=auth"#]
    #expect(!nonces.record(status: 201, headers: info, to: first))
    #expect(nonces.use("/")?.count("n2") == 1)
  }
}

/// Nonces that an expectation may change.
private final class Nonces {
  private var nonces = DigestNonces(user: "me", password: "p")

  func step(method: String, uri: String) -> DigestNonces.Step {
    nonces.step(method: method, uri: uri)
  }

  func recordAsked(status: Int, headers: [String: String]) -> Bool {
    nonces.recordAsked(status: status, headers: headers)
  }

  func recordUnanswered() { nonces.recordUnanswered() }

  func record(status: Int, headers: [String: String], to answer: DigestNonces.Answer) -> Bool {
    nonces.record(status: status, headers: headers, to: answer)
  }

  /// The answer that a request gets; nil if it has to ask or to wait.
  func use(_ uri: String) -> DigestNonces.Answer? {
    if case .answer(let answer) = step(method: "PUT", uri: uri) { answer } else { nil }
  }
}

extension DigestNonces.Answer {
  /// How often this nonce has been used with the answer; nil if it uses another one.
  fileprivate func count(_ nonce: String) -> Int? {
    guard field.contains("nonce=\"\(nonce)\""),
      let match = field.firstMatch(of: /nc=([0-9a-f]{8})/)
    else { return nil }
    return Int(match.1, radix: 16)
  }
}
