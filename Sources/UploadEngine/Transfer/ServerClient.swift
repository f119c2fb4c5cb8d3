import Foundation
import HTTPTransport
import JSONText
import ScalarText
import UploadModel

/// Small requests to a target's server: tickets, lists, deletions, records. They follow the same rules for TLS and
/// credentials as uploads. Each is tried once, and again if a command can provide a new token after a refusal.
package struct ServerClient: Sendable {
  let destination: SendPlan
  var target: Target { _read { yield destination.target } }
  /// What a run or a ticket adds to its requests.
  let occasion: Occasion
  let token: TokenBox
  /// The cookies of its requests.
  let cookies: CookieJar
  let time: TimeSource

  /// A client for a target. If a command gives the target's token, it runs before the first request, unless `tokens`
  /// already has the token, and again if the server refuses the token.
  package init(target: Target, tokens: TokenSource = TokenSource(), time: TimeSource = .system) {
    self.init(to: SendPlan(target), token: nil, from: tokens, time: time)
  }

  /// A client with the token and the cookies that an upload has; `tokens` gives another token if that one is refused,
  /// unless it is nil.
  init(
    to destination: SendPlan, on occasion: Occasion = Occasion(), token: BearerToken?,
    from tokens: TokenSource?, cookies: CookieJar = CookieJar(), time: TimeSource
  ) {
    self.destination = destination
    self.occasion = occasion
    self.cookies = cookies
    self.time = time
    self.token = TokenBox(token, from: tokens, destination.secrets)
  }

  /// The values for a request that belongs to no single file.
  func values() -> Template.Values { occasion.values(now: time.date()) }

  func document(
    of call: Call, _ values: Template.Values
  ) async throws(Failure) -> (JSONValue, TransferEnd) {
    let end = try await reply(to: call.completed, values, isQuestion: true)
    let content =
      call.isListing
      ? MultiStatus.files(in: end.reply.text, of: end.url) : JSONValue(text: end.reply.text)
    guard let document = content, !(call.isListing && end.reply.isCut) else {
      let kind = call.isListing ? "not a WebDAV server's list" : "not JSON"
      let why = end.reply.isCut ? "its answer is too long to read" : "its answer is \(kind)"
      throw failure(.unusable(why), after: end)
    }
    return (document, end)
  }

  /// A failure because of a reply, without the target's secrets and the tokens that were sent.
  func failure(_ cause: Failure.Cause, after end: TransferEnd, attempts: Int = 1) -> Failure {
    token.hidden(in: Failure(cause, status: end.status, reply: end.reply, attempts: attempts))
  }

  /// The end of a call whose reply counts as a success by its rules; `isQuestion` says whether the reply's content is
  /// wanted, so that one elsewhere is of no use.
  func reply(
    to call: Call, _ values: Template.Values, isQuestion: Bool = false
  ) async throws(Failure) -> TransferEnd {
    let isAboutMany = call.isListing || call.templates.contains { $0.asks(for: .files) }
    return try await reply(
      to: request(call, values), by: call.rules, values, isQuestion: isQuestion,
      mostReply: isAboutMany ? Self.mostContent : nil)
  }

  /// A call with its placeholders filled in.
  func request(_ call: Call, _ values: Template.Values) throws(Failure) -> ResumeRequest {
    do throws(Failure.Cause) { return try ResumeRequest(call, of: target, values) } catch {
      throw Failure(error)
    }
  }

  /// The end of a request that carries no part of a file, and whose reply counts as a success by `rules`. `mostReply`
  /// is the most bytes that are read of the reply; nil for the usual limit.
  func reply(
    to request: ResumeRequest, by rules: ReplyRules, _ values: Template.Values,
    isQuestion: Bool = false, mostReply: Int? = nil
  ) async throws(Failure) -> TransferEnd {
    var attempt = 0
    while true {
      attempt += 1
      do throws(Failure) {
        return try await follow(
          request, by: rules, values, isQuestion: isQuestion, mostReply: mostReply)
      } catch {
        if error.cause == .nonceExpired, token.isRenewable, attempt < RetryPolicy.mostNonces {
          continue
        }
        // A token is forgotten only once, so there are at most two rounds.
        guard error.cause == .refused, error.status == 401 || error.status == 403,
          error.isTemporary != true,
          request.mayCarryCredentials(of: target), token.forget(of: target)
        else { throw token.hidden(in: error) }
      }
    }
  }

  /// Sends a request wherever its server redirects it to.
  private func follow(
    _ asked: ResumeRequest, by rules: ReplyRules, _ values: Template.Values, isQuestion: Bool,
    mostReply: Int?
  ) async throws(Failure) -> TransferEnd {
    var request = asked
    // A request is redirected only within the origin that it was meant for.
    var judge = Target(name: target.name, url: asked.url)
    judge.response = rules
    judge.retry = target.retry
    // Nothing repeats the request automatically, and a user who repeats it knows its effect.
    judge.retry.isIdempotent = true
    for redirects in 0...Verdict.mostRedirects {
      var end = try await send(request, values, mostReply: mostReply)
      (end.isFromElsewhere, end.isQuestion) = (redirects > 0, isQuestion || request.method == "GET")
      switch Verdict.judge(end, target: judge, attempt: 1, redirects: redirects, now: time.date()) {
      case .delivered: return end
      case .failed(var failure):
        // A request that changes something may have done so. A GET changes nothing; its reply is just unusable.
        if request.method == "GET", case .outcomeUnknown(let why) = failure.cause {
          failure.cause = .unusable(why)
        }
        if case .redirected = failure.cause, end.leadsToResult {
          failure.cause = .outcomeUnknown(end.lead)
        }
        throw failure
      case .follow(let next, _): request.url = next
      }
    }
    throw Failure(.redirected(to: Verdict.shown(request.url.absoluteString), .tooMany), attempts: 1)
  }

  /// Sends a request once.
  func send(
    _ request: ResumeRequest, _ values: Template.Values, mostReply: Int? = nil,
    stallTimeout: Double? = nil
  ) async throws(Failure) -> TransferEnd {
    return await end(
      of: try await exchange(for: request, values, mostReply: mostReply),
      stallTimeout: stallTimeout)
  }

  /// A request as the transport is given it.
  func exchange(
    for request: ResumeRequest, _ values: Template.Values, mostReply: Int? = nil
  ) async throws(Failure) -> ExchangeRequest {
    var content = request.described?.text.map { Data($0.written.rawBytes) }
    // A request that changes something must state that it has no content (RFC 9110 §8.6).
    if content == nil, ["POST", "PUT", "PATCH"].contains(request.method) { content = Data() }
    do throws(Failure.Cause) {
      // Another origin gets no credentials.
      let isOwn = request.mayCarryCredentials(of: target)
      let token = isOwn ? try await token.value(for: target) : nil
      let head = try RequestHead(
        request, of: destination, on: occasion,
        credentials: isOwn ? .all(token: token?.secret) : .none, values: values,
        accept: RequestHead.json)
      var exchange = ExchangeRequest(
        url: request.url, method: request.method,
        headers: head.headers.map { (name: $0.name, value: $0.value.written) },
        body: content.map { MemoryBody($0) })
      if let most = mostReply ?? (request.method == "GET" ? Self.mostContent : nil) {
        exchange.mostReply = most
      }
      try exchange.apply(target, showsCredentials: isOwn, at: time.date())
      return exchange
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
