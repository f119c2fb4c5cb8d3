import Foundation
import HTTPTransport
import JSONText
import Synchronization
import UploadModel

/// Small requests to a target's server: tickets, lists, deletions, records. They follow the same rules
/// for TLS and credentials as uploads do. One is tried once, and a second time with a new token where a
/// command gives it.
public struct ServerClient: Sendable {
  private let target: Target
  private let token: TokenBox
  private let renews: Bool

  /// A client for a target. Where a command gives the target's token, it runs before the first request,
  /// and again when the server does not take the token.
  public init(target: Target) { self.init(target: target, token: nil, renews: true) }

  /// - Parameters:
  ///   - token: what the command gave last.
  ///   - renews: whether the command may be run again.
  init(target: Target, token: BearerToken?, renews: Bool) {
    self.target = target
    self.token = TokenBox(token, target.secrets)
    self.renews = renews
  }

  // MARK: What is there already

  /// The entries that the target lists, in the server's order.
  ///
  /// - Parameter query: what is added to the URL, such as a filter.
  /// - Throws: `Failure` if the server cannot be asked or its reply is no list.
  public func entries(
    query: [(name: String, value: String)] = []
  ) async throws(Failure) -> [ServerEntry] {
    guard let list = target.server.list else {
      throw Failure(.unsendable("the target has no server.list"))
    }
    let (document, receipt) = try await document(of: list.call, Self.values(), query: query)
    do throws(ServerEntry.ListingError) { return try list.entries(in: document) } catch {
      throw hidden(
        in: Failure(
          .unusable(error.description), status: receipt.status, reply: receipt.reply, attempts: 1))
    }
  }

  /// Deletes an entry.
  ///
  /// - Throws: `Failure` if the server cannot be asked or refuses.
  public func delete(_ id: String) async throws(Failure) {
    guard let delete = target.server.delete else {
      throw Failure(.unsendable("the target has no server.delete"))
    }
    var values = Self.values()
    values.id = id
    _ = try await reply(to: delete, values)
  }

  private static func values() -> Template.Values { Template.Values(now: Date(), uuid: UUID()) }

  // MARK: Any request

  func document(
    of call: ServerCall, _ values: Template.Values, query: [(name: String, value: String)] = []
  ) async throws(Failure) -> (JSONValue, Receipt) {
    let receipt = try await reply(to: call, values, query: query)
    guard let document = JSONValue(text: receipt.reply.text) else {
      let why =
        receipt.reply.isCut
        ? "its answer is longer than what is read of one" : "its answer is not JSON"
      throw token.hidden(
        in: Failure(.unusable(why), status: receipt.status, reply: receipt.reply, attempts: 1))
    }
    return (document, receipt)
  }

  /// The failure without the target's secrets and the tokens that were sent.
  func hidden(in failure: Failure) -> Failure { token.hidden(in: failure) }

  func reply(
    to call: ServerCall, _ values: Template.Values, query: [(name: String, value: String)] = []
  ) async throws(Failure) -> Receipt {
    let url = try address(call, values, query)
    do throws(Failure) { return try await reply(to: call, values, at: url) } catch {
      guard renews, error.cause == .refused, error.status == 401 || error.status == 403,
        Origin(url) == Origin(target.url), token.forget(of: target)
      else { throw token.hidden(in: error) }
    }
    do throws(Failure) { return try await reply(to: call, values, at: url) } catch {
      throw token.hidden(in: error)
    }
  }

  private func reply(
    to call: ServerCall, _ values: Template.Values, at address: URL
  ) async throws(Failure) -> Receipt {
    var url = address
    var judge = Target(name: target.name, url: url)
    judge.response = call.rules
    for redirects in 0...Verdict.mostRedirects {
      let end = try await send(call, values, to: url)
      switch Verdict.judge(end, target: judge, attempt: 1, redirects: redirects, now: Date()) {
      case .delivered(let receipt): return receipt
      case .failed(var failure):
        // What changes something may have; a list that is too long to be read has not come.
        if call.method == "GET", case .outcomeUnknown(let why) = failure.cause {
          failure.cause = .unusable(why)
        }
        throw failure
      case .follow(let next, _): url = next
      }
    }
    throw Failure(.redirected(to: url.absoluteString, .tooMany), attempts: 1)
  }

