import NIOCore
import NIOHTTP1
import UploadDraft

/// A request on its connection: its head, its body as it arrives, and the interim replies to it.
struct Request {
  let head: HTTPRequestHead
  let body: RequestBody
  let channel: any Channel

  /// The client's address and port, for a log.
  var client: String { ClientName.of(channel) }

  /// Whether the client asks for the SHA-256 of the stored file (`Want-Repr-Digest`, RFC 9530 §4).
  var wantsDigest: Bool {
    let wanted = header("want-repr-digest").flatMap { FieldValue.dictionary($0) }
    return (wanted?["sha-256"]?.integer ?? 0) > 0
  }

  /// The first value of a header field.
  func header(_ name: String) -> String? { head.headers[name].first }

  func sendContinue() async throws {
    try await channel.writeAndFlush(
      HTTPServerResponsePart.head(.init(version: head.version, status: .continue)))
  }

  /// Sends an interim reply (draft-ietf-httpbis-resumable-upload, "Status Code 104").
  func inform(_ fields: [(String, String)], in version: DraftVersion) async throws {
    // An HTTP/1.0 client must not get interim replies (RFC 9110, section 15.2).
    guard head.version != .http1_0 else { return }
    let reply = HTTPResponseHead(
      version: head.version,
      status: .custom(code: 104, reasonPhrase: "Upload Resumption Supported"),
      headers: HTTPHeaders(fields + [version.stamp]))
    try await channel.writeAndFlush(HTTPServerResponsePart.head(reply))
  }
}
