import Foundation
import HTTPTransport
import MultipartForm
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// What libcurl and the system say, and what it means.
struct TransportCauseRow: Sendable, CustomTestStringConvertible {
  let code: Int
  var systemError: Int32 = 0
  var tunnelStatus = 0
  var words = "words"
  let cause: Failure.Cause
  var testDescription: String { "\(code) \(systemError) \(words)" }

  /// The codes of libcurl-errors(3), by number: the table must not move with a header.
  static let all: [TransportCauseRow] = [
    TransportCauseRow(code: 1, cause: .notHTTP("words")),  // CURLE_UNSUPPORTED_PROTOCOL
    TransportCauseRow(code: 2, cause: .network("words")),  // CURLE_FAILED_INIT
    TransportCauseRow(code: 3, cause: .network("words")),  // CURLE_URL_MALFORMAT
    TransportCauseRow(code: 5, cause: .proxyUnreachable("words")),  // CURLE_COULDNT_RESOLVE_PROXY
    TransportCauseRow(code: 6, cause: .nameNotResolved(host: "h")),  // CURLE_COULDNT_RESOLVE_HOST
    TransportCauseRow(code: 7, systemError: ECONNREFUSED, cause: .connectionRefused("words")),
    TransportCauseRow(code: 7, cause: .connectionRefused("words")),  // CURLE_COULDNT_CONNECT
    TransportCauseRow(code: 7, systemError: EHOSTUNREACH, cause: .unreachable("words", .route)),
    TransportCauseRow(code: 7, systemError: ENETUNREACH, cause: .unreachable("words", .network)),
    TransportCauseRow(code: 7, systemError: ETIMEDOUT, cause: .unreachable("words", .answer)),
    TransportCauseRow(code: 7, systemError: EMFILE, cause: .shortage("Too many open files")),
    TransportCauseRow(
      code: 7, systemError: ENFILE, cause: .shortage("Too many open files in system")),
    TransportCauseRow(code: 8, cause: .notHTTP("words")),  // CURLE_WEIRD_SERVER_REPLY
    TransportCauseRow(code: 16, cause: .network("words")),  // CURLE_HTTP2
    // CURLE_PARTIAL_FILE
    TransportCauseRow(code: 18, cause: .connectionLost("the reply broke off")),
    TransportCauseRow(code: 27, cause: .network("words")),  // CURLE_OUT_OF_MEMORY
    TransportCauseRow(code: 28, cause: .unreachable("words", .answer)),  // CURLE_OPERATION_TIMEDOUT
    TransportCauseRow(
      code: 35, words: "error:0A000410:SSL routines::sslv3 alert handshake failure",
      cause: .insecure("error:0A000410:SSL routines::sslv3 alert handshake failure")),
    TransportCauseRow(
      code: 35, words: "error:0A00010B:SSL routines::wrong version number",
      cause: .insecure(
        "h does not speak TLS on this port")),
    // CURLE_SSL_CONNECT_ERROR without a word of OpenSSL's: the connection ended.
    TransportCauseRow(
      code: 35, words: "OpenSSL SSL_connect: Connection reset by peer in connection to h:443",
      cause: .connectionLost("connection reset in the TLS handshake")),
    // Words that look like codes but are not: the name of a host, and another word.
    TransportCauseRow(
      code: 35, words: "Connection reset by peer in connection to 0A00010B.example:443",
      cause: .connectionLost("connection reset in the TLS handshake")),
    TransportCauseRow(
      code: 35, words: "error: Connection reset by peer",
      cause: .connectionLost("connection reset in the TLS handshake")),
    TransportCauseRow(
      code: 35, words: "unexpected eof",
      cause: .connectionLost("connection lost in the TLS handshake")),
    TransportCauseRow(code: 45, cause: .unreachable("words")),  // CURLE_INTERFACE_FAILED
    // CURLE_GOT_NOTHING
    TransportCauseRow(
      code: 52, cause: .connectionLost("the server closed the connection without a reply")),
    TransportCauseRow(code: 53, cause: .insecure("words")),  // CURLE_SSL_ENGINE_NOTFOUND
    TransportCauseRow(code: 54, cause: .insecure("words")),  // CURLE_SSL_ENGINE_SETFAILED
    TransportCauseRow(code: 55, cause: .connectionLost("connection lost")),  // CURLE_SEND_ERROR
    TransportCauseRow(code: 56, cause: .connectionLost("connection lost")),  // CURLE_RECV_ERROR
    TransportCauseRow(
      code: 56, words: "Recv failure: Connection reset by peer",
      cause: .connectionLost("connection reset")),
    TransportCauseRow(
      code: 56, systemError: ECONNRESET, cause: .connectionLost("connection reset")),
    TransportCauseRow(code: 56, tunnelStatus: 403, cause: .proxyUnreachable("words")),
    TransportCauseRow(code: 56, tunnelStatus: 200, cause: .connectionLost("connection lost")),
    TransportCauseRow(code: 58, cause: .insecure("words")),  // CURLE_SSL_CERTPROBLEM
    TransportCauseRow(code: 59, cause: .insecure("words")),  // CURLE_SSL_CIPHER
    TransportCauseRow(code: 60, cause: .insecure("words")),  // CURLE_PEER_FAILED_VERIFICATION
    TransportCauseRow(code: 61, cause: .network("words")),  // CURLE_BAD_CONTENT_ENCODING
    // CURLE_SEND_FAIL_REWIND
    TransportCauseRow(code: 65, cause: .connectionLost("the server closed the connection")),
    TransportCauseRow(code: 66, cause: .insecure("words")),  // CURLE_SSL_ENGINE_INITFAILED
    TransportCauseRow(code: 77, cause: .insecure("words")),  // CURLE_SSL_CACERT_BADFILE
    TransportCauseRow(code: 80, cause: .insecure("words")),  // CURLE_SSL_SHUTDOWN_FAILED
    TransportCauseRow(code: 82, cause: .insecure("words")),  // CURLE_SSL_CRL_BADFILE
    TransportCauseRow(code: 83, cause: .insecure("words")),  // CURLE_SSL_ISSUER_ERROR
    TransportCauseRow(
      code: 90,  // CURLE_SSL_PINNEDPUBKEYNOTMATCH
      cause: .insecure(
        "h does not have the pinned key (words). Somebody else may be answering in its place. If the key "
          + "was changed on purpose, pin the new one with hoist trust")),
    TransportCauseRow(code: 91, cause: .insecure("words")),  // CURLE_SSL_INVALIDCERTSTATUS
    TransportCauseRow(code: 92, cause: .network("words")),  // CURLE_HTTP2_STREAM
    TransportCauseRow(code: 97, cause: .proxyUnreachable("words")),  // CURLE_PROXY
    TransportCauseRow(code: 98, cause: .insecure("words")),  // CURLE_SSL_CLIENTCERT
    TransportCauseRow(code: 4711, words: "", cause: .network("libcurl error 4711")),
  ]
}

