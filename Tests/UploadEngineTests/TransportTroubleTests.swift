import Foundation
import MultipartForm
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// What URLSession says, and what it means.
struct TroubleRow: Sendable, CustomTestStringConvertible {
  let code: Int
  let text: String
  let cause: Failure.Cause
  var testDescription: String { "\(code) \(text)" }

  init(_ code: Int, _ text: String, _ cause: Failure.Cause) {
    (self.code, self.text, self.cause) = (code, text, cause)
  }

  static let all: [TroubleRow] = [
    // Codes that say it all.
    TroubleRow(NSURLErrorCannotFindHost, "", .nameNotResolved(host: "h")),
    TroubleRow(NSURLErrorDNSLookupFailed, "x", .nameNotResolved(host: "h")),
    TroubleRow(NSURLErrorCancelled, "cancelled", .cancelled),
    TroubleRow(NSURLErrorTimedOut, "", .unreachable("no answer in time")),
    TroubleRow(
      NSURLErrorSecureConnectionFailed, "", .insecure("error \(NSURLErrorSecureConnectionFailed)")),
    TroubleRow(NSURLErrorServerCertificateUntrusted, "not trusted.", .insecure("not trusted")),
    TroubleRow(NSURLErrorServerCertificateHasBadDate, "expired", .insecure("expired")),
    TroubleRow(
      NSURLErrorClientCertificateRequired, "",
      .insecure("error \(NSURLErrorClientCertificateRequired)")),
    // Codes where the sentence is silent.
    TroubleRow(NSURLErrorCannotConnectToHost, "", .connectionRefused("error -1004")),
    TroubleRow(NSURLErrorNetworkConnectionLost, "", .connectionLost("error -1005")),
    TroubleRow(NSURLErrorNotConnectedToInternet, "Offline.", .unreachable("Offline")),
    TroubleRow(NSURLErrorTimedOut, "Too slow", .unreachable("Too slow")),
    TroubleRow(NSURLErrorBadServerResponse, "", .notHTTP("error -1011")),
    TroubleRow(NSURLErrorCannotParseResponse, "What?", .notHTTP("What?")),
    TroubleRow(NSURLErrorUnknown, "", .network("error -1")),
    TroubleRow(NSURLErrorUnknown, " ... ", .network("error -1")),
    TroubleRow(NSURLErrorUnknown, "Something new.", .network("Something new")),
    // libcurl's sentences.
    TroubleRow(-1, "Could not resolve host: h", .nameNotResolved(host: "h")),
    TroubleRow(
      -1, "Could not resolve proxy: p", .unreachable("Could not resolve proxy: p")),
    TroubleRow(
      -1, "Failed to connect to h port 1 after 0 ms: Couldn't connect to server",
      .connectionRefused("Failed to connect to h port 1 after 0 ms: Couldn't connect to server")),
    TroubleRow(
      -1, "Failed to connect to h port 80: No route to host",
      .unreachable("Failed to connect to h port 80: No route to host")),
    TroubleRow(-1, "Network is unreachable", .unreachable("Network is unreachable")),
    TroubleRow(
      -1, "Recv failure: Connection reset by peer",
      .connectionLost("Recv failure: Connection reset by peer")),
    TroubleRow(-1, "Send failure: Broken pipe", .connectionLost("Send failure: Broken pipe")),
    TroubleRow(-1, "Empty reply from server", .connectionLost("Empty reply from server")),
    TroubleRow(
      -1, "transfer closed with 5 bytes remaining to read",
      .connectionLost("transfer closed with 5 bytes remaining to read")),
    TroubleRow(
      -1, "Received HTTP/0.9 when not allowed",
      .notHTTP("it sent something that is not an HTTP reply")),
    TroubleRow(-1, "Weird server reply", .notHTTP("Weird server reply")),
    TroubleRow(
      -1, "Unsupported HTTP version in response",
      .notHTTP("Unsupported HTTP version in response")),
    TroubleRow(
      -1, "SSL certificate problem: self-signed certificate",
      .insecure("SSL certificate problem: self-signed certificate")),
    TroubleRow(
      -1, "SSL: no alternative certificate subject name matches target host name 'h'",
      .insecure("SSL: no alternative certificate subject name matches target host name 'h'")),
    TroubleRow(
      -1, "TLS connect error: wrong version", .insecure("TLS connect error: wrong version")),
    // A connection that broke is not an insecure one, and a name is no reason.
    TroubleRow(
      -1, "OpenSSL SSL_read: Connection reset by peer, errno 104",
      .connectionLost("OpenSSL SSL_read: Connection reset by peer, errno 104")),
    TroubleRow(
      -1, "OpenSSL SSL_read: OpenSSL/3.0: unexpected eof while reading",
      .connectionLost("OpenSSL SSL_read: OpenSSL/3.0: unexpected eof while reading")),
    TroubleRow(
      -1, "Failed to connect to tls.example port 443: Connection refused",
      .connectionRefused("Failed to connect to tls.example port 443: Connection refused")),
    TroubleRow(
      -1, "Failed to connect to certificates.ssl port 443: Connection timed out",
      .unreachable("Failed to connect to certificates.ssl port 443: Connection timed out")),
  ]
}

struct TransportTroubleTests {
  @Test(arguments: TroubleRow.all)
  func causes(_ row: TroubleRow) {
    #expect(TransportTrouble.cause(code: row.code, text: row.text, host: "h") == row.cause)
    let error = NSError(
      domain: NSURLErrorDomain, code: row.code, userInfo: [NSLocalizedDescriptionKey: row.text])
    if !row.text.isEmpty { #expect(TransportTrouble.cause(of: error, host: "h") == row.cause) }
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
      [UploadJob(item: .file(path, id: 1), target: target)], key: UUID(), to: url,
      credentials: .all(nil), mayExpect: true, now: .now)
    #expect(request == nil)
    #expect(
      faults.map(\.cause) == [.unsendable("the header field X-Name would hold a control character")]
    )
  }
}
