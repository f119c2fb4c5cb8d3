import Foundation
import TestSupport
import Testing

@testable import UploadModel

/// Signatures of AWS, compared with those of its own library and with the examples of its documentation.
struct SignatureV4Tests {
  /// What botocore gets of a request.
  private struct Request: Encodable {
    var method: String
    var url: String
    var headers: [[String]]
    var body: Data
    var isBodySigned: Bool
    var time: Int
    var service: String
    var region: String
    var key: String
    var secret: String
    var token: String?

    func authorization() throws -> String {
      func secret(_ name: String, _ value: String) -> Template {
        Template(Template.Secret(name: name, value: value, source: .environment))
      }
      let keys = SigV4Auth(
        region: region, service: service, key: secret("KEY", key),
        secret: secret("SECRET", self.secret),
        token: token.map { secret("TOKEN", $0) })
      let bytes = [UInt8](body)
      let request = SignatureV4(
        method: method, url: try #require(URL(string: url), "\(url)"),
        headers: headers.map { ($0[0], $0[1]) },
        content: isBodySigned ? .bytes(bytes) : .file(sha256: nil))
      let fields = try request.fields(
        signedBy: keys, at: Date(timeIntervalSince1970: Double(time)))
      return try #require(fields.last { $0.name == "Authorization" }).value.written
    }
  }

  /// Draws requests, the same ones in each run.
  private struct Drawing {
    var random = SplitMix64(seed: 4)

    mutating func pick<T>(_ choices: [T]) -> T {
      choices[Int.random(in: choices.indices, using: &random)]
    }

    mutating func text(_ pieces: [String], _ counts: ClosedRange<Int>) -> String {
      (0..<Int.random(in: counts, using: &random)).map { _ in pick(pieces) }.joined()
    }

    static let pieces = [
      "a", "Z", "9", "file", "-", "_", ".", "~", " ", "  ", "+", "%", "&", "=", "?", "#", "ü",
      "e\u{301}", "日本", "🙂", "\"", "'", "(", ")", "*", "!", "$", ":", "@", ",", ";", "%41",
    ]

    mutating func request() -> Request {
      let service = pick(["s3", "s3", "execute-api", "es"])
      let slashes = service == "s3" ? ["/", "/", "//"] : ["/", "/", "//", "/./", "/../", "/a/../"]
      // botocore never has to sign an S3 address without a path.
      let path = (0..<Int.random(in: (service == "s3" ? 1 : 0)...4, using: &random)).map { _ in
        pick(slashes) + PercentEncoding.encode(text(Self.pieces, 0...5))
      }.joined()
      let names = ["a", "B", "a-b", "list-type", "ü", "x y", "prefix"]
      let items = (0..<Int.random(in: 0...5, using: &random)).map { _ -> String in
        let name = PercentEncoding.encode(pick(names))
        return pick([0, 1, 1, 1]) == 0
          ? pick([name, "\(name)="]) : "\(name)=\(PercentEncoding.encode(text(Self.pieces, 0...3)))"
      }
      let host = pick(["b.s3.amazonaws.com", "127.0.0.1:9000", "h:443", "h:80", "[::1]:8080"])
      let url = "\(pick(["https", "http"]))://\(host)\(path)"
      let values = [
        "x", "a  b", " a b   c ", "", "text/plain; charset=utf-8", "max-age=60, public",
      ]
      let all = [
        "Content-Type", "X-Amz-Acl", "x-amz-meta-Name", "Accept", "User-Agent", "Cache-Control",
        "X-Amz-Storage-Class", "Zz", "Content-MD5", "Connection", "Expect",
      ]
      let chosen = all.shuffled(using: &random).prefix(Int.random(in: 0...6, using: &random))
      let isBodySigned = service != "s3" || url.hasPrefix("http:") || pick([true, false])
      return Request(
        method: pick(["GET", "PUT", "POST", "DELETE", "HEAD", "PATCH"]),
        url: items.isEmpty ? url + pick(["", "?"]) : "\(url)?\(items.joined(separator: "&"))",
        headers: chosen.map { [$0, pick(values)] },
        body: Data(random.bytes(pick([0, 1, 100]))), isBodySigned: isBodySigned,
        time: Int.random(in: 0..<4_000_000_000, using: &random), service: service,
        region: pick(["eu-central-1", "us-east-1", "auto"]),
        key: "AKIA\(Int.random(in: 0..<1_000_000, using: &random))",
        secret: text(["a", "Z", "/", "+", "=", "0123456789", "ü"], 1...50),
        token: pick([nil, text(["a", "/", "+", "=", "0123456789"], 20...60)]))
    }
  }

