import Digests
import Foundation
import ScalarText

/// A request to be signed with AWS Signature Version 4
/// (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
package struct SignatureV4 {
  static let algorithm = "AWS4-HMAC-SHA256"

  package var method: String
  /// Where it goes. The path and the query are signed as they are sent.
  package var url: URL
  /// The request's other header fields. Each one is signed unless its name is in `unsigned`.
  package var headers: [(name: String, value: String)]
  package var content: Content

  /// What a signature says about a request's body.
  package enum Content: Sendable {
    /// These bytes.
    case bytes([UInt8])
    /// A file, and the hexadecimal digits of the body's SHA-256; nil if that is not known.
    case file(sha256: String?)
  }

  package init(
    method: String, url: URL, headers: [(name: String, value: String)], content: Content
  ) {
    (self.method, self.url, self.headers, self.content) = (method, url, headers, content)
  }

  /// Header fields that proxies and HTTP libraries change. AWS's own clients leave them out as well.
  private static let unsigned: Set<String> = [
    "authorization", "baggage", "connection", "content-length", "expect", "keep-alive",
    "proxy-authenticate", "proxy-authorization", "te", "traceparent", "tracestate", "trailer",
    "transfer-encoding", "upgrade", "user-agent", "x-amzn-trace-id",
  ]

  /// The header fields that sign the request at this time. They replace header fields with the same names.
  package func fields(
    signedBy auth: SigV4Auth, at date: Date
  ) throws(Failure.Cause) -> [RequestHead.Header] {
    // The time in UTC, such as `20130524T000000Z`.
    let time = date.formatted(
      Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
    var fields = auth.tokenHeaders
    fields.append(RequestHead.Header(name: "X-Amz-Date", value: [.text(time)]))
    let digest = try digest(auth)
    if auth.isS3 || value(of: Self.digestName) != nil {
      fields.append(RequestHead.Header(name: Self.digestName, value: [.text(digest)]))
    }
    let replaced = Set(fields.map { $0.name.lowercased() })
    let signed = canonical(
      headers.filter { !replaced.contains($0.name.lowercased()) }
        + fields.map { ($0.name, $0.value.written) })
    let names = signed.map(\.name).joined(separator: ";")
    let request = [
      method, path(auth), query, signed.map { "\($0.name):\($0.value)\n" }.joined(), names, digest,
    ].joined(separator: "\n")
    let scope = [String(time.unicodeScalars.prefix(8)), auth.region, auth.service, "aws4_request"]
    let text = [
      Self.algorithm, time, scope.joined(separator: "/"), SHA256.hash(request.utf8).hexadecimal,
    ].joined(separator: "\n")
    let key = scope.reduce(Array("AWS4\(auth.secret.fixedText)".utf8)) { key, word in
      MessageAuthentication.code(of: word.utf8, key: key)
    }
    let signature = MessageAuthentication.code(of: text.utf8, key: key).hexadecimal
    let secret = Template.Secret(name: "signature", value: signature, source: .derived)
    fields.append(
      RequestHead.Header(
        name: "Authorization",
        value: [.text("\(Self.algorithm) Credential=")] + auth.key.stretches(with: .none)
          + [
            .text("/\(scope.joined(separator: "/")), SignedHeaders=\(names), Signature="),
            .secret(secret, written: signature),
          ]))
    return fields
  }

  static let digestName = "X-Amz-Content-Sha256"
  /// Takes the place of the digest of a body that the signature does not cover.
  static let unsignedContent = "UNSIGNED-PAYLOAD"

  private func value(of name: String) -> String? {
    headers.last { $0.name.lowercased() == name.lowercased() }?.value
  }

  // MARK: The canonical request

  /// What the signature says about the body: the value of the target's own header field, or else the SHA-256, or
  /// `unsignedContent` where S3 allows that.
  private func digest(_ auth: SigV4Auth) throws(Failure.Cause) -> String {
    if let given = value(of: Self.digestName) { return given.trimming(\.isWhiteSpace) }
    switch content {
    case .bytes(let bytes): return SHA256.hash(bytes).hexadecimal
    case .file where !auth.coversContent(at: url): return Self.unsignedContent
    case .file(let sha256?): return sha256
    case .file(nil):
      throw .unsendable("the signature needs the SHA-256 of the request's body, which is not known")
    }
  }

  /// The header fields that are signed, sorted by their names in lower case.
  private func canonical(
    _ headers: [(name: String, value: String)]
  ) -> [(name: String, value: String)] {
    var values: [String: [String]] = [:]
    for (name, value) in headers where !Self.unsigned.contains(name.lowercased()) {
      let words = value.unicodeScalars.split { $0 == " " || $0 == "\t" }.map { String($0) }
      values[name.lowercased(), default: []].append(words.joined(separator: " "))
    }
    if values["host"] == nil { values["host"] = [host] }
    return values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .map { ($0.key, $0.value.joined(separator: ",")) }
  }

  /// The host and the port as the transport sends them: the usual port is left out.
  private var host: String {
    let name = url.host ?? ""
    let shown = name.contains(scalars: ":") ? "[\(name)]" : name
    guard let port = url.port, port != (url.scheme == "https" ? 443 : 80) else { return shown }
    return "\(shown):\(port)"
  }

  /// The path and the query of the URL, as they are sent.
  private var address: (path: ArraySlice<UInt8>, query: ArraySlice<UInt8>) {
    let text = Array(url.absoluteString.utf8.prefix { $0 != UInt8(ascii: "#") })
    let start = text.firstIndex(of: UInt8(ascii: ":")).map { $0 + 3 } ?? 0
    let rest = text.dropFirst(start).drop { !"/?".utf8.contains($0) }
    let path = rest.prefix { $0 != UInt8(ascii: "?") }
    return (path, rest[path.endIndex...].dropFirst())
  }

  /// The path. For S3, it is encoded once, like the query, and keeps its dots and double slashes. For all other
  /// services, it is normalized and encoded twice.
  private func path(_ auth: SigV4Auth) -> String {
    let slash = UInt8(ascii: "/")
    let path = address.path
    let segments = path.split(separator: slash, omittingEmptySubsequences: false)
    guard !auth.isS3 else {
      return path.isEmpty ? "/" : segments.map(Self.encodedOnce).joined(separator: "/")
    }
    var kept: [ArraySlice<UInt8>] = []
    for segment in segments where !segment.isEmpty && !segment.elementsEqual(".".utf8) {
      if segment.elementsEqual("..".utf8) { _ = kept.popLast() } else { kept.append(segment) }
    }
    let end = path.last == slash && !kept.isEmpty ? "/" : ""
    return "/\(kept.map(PercentEncoding.encode(bytes:)).joined(separator: "/"))\(end)"
  }

  /// The query, sorted by the encoded names and values.
  private var query: String {
    let equals = UInt8(ascii: "=")
    // Encoded texts are ASCII, which `<` compares byte by byte.
    return address.query.split(separator: UInt8(ascii: "&")).map { item in
      let name = item.prefix { $0 != equals }
      return (Self.encodedOnce(name), Self.encodedOnce(item[name.endIndex...].dropFirst()))
    }.sorted(by: <).map { "\($0.0)=\($0.1)" }.joined(separator: "&")
  }

  /// Encodes a text from a URL as AWS does, after decoding what is already encoded.
  private static func encodedOnce(_ text: ArraySlice<UInt8>) -> String {
    PercentEncoding.encode(bytes: PercentEncoding.decode(text))
  }
}
