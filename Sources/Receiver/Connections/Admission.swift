import Digests
import Foundation
import MultipartForm
import NIOHTTP1
import ScalarText

// What is decided about an upload before its body is read. A client that sends `Expect: 100-continue` can be refused
// here before it sends a byte of the body.

extension Site {
  /// Checks the head of an upload with any content, form or not.
  func checkHead(_ head: HTTPRequestHead) throws(Refusal) {
    let codings = head.headers[canonicalForm: "transfer-encoding"].map { $0.lowercased() }
    guard codings.isEmpty || codings == ["chunked"] else {
      throw Refusal(.notImplemented, "The only transfer coding understood here is chunked.")
    }
    if codings.isEmpty {
      guard let text = head.headers["content-length"].first?.trimming(\.isBlank) else {
        throw Refusal(.lengthRequired, "Send Content-Length, or Transfer-Encoding: chunked.")
      }
      guard let length = Int64(text), length >= 0 else {
        throw Refusal(.badRequest, "The Content-Length is not a number of bytes.")
      }
      try checkRoom(for: length, of: "request", within: ByteLimit(configuration.limits.bodyBytes))
    }
    guard
      head.headers[canonicalForm: "content-encoding"].allSatisfy({ $0.lowercased() == "identity" })
    else {
      throw Refusal(
        .unsupportedMediaType, "Send the form without Content-Encoding.",
        headers: [("Accept-Encoding", "identity")])
    }
  }

  /// Refuses content that exceeds the limit, with these header fields, or the free space on the disk.
  func checkRoom(
    for length: Int64, of what: String, within limit: ByteLimit, headers: [(String, String)] = []
  ) throws(Refusal) {
    guard length <= limit.bytes else {
      throw Refusal(
        .payloadTooLarge, "The \(what) has \(length) bytes; \(limit.words).", headers: headers)
    }
    if let free = inbox.freeBytes, length > free - configuration.reservedBytes {
      throw Refusal(
        .insufficientStorage, "The \(what) has \(length) bytes, and the disk has no room for them.")
    }
  }
}

enum Admission {
  /// Checks that a request has the token. How long that takes does not tell how much of a wrong token is right.
  static func authorize(_ head: HTTPRequestHead, token: String?) throws(Refusal) {
    guard let token else { return }
    let given = head.headers["authorization"].first.flatMap { value -> String? in
      let words = value.split(scalar: " ", maxSplits: 1)
      guard words.count == 2 else { return nil }
      let credentials = words[1].trimming(\.isBlank)
      switch words[0].lowercasedASCII {
      case "bearer": return credentials
      case "basic":
        guard let data = Data(base64Encoded: credentials) else { return nil }
        let pair = String(decoding: data, as: UTF8.self).split(scalar: ":", maxSplits: 1)
        return pair.count == 2 ? pair[1] : nil
      default: return nil
      }
    }
    if let given, areEqualInConstantTime(given.utf8, token.utf8) { return }
    throw Refusal(
      .unauthorized,
      given == nil
        ? "This receiver requires a token: send Authorization: Bearer TOKEN."
        : "The token is wrong.",
      headers: [
        ("WWW-Authenticate", "Bearer realm=\"hoist\""),
        ("WWW-Authenticate", "Basic realm=\"hoist\""),
      ])
  }

  /// The boundary of the form that follows.
  static func boundary(_ head: HTTPRequestHead) throws(Refusal) -> Boundary {
    guard let type = head.headers["content-type"].first else {
      throw Refusal(
        .unsupportedMediaType,
        "Send the file as multipart/form-data; this request has no Content-Type.")
    }
    do {
      return try Boundary(contentType: type)
    } catch .notMultipartForm {
      throw Refusal(.unsupportedMediaType, "Send the file as multipart/form-data, not as \(type).")
    } catch {
      throw Refusal(.badRequest, error.description)
    }
  }

  /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1).
  /// - Throws: 417 for any other expectation.
  static func awaitsContinue(_ head: HTTPRequestHead) throws(Refusal) -> Bool {
    // An HTTP/1.0 client's expectation must be ignored (RFC 9110, section 10.1.1).
    guard head.version != .http1_0 else { return false }
    let expectations = head.headers[canonicalForm: "expect"].map { $0.lowercased() }
    guard expectations.allSatisfy({ $0 == "100-continue" }) else {
      throw Refusal(.expectationFailed, "The only expectation understood here is 100-continue.")
    }
    return !expectations.isEmpty
  }
}
