import NIOCore
import NIOHTTP1

/// One client's connection: its requests, one after the other, each with its reply.
struct Connection {
  typealias AsyncChannel = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

  private let asyncChannel: AsyncChannel
  private let service: Service
  private let connections: ConnectionSet

  private var channel: any Channel { asyncChannel.channel }
  private var site: Site { service.site }
  /// The client's address for a log. It is looked up early, since it is unknown once the connection has closed.
  private let client: String

  init(_ asyncChannel: AsyncChannel, _ service: Service, _ connections: ConnectionSet) {
    self.asyncChannel = asyncChannel
    (self.service, self.connections) = (service, connections)
    client = ClientName.of(asyncChannel.channel)
  }

  /// Answers requests until one side ends the connection, then closes it.
  func serve() async {
    // An error ends the connection. It was reported where it happened.
    try? await asyncChannel.executeThenClose { inbound, _ in
      guard !connections.isTurnedAway(channel) else {
        return await refuse(.busy("Too many connections are already waiting."), nil)
      }
      let body = RequestBody(inbound.makeAsyncIterator())
      while try await serveNext(body), !connections.isStopping {}
    }
  }

  /// Serves one request; returns false if it was the last.
  private func serveNext(_ body: RequestBody) async throws -> Bool {
    let head: HTTPRequestHead
    do {
      guard let next = try await body.nextHead() else { return false }
      head = next
    } catch let error as HTTPParserError {
      await refuse(Refusal(error), nil)
      return false
    }
    connections.mark(channel, isBusy: true)
    defer { connections.mark(channel, isBusy: false) }

    do {
      let reply = try await service.answer(Request(head: head, body: body, channel: channel))
      let keepsAlive = canFollow(head, body)
      try await send(reply, head, keepsAlive: keepsAlive)
      return keepsAlive
    } catch let refusal as Refusal {
      let keepsAlive = canFollow(head, body)
      await refuse(refusal, head, keepsAlive: keepsAlive)
      return keepsAlive
    } catch let stalled as StallTimeout.Stalled {
      let timeout = site.configuration.stallTimeout
      let words =
        stalled.isSlow
        ? "The request arrived at less than \(site.configuration.minBytesPerSecond) bytes a second "
          + "for \(timeout)."
        : "Nothing arrived for \(timeout)."
      await refuse(Refusal(.requestTimeout, words), head)
    } catch is StallTimeout.Evicted {
      let words = "The request stalled while other connections were waiting for its place."
      await refuse(.busy(words), head)
      channel.triggerUserOutboundEvent(LingeringClose.Abort(), promise: nil)
    } catch let error as HTTPParserError where error != .invalidEOFState {
      await refuse(Refusal(error), head)
    } catch {
      site.onEvent?(
        connections.hasAborted
          ? .brokenOff(request: head.line, client: client)
          : .disconnected(request: head.line, client: client))
      // Nobody reads this reply unless the client has closed only its own direction.
      let refusal = Refusal(.badRequest, "The connection ended before the request did.")
      if !(error is Reply.Broken) { try? await send(.refusal(refusal), head, keepsAlive: false) }
    }
    return false
  }

  private func canFollow(_ head: HTTPRequestHead, _ body: RequestBody) -> Bool {
    // The decoder reads nothing after a request with `Upgrade`. This server ignores that header field (RFC 9110,
    // section 7.8), which Java's client sends with its first request.
    head.isKeepAlive && head.headers["upgrade"].isEmpty && body.isFinished
      && !connections.mustEnd(channel)
  }

  private func refuse(
    _ refusal: Refusal, _ head: HTTPRequestHead?, keepsAlive: Bool = false
  ) async {
    site.onEvent?(
      .refused(
        status: refusal.code, message: refusal.message, request: head?.line ?? "", client: client))
    // If the client is gone, there is nobody to tell.
    let reply: Reply = head?.wantsPage == true ? .refusalPage(refusal) : .refusal(refusal)
    try? await send(reply, head, keepsAlive: keepsAlive)
  }

  /// Sends a reply to a request, whose head is nil if it could not be read.
  private func send(_ reply: Reply, _ head: HTTPRequestHead?, keepsAlive: Bool) async throws {
    let replyHead = reply.head(version: head?.version ?? .http1_1, keepsAlive: keepsAlive)
    channel.write(HTTPServerResponsePart.head(replyHead), promise: nil)
    try await reply.forEachPiece { piece in
      guard head?.method != .HEAD else { return }
      try await channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(piece)))
    }
    try await channel.writeAndFlush(HTTPServerResponsePart.end(nil))
  }
}
