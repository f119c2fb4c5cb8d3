import Foundation
import HTTPTransport
import JSONText
import ScalarText
import UploadModel

extension ServerClient {
  /// Why the target's URL does not seem to accept uploads; nil if it may accept them. A resource that accepts uploads
  /// may well refuse a HEAD request, but it exists, and the `Allow` of a 405 lists the methods that it supports (RFC
  /// 9110 §15.5.6). The text names the server unless `namesHost` is false, as next to its address.
  package func obstacle(namesHost: Bool = true) async -> String? {
    let host = target.url.host ?? "there"
    let subject = namesHost ? "\(host) " : ""
    var request = ExchangeRequest(url: target.url, method: "HEAD")
    do throws(Failure.Cause) { try request.apply(target, at: time.date()) } catch {
      return "\(subject)cannot be asked: \(Failure(error).headline)"
    }
    let end = await end(of: request, stallTimeout: Self.patience)
    guard let status = end.status else { return Self.silence(of: namesHost ? host : nil, end) }
    if status == 407 { return Self.proxyTrouble }
    let allowed = end.headers["allow"]?.uppercased() ?? ""
    let isTaken = ["POST", "PUT", "PATCH"].contains { allowed.contains(scalars: $0) }
    guard [404, 405, 410, 500, 502, 503, 504].contains(status), !isTaken else { return nil }
    return "\(subject)answers \(Failure.statusLine(status))" + (namesHost ? " there" : "")
  }

  /// Why there is no answer, from a host if one is given. That TLS has failed would not say what to correct.
  private static func silence(of host: String?, _ end: TransferEnd) -> String {
    if case .insecure(let why)? = end.trouble {
      return "no secure connection: \(SafeText.line(why))"
    }
    let reason = end.trouble.map { ": \(Failure($0).headline)" } ?? ""
    return (host.map { "no answer from \($0)" } ?? "no answer") + reason
  }

  /// Why no server answers at the target's host; nil if one does, or if the host depends on the file. Where uploads go
  /// to several addresses, this is all that can be asked.
  package func silence() async -> String? {
    guard let host = target.url.host, let url = URL(string: "/", relativeTo: target.url) else {
      return nil
    }
    let end = await end(
      of: ExchangeRequest(url: url.absoluteURL, method: "HEAD"), stallTimeout: Self.patience)
    return end.status == nil ? Self.silence(of: host, end) : nil
  }

  /// The address of hoist's own receiver, if the target's URL leads to one: it accepts uploads in several requests and
  /// also has a list of files.
  package func receiver() async -> URL? {
    guard ["", "/", "/upload"].contains(target.url.path), target.url.query == nil,
      let base = URL(string: "/", relativeTo: target.url)?.absoluteURL
    else { return nil }
    guard let offer = await answer("OPTIONS", base.appendingPathComponent("upload")),
      offer.status == 204, offer.headers["upload-draft-interop-version"] != nil,
      let list = await answer("GET", base), list.status == 200,
      case .object(let members)? = JSONValue(text: list.reply.text), case .array? = members["files"]
    else { return nil }
    return base
  }

  /// How uploads to the target's URL can resume, according to its reply to OPTIONS; nil if that does not tell.
  package func resuming() async -> ResumeRules.Mode? {
    guard let headers = await answer("OPTIONS", target.url)?.headers else { return nil }
    if headers["tus-resumable"] != nil { return .tus }
    let namesDraft =
      headers["upload-draft-interop-version"] != nil || headers["upload-limit"] != nil
    return namesDraft ? .http : nil
  }

  private func answer(_ method: String, _ url: URL) async -> TransferEnd? {
    try? await send(ResumeRequest(method, url), values(), stallTimeout: Self.patience)
  }

  private static let proxyTrouble =
    "the proxy on the way requires credentials: \(Failure.statusLine(407))"

  /// Why a target's credentials could not be tried, or do not seem to be accepted.
  package struct LoginTrouble: Hashable, Sendable {
    package var words: String
    /// Whether it is about the credentials. Otherwise, the server gave no answer.
    package var isOfCredentials = true
  }

  /// Tries the credentials as an upload does, with a new token if a command provides it. Returns the problem; nil if
  /// there seems to be no problem.
  package func logIn() async -> LoginTrouble? {
    do throws(Failure) {
      let end = try await send(
        ResumeRequest("HEAD", target.url), values(), stallTimeout: Self.patience)
      guard let status = end.status else {
        return LoginTrouble(words: Self.silence(of: nil, end), isOfCredentials: false)
      }
      if status == 407 { return LoginTrouble(words: Self.proxyTrouble) }
      guard [401, 403].contains(status), !target.retry.isTemporary(end, now: time.date()) else {
        return nil
      }
      let what =
        status == 401 && !target.hasCredentials
        ? "asks for credentials, and the target has none" : "refuses the credentials"
      return LoginTrouble(words: "\(what): \(Failure.statusLine(status))")
    } catch {
      return LoginTrouble(words: token.hidden(in: error).headline)
    }
  }

  /// Whether `logIn` tests credentials: it does if the server refuses the same request without them.
  package func testsCredentials() async -> Bool {
    var request = ExchangeRequest(url: target.url, method: "HEAD")
    do throws(Failure.Cause) {
      try request.apply(target, showsCredentials: false, at: time.date())
    } catch { return false }
    let end = await end(of: request, stallTimeout: Self.patience)
    return end.status == 401 || end.status == 403
  }

  /// How many seconds to wait for an answer. Short, since the user is waiting while setting up a target.
  private static let patience = 8.0
}
