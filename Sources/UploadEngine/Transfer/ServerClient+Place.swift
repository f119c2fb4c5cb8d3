import Foundation
import HTTPTransport
import ScalarText
import UploadModel

extension ServerClient {
  /// Why the target's URL does not seem to take uploads; nil if it may take them. A resource that takes uploads may
  /// well refuse a HEAD request, but it exists, and the `Allow` of a 405 says which methods it takes (RFC 9110
  /// §15.5.6).
  package func obstacle() async -> String? {
    let host = target.url.host ?? "there"
    var request = ExchangeRequest(url: target.url, method: "HEAD")
    do throws(Failure.Cause) { try request.obey(target, at: time.date()) } catch {
      return "\(host) cannot be asked: \(Failure(error).headline)"
    }
    let end = await end(of: request, stallTimeout: Self.patience)
    guard let status = end.status else {
      return "no answer from \(host)" + (end.trouble.map { ": \(Failure($0).headline)" } ?? "")
    }
    let allowed = end.headers["allow"]?.uppercased() ?? ""
    let isTaken = ["POST", "PUT", "PATCH"].contains { allowed.contains(scalars: $0) }
    guard [404, 405, 410].contains(status), !isTaken else { return nil }
    return "\(host) answers \(Failure.statusLine(status)) there"
  }

  /// How many seconds to wait for an answer, since somebody who sets up a target is waiting.
  private static let patience = 8.0
}
