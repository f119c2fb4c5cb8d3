import Foundation
import HTTPTransport
import MultipartForm
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// What libcurl and the system say, and what it means.
struct CauseRow: Sendable, CustomTestStringConvertible {
  let code: Int
  var systemError: Int32 = 0
  var tunnelStatus = 0
  var words = "words"
  let cause: Failure.Cause
  var testDescription: String { "\(code) \(systemError) \(words)" }

  /// The codes of libcurl-errors(3), by number: the table must not move with a header.
  static let all: [CauseRow] = [
    CauseRow(code: 1, cause: .notHTTP("words")),  // CURLE_UNSUPPORTED_PROTOCOL
    CauseRow(code: 2, cause: .network("words")),  // CURLE_FAILED_INIT
    CauseRow(code: 3, cause: .network("words")),  // CURLE_URL_MALFORMAT
    CauseRow(code: 5, cause: .proxyUnreachable("words")),  // CURLE_COULDNT_RESOLVE_PROXY
    CauseRow(code: 6, cause: .nameNotResolved(host: "h")),  // CURLE_COULDNT_RESOLVE_HOST
    CauseRow(code: 7, systemError: ECONNREFUSED, cause: .connectionRefused("words")),
    CauseRow(code: 7, cause: .connectionRefused("words")),  // CURLE_COULDNT_CONNECT
    CauseRow(code: 7, systemError: EHOSTUNREACH, cause: .unreachable("words")),
    CauseRow(code: 7, systemError: ENETUNREACH, cause: .unreachable("words")),
    CauseRow(code: 7, systemError: ETIMEDOUT, cause: .unreachable("words")),
    CauseRow(code: 7, systemError: EMFILE, cause: .shortage("Too many open files")),
    CauseRow(code: 7, systemError: ENFILE, cause: .shortage("Too many open files in system")),
    CauseRow(code: 8, cause: .notHTTP("words")),  // CURLE_WEIRD_SERVER_REPLY
    CauseRow(code: 16, cause: .network("words")),  // CURLE_HTTP2
    CauseRow(code: 18, cause: .connectionLost("words")),  // CURLE_PARTIAL_FILE
    CauseRow(code: 27, cause: .network("words")),  // CURLE_OUT_OF_MEMORY
    CauseRow(code: 28, cause: .unreachable("words")),  // CURLE_OPERATION_TIMEDOUT
    CauseRow(
      code: 35, words: "error:0A000410:SSL routines::sslv3 alert handshake failure",
      cause: .insecure("error:0A000410:SSL routines::sslv3 alert handshake failure")),
    CauseRow(
      code: 35, words: "error:0A00010B:SSL routines::wrong version number",
      cause: .insecure("h does not speak TLS on this port; should the URL begin with http://?")),
    // CURLE_SSL_CONNECT_ERROR without a word of OpenSSL's: the connection ended.
    CauseRow(
      code: 35, words: "OpenSSL SSL_connect: Connection reset by peer in connection to h:443",
      cause: .connectionLost("OpenSSL SSL_connect: Connection reset by peer in connection to h:443")
    ),
    CauseRow(code: 45, cause: .unreachable("words")),  // CURLE_INTERFACE_FAILED
    CauseRow(code: 52, cause: .connectionLost("words")),  // CURLE_GOT_NOTHING
    CauseRow(code: 53, cause: .insecure("words")),  // CURLE_SSL_ENGINE_NOTFOUND
    CauseRow(code: 54, cause: .insecure("words")),  // CURLE_SSL_ENGINE_SETFAILED
    CauseRow(code: 55, cause: .connectionLost("words")),  // CURLE_SEND_ERROR
    CauseRow(code: 56, cause: .connectionLost("words")),  // CURLE_RECV_ERROR
    CauseRow(code: 56, tunnelStatus: 407, cause: .proxyUnreachable("words")),
    CauseRow(code: 56, tunnelStatus: 200, cause: .connectionLost("words")),
    CauseRow(code: 58, cause: .insecure("words")),  // CURLE_SSL_CERTPROBLEM
    CauseRow(code: 59, cause: .insecure("words")),  // CURLE_SSL_CIPHER
    CauseRow(code: 60, cause: .insecure("words")),  // CURLE_PEER_FAILED_VERIFICATION
    CauseRow(code: 61, cause: .network("words")),  // CURLE_BAD_CONTENT_ENCODING
    CauseRow(code: 65, cause: .connectionLost("words")),  // CURLE_SEND_FAIL_REWIND
    CauseRow(code: 66, cause: .insecure("words")),  // CURLE_SSL_ENGINE_INITFAILED
    CauseRow(code: 77, cause: .insecure("words")),  // CURLE_SSL_CACERT_BADFILE
    CauseRow(code: 80, cause: .insecure("words")),  // CURLE_SSL_SHUTDOWN_FAILED
    CauseRow(code: 82, cause: .insecure("words")),  // CURLE_SSL_CRL_BADFILE
    CauseRow(code: 83, cause: .insecure("words")),  // CURLE_SSL_ISSUER_ERROR
    CauseRow(
      code: 90,  // CURLE_SSL_PINNEDPUBKEYNOTMATCH
      cause: .insecure(
        "h has another key than the pinned one (words). Somebody else may be answering in its place. If the key "
          + "was changed on purpose, pin the new one with hoist trust")),
    CauseRow(code: 91, cause: .insecure("words")),  // CURLE_SSL_INVALIDCERTSTATUS
    CauseRow(code: 92, cause: .network("words")),  // CURLE_HTTP2_STREAM
    CauseRow(code: 97, cause: .proxyUnreachable("words")),  // CURLE_PROXY
    CauseRow(code: 98, cause: .insecure("words")),  // CURLE_SSL_CLIENTCERT
    CauseRow(code: 4711, words: "", cause: .network("libcurl's error 4711")),
  ]
}

struct FailureCauseTests {
  @Test(arguments: CauseRow.all)
  func causes(_ row: CauseRow) {
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
    #expect(cause(56) == .connectionLost("words"))
    #expect(cause(60) == .insecure("words"))
  }

  /// A line break in a file's name must not begin a header field of its own.
  @Test func aHeaderNeverHoldsAControlCharacter() throws {
    let folder = try ScratchDirectory()
    let path = try folder.write("a\r\nX-Evil: 1", Array("x".utf8))
    let url = try #require(URL(string: "http://a.example/"))
    let target = Target(
      name: "t", url: url,
      headers: [Target.Field(name: "X-Name", value: try Template("{file.name}"))])
    let (request, faults) = UploadRequest.make(
      [UploadJob(item: .file(path, id: 1), target: target)], to: url, token: nil,
      hidesCredentials: false, mayExpect: true, now: .now)
    #expect(request == nil)
    #expect(
      faults.map(\.cause) == [.unsendable("the header field X-Name would hold a control character")]
    )
  }
}