  /// Where a call goes: its own host, whatever is filled in.
  private func address(
    _ call: ServerCall, _ values: Template.Values, _ query: [(name: String, value: String)]
  ) throws(Failure) -> URL {
    guard var parts = URLComponents(string: call.url.filled(with: values)), let url = parts.url,
      Origin(url) != nil, !url.pathComponents.contains(where: { $0 == ".." || $0 == "." })
    else { throw Failure(.unsendable("its placeholders make no address")) }
    guard !query.isEmpty else { return url }
    let own = parts.percentEncodedQuery.map { $0.isEmpty ? [] : [$0] } ?? []
    let added = query.map {
      "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))"
    }
    parts.percentEncodedQuery = (own + added).joined(separator: "&")
    return parts.url ?? url
  }

  private func send(
    _ call: ServerCall, _ values: Template.Values, to url: URL
  ) async throws(Failure) -> TransferEnd {
    let json = call.json.map { Data($0.filled(with: values).utf8) }
    do throws(Failure.Cause) {
      // Another origin is not told who we are.
      let isOwn = Origin(url) == Origin(target.url)
      let token = isOwn ? try await token.value(for: target) : nil
      let head = try RequestHead(
        call, of: target, credentials: isOwn ? .all(token: token?.secret) : .none, values: values)
      let headers = head.headers.map { (name: $0.name, value: $0.value.written) }
      // What changes something says that it has no content (RFC 9110 §8.6).
      let hasContent = json != nil || ["POST", "PUT", "PATCH"].contains(call.method)
      var request = ExchangeRequest(
        url: url, method: call.method, headers: headers,
        body: hasContent ? MemoryBody(json ?? Data()) : nil)
      if call.method == "GET" { request.mostReply = Self.mostContent }
      try request.obey(target)
      return await end(of: request)
    } catch {
      throw Failure(error)
    }
  }

  /// The most that is read of what a GET asks for, in bytes.
  private static let mostContent = 8 << 20

  private func end(of request: ExchangeRequest) async -> TransferEnd {
    let end = await Transport.shared.end(of: request, stallTimeout: target.stallTimeout)
    var trouble = end.trouble.map {
      Failure.Cause(
        $0, host: request.url.host ?? "", proxy: target.proxy(for: request.url))
    }
    if trouble == nil, end.head == nil { trouble = .network("the server's reply is too long") }
    return TransferEnd(
      // A reply that broke off in its middle is none.
      url: request.url, status: trouble == nil ? end.head?.status : nil,
      headers: end.head?.headers ?? [:],
      reply: Reply(text: String(decoding: end.reply, as: UTF8.self), isCut: end.isReplyCut),
      trouble: trouble, sentAll: trouble == nil)
  }
}

/// A token, once there is one.
private final class TokenBox: Sendable {
  private struct Content {
    var token: BearerToken?
    /// The one that was not taken.
    var old: BearerToken?
  }
  private let content: Mutex<Content>

  /// What else is kept from view.
  private let secrets: Secrets

  init(_ token: BearerToken?, _ secrets: Secrets) {
    content = Mutex(Content(token: token))
    self.secrets = secrets
  }

  /// The command is to be run again. Returns false where there is none, or it has been already.
  func forget(of target: Target) -> Bool {
    content.withLock { content in
      guard target.tokenCommand != nil, content.old == nil, let token = content.token else {
        return false
      }
      content = Content(old: token)
      return true
    }
  }

  func hidden(in failure: Failure) -> Failure {
    let content = content.withLock { $0 }
    return [content.token, content.old].reduce(secrets.hidden(in: failure)) {
      $1?.secrets.hidden(in: $0) ?? $0
    }
  }

  func value(for target: Target) async throws(Failure.Cause) -> BearerToken? {
    if let token = content.withLock({ $0.token }) { return token }
    guard let command = target.tokenCommand else { return nil }
    let result: Result<BearerToken, BearerToken.Missing> = await withCheckedContinuation { reply in
      Thread.detachNewThread {
        reply.resume(
          returning: Result { () throws(BearerToken.Missing) in try BearerToken(command) })
      }
    }
    do throws(BearerToken.Missing) {
      let token = try result.get()
      content.withLock { $0.token = token }
      return token
    } catch {
      throw .denied(error.reason)
    }
  }
}
