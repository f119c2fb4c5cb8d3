import Foundation
import NIOCore
import NIOHTTP1
import ScalarText

/// The answer to a request. The receiver adds `Content-Length` and the headers that protect browsers.
public struct Reply {
  enum Body {
    case bytes([UInt8])
    case file(StoredContent)
  }

  /// The body turned out shorter than its Content-Length. Only closing the connection can tell the client.
  struct Broken: Error {}

  var status: HTTPResponseStatus
  /// Header fields, as names and values, in addition to those that the receiver adds.
  public var headers: [(String, String)]
  var body: Body
  /// Why the reply could not be made.
  private var trouble: String?

  init(status: HTTPResponseStatus, headers: [(String, String)], body: Body) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }

  static func empty(_ status: HTTPResponseStatus, _ headers: [(String, String)] = []) -> Reply {
    Reply(status: status, headers: headers, body: .bytes([]))
  }

  /// A value as JSON, with members sorted by name and dates in ISO 8601. If it cannot be encoded, the client gets
  /// 500, and ``ReceiverEvent/failed(error:request:client:)`` says why.
  public static func json(_ value: some Encodable, status: Int = 200) -> Reply {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    var reply = Reply(status: status, headers: [("Content-Type", "application/json")])
    do {
      reply.body = .bytes(try encoder.encode(value) + [0x0A])
    } catch {
      reply.trouble = "its reply cannot be encoded as JSON: \(error)"
    }
    return reply
  }

  /// Why the reply cannot be sent; nil if it can.
  var fault: String? {
    if let trouble { return trouble }
    guard (200...599).contains(status.code) else {
      return "its reply has the status \(status.code), which is not between 200 and 599"
    }
    return Self.fault(in: headers)
  }

  /// Describes a header field that would end early or start another one; nil if all are safe.
  static func fault(in headers: [(String, String)]) -> String? {
    for (name, value) in headers {
      let isName = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }
      guard isName, !value.utf8.contains(where: { [0x00, 0x0A, 0x0D].contains($0) }) else {
        return
          "its reply has the header field \(name.debugDescription), which holds a line break or "
          + "another character that is not allowed there"
      }
    }
    return nil
  }

  /// A refusal as JSON: `{"error": …}`, or a registered problem (RFC 9457).
  static func refusal(_ refusal: Refusal) -> Reply {
    var reply = json(["error": refusal.message], status: refusal.code)
    if let problem = refusal.problem {
      let members: [String: any Sendable] = ["type": problem.type, "title": refusal.message]
      let data = try? JSONSerialization.data(
        withJSONObject: members.merging(problem.members) { $1 },
        options: [.sortedKeys, .withoutEscapingSlashes])
      reply.body = .bytes((data ?? Data("{}".utf8)) + [0x0A])
      reply.headers = [("Content-Type", "application/problem+json")]
    }
    reply.headers += refusal.headers
    return reply
  }

  /// A refusal as a page with a link back, for a user in a browser.
  static func refusalPage(_ refusal: Refusal) -> Reply {
    var reply = html(IndexPage.refusal(refusal), status: refusal.status)
    reply.headers += refusal.headers
    return reply
  }

  static func html(_ text: String, status: HTTPResponseStatus = .ok) -> Reply {
    Reply(
      status: status,
      headers: [
        ("Content-Type", "text/html; charset=utf-8"),
        (
          "Content-Security-Policy",
          "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; "
            + "frame-ancestors 'none'"
        ),
      ], body: .bytes(Array(text.utf8)))
  }

  /// A stored file. Anybody may have sent it, so a browser must not show it as a page of this server.
  static func file(_ file: StoredContent) -> Reply {
    Reply(
      status: .ok,
      headers: [
        ("Content-Type", "application/octet-stream"), ("Content-Disposition", "attachment"),
        ("Content-Security-Policy", "sandbox"),
      ], body: .file(file))
  }

  /// The length of the body, in bytes.
  var length: Int64 {
    switch body {
    case .bytes(let bytes): Int64(bytes.count)
    case .file(let file): file.size
    }
  }

  func forEachPiece(_ handle: (ByteBuffer) async throws -> Void) async throws {
    switch body {
    case .bytes(let bytes):
      try await handle(ByteBuffer(bytes: bytes))
    case .file(let file):
      var rest = file.size
      while rest > 0 {
        guard let piece = file.read(atMost: rest) else { throw Broken() }
        rest -= Int64(piece.readableBytes)
        try await handle(piece)
      }
    }
  }

  func head(version: HTTPVersion, keepsAlive: Bool) -> HTTPResponseHead {
    var fields = HTTPHeaders(headers)
    fields.add(name: "Content-Length", value: String(length))
    fields.add(name: "X-Content-Type-Options", value: "nosniff")
    fields.add(name: "Cache-Control", value: "no-store")
    if !keepsAlive {
      fields.add(name: "Connection", value: "close")
    } else if version == .http1_0 {
      fields.add(name: "Connection", value: "keep-alive")
    }
    return HTTPResponseHead(version: version, status: status, headers: fields)
  }
}

extension Reply {
  /// A reply with a body in memory.
  ///
  /// - Parameters:
  ///   - status: the status code, from 200 to 599.
  ///   - headers: header fields, as names and values, in addition to those that the receiver adds.
  ///   - body: the bytes of the body.
  public init(status: Int, headers: [(String, String)] = [], body: [UInt8] = []) {
    self.init(status: HTTPResponseStatus(statusCode: status), headers: headers, body: .bytes(body))
  }
}

extension HTTPRequestHead {
  /// The length of the request's body, in bytes, if the request gives it.
  var contentLength: Int64? {
    headers["content-length"].first.flatMap { Int64($0.trimming(\.isBlank)) }
  }

  /// The request line without the version, for a log.
  var line: String { "\(method.rawValue) \(uri)" }

  /// Whether the client wants a page: browsers ask for HTML first, other clients do not.
  var wantsPage: Bool { accepts("text/html") }

  func accepts(_ type: String) -> Bool {
    headers[canonicalForm: "accept"].contains { $0.lowercasedASCII.hasPrefix(scalars: type) }
  }
}