struct TransportCauseTests {
  @Test(arguments: TransportCauseRow.all)
  func causes(_ row: TransportCauseRow) {
    let error = TransportError(
      code: row.code, systemError: row.systemError, tunnelStatus: row.tunnelStatus,
      words: row.words)
    #expect(Failure.Cause(error, host: "h") == row.cause)
  }

  /// What a proxy cannot be blamed for, it is not.
  @Test func throughAProxy() {
    func cause(_ code: Int) -> Failure.Cause {
      Failure.Cause(TransportError(code: code, words: "words"), host: "h", proxy: "p:1")
    }
    #expect(cause(7) == .proxyUnreachable("p:1: words"))
    #expect(cause(28) == .proxyUnreachable("p:1: words"))
    #expect(cause(56) == .connectionLost("connection lost"))
    #expect(cause(60) == .insecure("words"))
  }

  /// A line break in a file's name must not begin a header field of its own.
  @Test func aHeaderNeverHoldsAControlCharacter() throws {
    let folder = try ScratchDirectory()
    let path = try folder.write("a\r\nX-Evil: 1", Array("x".utf8))
    let url = try #require(URL(string: "http://a.example/"))
    var target = Target(name: "t", url: url)
    target.headers = [Target.Field(name: "X-Name", value: try Template("{file.name}"))]
    let (request, faults) = UploadRequest.make(
      [UploadJob(item: .file(path, id: 1), target: target)], to: url, token: nil,
      hidesCredentials: false, mayExpect: true, now: .now)
    #expect(request == nil)
    #expect(
      faults.map(\.cause) == [
        .unsendable("the header field X-Name would contain a control character")
      ]
    )
  }
}