  @Test("300 requests are signed as botocore signs them")
  func botocore() throws {
    var drawing = Drawing()
    let requests = (0..<300).map { _ in drawing.request() }
    let file = try ScratchDirectory().write(
      "requests.json", [UInt8](JSONEncoder().encode(requests)))
    let printed = try Peer.python("sign_with_botocore.py", file)
    let lines = printed.split(separator: "\n").map { String($0) }
    try #require(lines.count == requests.count)
    for (request, line) in zip(requests, lines) {
      #expect(try request.authorization() == line, "\(request)")
    }
  }

  /// The examples of "Authenticating Requests: Using the Authorization Header" in S3's API reference.
  @Test(
    arguments: [
      (
        "GET", "/test.txt", [("Range", "bytes=0-9")], "",
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
      ),
      (
        "PUT", "/test$file.text",
        [
          ("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ], "Welcome to Amazon S3.",
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
      ),
      (
        "GET", "/?lifecycle", [], "",
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
      ),
      (
        "GET", "/?max-keys=2&prefix=J", [], "",
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
      ),
    ])
  func documentation(
    _ method: String, _ path: String, _ headers: [(String, String)], _ body: String,
    _ signature: String
  ) throws {
    let request = Request(
      method: method, url: "https://examplebucket.s3.amazonaws.com\(path)",
      headers: headers.map { [$0.0, $0.1] }, body: Data(body.utf8), isBodySigned: true,
      time: 1_369_353_600, service: "s3", region: "us-east-1", key: "AKIAIOSFODNN7EXAMPLE",
      secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    let text = try request.authorization()
    #expect(text.hasSuffix("Signature=\(signature)"), "\(text)")
  }

  private static let keys = SigV4Auth(
    region: "r", service: "execute-api", key: Template(literal: "K"),
    secret: Template(literal: "s").hidden(as: "secret_access_key"))

  private func fields(
    _ url: String, _ headers: [(String, String)] = [], _ content: SignatureV4.Content,
    _ change: (inout SigV4Auth) -> Void = { _ in }
  ) throws -> [RequestHead.Header] {
    var keys = Self.keys
    change(&keys)
    let request = SignatureV4(
      method: "PUT", url: try #require(URL(string: url)), headers: headers, content: content)
    return try request.fields(signedBy: keys, at: Date(timeIntervalSince1970: 0))
  }

  @Test("a URL is signed as the server reads it, however it is written")
  func spellings() throws {
    let pairs = [
      ("https://h/a(b)%c3%bc", "https://h/a%28b%29%C3%BC"), ("https://h", "https://h/"),
      ("https://h/?b=2&a=x(y)&&a", "https://h/?a=&a=x%28y%29&b=2"),
    ]
    for (written, canonical) in pairs {
      let both = try [written, canonical].map { url in
        try fields(url, [], .file(sha256: nil)) { $0.service = "s3" }
      }
      #expect(both[0] == both[1], "\(written)")
    }
  }

  @Test("what the target says of the body is signed, and unknown bodies only for S3 over https")
  func bodies() throws {
    #expect(throws: Failure.Cause.self) { try fields("http://h/", [], .file(sha256: nil)) }
    let known = try fields("http://h/", [], .file(sha256: "00"))
    #expect(known.map(\.name) == ["X-Amz-Date", "Authorization"])
    let given = try fields("http://h/", [("x-amz-content-sha256", "00")], .file(sha256: nil))
    #expect(given.map(\.name) == ["X-Amz-Date", "X-Amz-Content-Sha256", "Authorization"])
    #expect(given[1].value.written == "00")
    for (url, sum) in [("https://h/", "UNSIGNED-PAYLOAD"), ("http://h/", "00")] {
      let fields = try fields(url, [], .file(sha256: "00")) { $0.service = "s3" }
      #expect(fields[1].value.written == sum)
    }
  }

  @Test("keys, tokens and signatures are marked as secrets")
  func secrets() throws {
    let shown = try fields("http://h/", [], .bytes([])) {
      $0.token = Template(literal: "t0ken").hidden(as: "session_token")
    }.map { "\($0.name): \($0.value.shown)" }
    #expect(
      shown == [
        "X-Amz-Security-Token: $SESSION_TOKEN", "X-Amz-Date: 19700101T000000Z",
        "Authorization: AWS4-HMAC-SHA256 Credential=K/19700101/r/execute-api/aws4_request, "
          + "SignedHeaders=host;x-amz-date;x-amz-security-token, Signature=$SIGNATURE",
      ])
  }
}
