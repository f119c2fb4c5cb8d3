import Foundation
import HTTPTransport
import JSONText
import ScalarText
import Synchronization
import UploadModel

/// Small requests to a target's server: tickets, lists, deletions, records. They follow the same rules for TLS and
/// credentials as uploads. Each is tried once, and again if a command can provide a new token after a refusal.
package struct ServerClient: Sendable {
  @Boxed private(set) var target: Target
  /// What a run or a ticket adds to its requests.
  let occasion: Occasion
  let token: TokenBox
  /// The cookies of its requests.
  let cookies: CookieJar
  let time: TimeSource

  /// A client for a target. If a command gives the target's token, it runs before the first request, unless `tokens`
  /// already has the token, and again if the server refuses the token.
  package init(target: Target, tokens: TokenSource = TokenSource(), time: TimeSource = .system) {
    self.init(target: target, token: nil, from: tokens, time: time)
  }

  /// A client with the token and the cookies that an upload has; `tokens` gives another token if that one is refused,
  /// unless it is nil.
  init(
    target: Target, on occasion: Occasion = Occasion(), token: BearerToken?,
    from tokens: TokenSource?, cookies: CookieJar = CookieJar(), time: TimeSource
  ) {
    self.target = target
    self.occasion = occasion
    self.cookies = cookies
    self.time = time
    self.token = TokenBox(token, from: tokens, target.secrets)
  }

  /// What one request carries besides what all of them carry.
  struct Addition {
    /// Its own header fields, which go wherever the target's go.
    var headers: [RequestHead.Header] = []
    /// Whether the target's own origin gets the target's credentials. If not, another origin has chosen where the
    /// request goes, and `headers` go there as well.
    var showsCredentials = true
  }

  /// The values for a request that belongs to no single file.
  func values() -> Template.Values { occasion.values(now: time.date()) }

  func document(
    of call: ServerCall, _ values: Template.Values, query: [(name: String, value: String)] = []
  ) async throws(Failure) -> (JSONValue, TransferEnd) {
    let end = try await reply(to: call, values, query: query, isQuestion: true)
    guard let document = JSONValue(text: end.reply.text) else {
      let why = end.reply.isCut ? "its answer is too long to read" : "its answer is not JSON"
      throw failure(.unusable(why), after: end)
    }
    return (document, end)
  }

  /// A failure because of a reply, without the target's secrets and the tokens that were sent.
  func failure(_ cause: Failure.Cause, after end: TransferEnd, attempts: Int = 1) -> Failure {
    token.hidden(in: Failure(cause, status: end.status, reply: end.reply, attempts: attempts))
  }

  /// The end of a request whose reply counts as a success by the call's rules; `isQuestion` says whether the reply's
  /// content is wanted, so that one elsewhere is of no use.
  func reply(
    to call: ServerCall, _ values: Template.Values, query: [(name: String, value: String)] = [],
    isQuestion: Bool = false, with addition: Addition = Addition()
  ) async throws(Failure) -> TransferEnd {
    for template in call.templates {
      if let obstacle = template.obstacle(with: values) { throw Failure(.unsendable(obstacle)) }
    }
    let url = try address(call, values, query)
    var attempt = 0
    while true {
      attempt += 1
      do throws(Failure) {
        return try await reply(
          to: call, values, at: url, isQuestion: isQuestion, with: addition)
      } catch {
        if error.cause == .nonceExpired, token.isRenewable, attempt < RetryPolicy.mostNonces {
          continue
        }
        // A token is forgotten only once, so there are at most two rounds.
        guard error.cause == .refused, error.status == 401 || error.status == 403,
          error.isTemporary != true,
          addition.showsCredentials, Origin(url) == target.origin, token.forget(of: target)
        else { throw token.hidden(in: error) }
      }
    }
  }

  private func reply(
    to call: ServerCall, _ values: Template.Values, at address: URL, isQuestion: Bool,
    with addition: Addition
  ) async throws(Failure) -> TransferEnd {
    var url = address
    var judge = Target(name: target.name, url: url)
    judge.response = call.rules
    judge.retry = target.retry
    // Nothing repeats the call automatically, and a user who repeats it knows its effect.
    judge.retry.isIdempotent = true
    for redirects in 0...Verdict.mostRedirects {
      var end = try await send(call, values, to: url, with: addition)
      (end.isFromElsewhere, end.isQuestion) = (redirects > 0, isQuestion || call.method == "GET")
      switch Verdict.judge(end, target: judge, attempt: 1, redirects: redirects, now: time.date()) {
      case .delivered: return end
      case .failed(var failure):
        // A request that changes something may have done so. A GET changes nothing; its reply is just unusable.
        if call.method == "GET", case .outcomeUnknown(let why) = failure.cause {
          failure.cause = .unusable(why)
        }
        if case .redirected = failure.cause, end.leadsToResult {
          failure.cause = .outcomeUnknown(end.lead)
        }
        throw failure
      case .follow(let next, _): url = next
      }
    }
    throw Failure(.redirected(to: Verdict.shown(url.absoluteString), .tooMany), attempts: 1)
  }

  /// Where a call goes, with its placeholders filled in.
  func address(
    _ call: ServerCall, _ values: Template.Values, _ query: [(name: String, value: String)]
  ) throws(Failure) -> URL {
    guard var parts = URLComponents(string: call.url.filled(with: values)), let url = parts.url,
      Origin(url) != nil, !url.pathComponents.contains(where: { $0 == ".." || $0 == "." })
    else { throw Failure(.unsendable("its URL is invalid once its placeholders are filled in")) }
    let query = call.query.map { ($0.name, $0.value.filled(with: values)) } + query
    guard !query.isEmpty else { return url }
    let own = parts.percentEncodedQuery.map { $0.isEmpty ? [] : [$0] } ?? []
    let added = query.map { name, value in
      "\(PercentEncoding.encode(name))=\(PercentEncoding.encode(value))"
    }
    parts.percentEncodedQuery = (own + added).joined(separator: "&")
    return parts.url ?? url
  }

  func send(
    _ call: ServerCall, _ values: Template.Values, to url: URL, stallTimeout: Double? = nil,
    with addition: Addition = Addition()
  ) async throws(Failure) -> TransferEnd {
    // A request that changes something must state that it has no content (RFC 9110 §8.6).
    let content =
      call.content(values) ?? (["POST", "PUT", "PATCH"].contains(call.method) ? Data() : nil)
    do throws(Failure.Cause) {
      // Another origin gets no credentials.
      let isOwn = addition.showsCredentials && Origin(url) == target.origin
      let token = isOwn ? try await token.value(for: target) : nil
      var head = try RequestHead(
        call, of: target, on: occasion, credentials: isOwn ? .all(token: token?.secret) : .none,
        values: values)
      if isOwn || !addition.showsCredentials { head.add(addition.headers) }
      var request = ExchangeRequest(
        url: url, method: call.method,
        headers: head.headers.map { (name: $0.name, value: $0.value.written) },
        body: content.map { MemoryBody($0) })
      if call.method == "GET" || call.templates.contains(where: { $0.asks(for: .files) }) {
        request.mostReply = Self.mostContent
      }
      try request.obey(target, showsCredentials: addition.showsCredentials, at: time.date())
      return await end(of: request, stallTimeout: stallTimeout)
    } catch {
      throw Failure(error)
    }
  }

  /// The most bytes that are read of the reply to a GET, or to a question about many files.
  private static let mostContent = 8 << 20

  func end(of request: ExchangeRequest, stallTimeout: Double? = nil) async -> TransferEnd {
    let patience = stallTimeout ?? target.stallTimeout
    var request = request
    request.cookies = cookies
    let (end, hasStalled) = await UploadSession.shared.end(
      of: request, stallTimeout: patience, time: time)
    guard let end else {
      return TransferEnd(
        url: request.url, trouble: hasStalled ? .stalled(seconds: patience) : .cancelled,
        sentAll: false)
    }
    var whole = TransferEnd(end, end.head, of: request.url, proxy: target.proxy(for: request.url))
    if whole.trouble == nil, end.head == nil {
      whole.trouble = .network("the server's reply is too long")
    }
    // A reply that broke off in the middle does not count.
    if whole.trouble != nil { (whole.status, whole.sentAll) = (nil, false) }
    return whole
  }
}

extension ServerCall {
  /// The body; nil if the call has none.
  fileprivate func content(_ values: Template.Values) -> Data? {
    if let json { return Data(json.filled(with: values).rawBytes) }
    guard !form.isEmpty else { return nil }
    let pairs = form.map {
      "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value.filled(with: values)))"
    }
    return Data(pairs.joined(separator: "&").utf8)
  }
}
