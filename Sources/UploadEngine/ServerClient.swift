import Foundation
import FoundationNetworking
import Synchronization
import UploadModel

/// Small requests to a target's server: tickets, lists, deletions, records. They follow the same rules
/// for TLS and credentials as uploads do, and one is tried once.
public struct ServerClient: Sendable {
  /// The most bytes of a reply that are read.
  private static let mostReply = 8 << 20

  private let target: Target
  private let token: TokenBox

  /// A client for a target. Where a command gives the target's token, it runs before the first
  /// request.
  public init(target: Target) { self.init(target: target, token: nil) }

  init(target: Target, token: BearerToken?) {
    CurlHook.install()
    self.target = target
    self.token = TokenBox(token)
  }

  // MARK: What is there already

  /// The entries that the target lists, in the server's order.
  ///
  /// - Parameter query: what is added to the URL, such as a filter.
  public func entries(
    query: [(name: String, value: String)] = []
  ) async throws(Failure) -> [ServerEntry] {
    guard let list = target.server.list else {
      throw Failure(.unsendable("the target has no server.list"))
    }
    let document = try await document(of: list.call, Self.values(), query: query)
    do throws(ServerEntry.Mistake) { return try list.entries(in: document) } catch {
      throw Failure(.rejected(error.description), attempts: 1)
    }
  }

  /// Deletes an entry.
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
  ) async throws(Failure) -> JSONValue {
    let receipt = try await reply(to: call, values, query: query)
    guard let document = JSONValue(text: receipt.reply.text) else {
      let why =
        receipt.reply.isCut ? "its answer is longer than what is read" : "its answer is not JSON"
      throw Failure(.rejected(why), status: receipt.status, reply: receipt.reply, attempts: 1)
    }
    return document
  }

  func reply(
    to call: ServerCall, _ values: Template.Values, query: [(name: String, value: String)] = []
  ) async throws(Failure) -> Receipt {
    var url = try address(call, values, query)
    var judge = Target(name: target.name, url: url)
    judge.response = call.rules
    for redirects in 0...Verdict.mostRedirects {
      let end = try await send(call, values, to: url)
      switch Verdict.judge(end, target: judge, attempt: 1, redirects: redirects, now: Date()) {
      case .delivered(let receipt): return receipt
      case .failed(let failure): throw failure
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
    var request = URLRequest(url: url)
    request.httpMethod = call.method
    request.cachePolicy = .reloadIgnoringLocalCacheData
    request.timeoutInterval = target.stallTimeout
    request.setValue("hoist/\(UploadEngine.version)", forHTTPHeaderField: "User-Agent")
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    if let json = call.json {
      request.httpBody = Data(json.filled(with: values).utf8)
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
    do throws(Failure.Cause) {
      try OriginRules.shared.admit(target)
      // Another origin is not told who we are.
      if Origin(url) == Origin(target.url) {
        for field in target.headers {
          let value = field.value.filled(with: values)
          guard !value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
            throw .unsendable("the header field \(field.name) would hold a control character")
          }
          request.setValue(value, forHTTPHeaderField: field.name)
        }
        if let token = try await token.value(for: target) {
          request.setValue(token.headerValue, forHTTPHeaderField: "Authorization")
        }
      }
    } catch {
      throw Failure(error)
    }
    let exchange = Exchange(mostReply: Self.mostReply)
    return await exchange.run(request, to: url)
  }
}

/// A token, once there is one.
private final class TokenBox: Sendable {
  private let known: Mutex<BearerToken?>

  init(_ token: BearerToken?) { known = Mutex(token) }

  func value(for target: Target) async throws(Failure.Cause) -> BearerToken? {
    if let token = known.withLock({ $0 }) { return token }
    guard let command = target.tokenCommand else { return nil }
    let result: Result<BearerToken, BearerToken.Missing> = await withCheckedContinuation { reply in
      Thread.detachNewThread {
        reply.resume(
          returning: Result { () throws(BearerToken.Missing) in try BearerToken(command) })
      }
    }
    do throws(BearerToken.Missing) {
      let token = try result.get()
      known.withLock { $0 = token }
      return token
    } catch {
      throw .denied(error.reason)
    }
  }
}

/// One request and its reply.
private final class Exchange: NSObject, URLSessionDataDelegate, Sendable {
  private struct Progress {
    var body = Data()
    var isCut = false
    var isCancelled = false
    var continuation: CheckedContinuation<TransferEnd, Never>?
    var task: URLSessionTask?
  }

  private let mostReply: Int
  private let progress = Mutex(Progress())

  init(mostReply: Int) { self.mostReply = mostReply }

  func run(_ request: URLRequest, to url: URL) async -> TransferEnd {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.urlCredentialStorage = nil
    let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let task = session.dataTask(with: request)
        let isCancelled = progress.withLock { progress in
          progress.continuation = continuation
          progress.task = task
          return progress.isCancelled
        }
        task.resume()
        if isCancelled { task.cancel() }
      }
    } onCancel: {
      let task = progress.withLock { progress in
        progress.isCancelled = true
        return progress.task
      }
      task?.cancel()
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    completionHandler(.rejectProtectionSpace, nil)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isEnough = progress.withLock { progress in
      progress.body.append(data.prefix(mostReply - progress.body.count))
      progress.isCut = progress.isCut || progress.body.count >= mostReply
      return progress.isCut
    }
    if isEnough { dataTask.cancel() }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let url = task.originalRequest?.url ?? URL(fileURLWithPath: "/")
    let http = task.response as? HTTPURLResponse
    var headers: [String: String] = [:]
    for case (let name as String, let value as String) in http?.allHeaderFields ?? [:] {
      headers[name.lowercased()] = value
    }
    let (body, isCut, continuation) = progress.withLock { progress in
      defer { progress.continuation = nil }
      return (progress.body, progress.isCut, progress.continuation)
    }
    var trouble = error.map { TransportTrouble.cause(of: $0, host: url.host ?? "") }
    if trouble == .cancelled, http != nil, isCut { trouble = nil }
    // A reply that broke off in its middle is none.
    let status = trouble == nil ? http?.statusCode : nil
    continuation?.resume(
      returning: TransferEnd(
        url: url, status: status, headers: headers,
        reply: Reply(text: String(decoding: body, as: UTF8.self), isCut: isCut),
        trouble: trouble, sentAll: trouble == nil))
  }
}
