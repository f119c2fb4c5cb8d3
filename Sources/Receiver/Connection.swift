import Foundation
import MultipartForm
import NIOCore
import NIOHTTP1

/// One client's connection: its requests, one after the other.
struct Connection {
  typealias AsyncChannel = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

  let asyncChannel: AsyncChannel
  let inbox: Inbox
  let configuration: Receiver.Configuration
  let connections: ConnectionSet
  let onEvent: (@Sendable (ReceiverEvent) -> Void)?

  private var channel: any Channel { asyncChannel.channel }
  private var client: String { channel.remoteAddress?.description ?? "unknown" }

  /// Answers requests until one side has enough. Closes the connection.
  func serve() async {
    // What goes wrong on a connection ends that connection; it was reported where it happened.
    try? await asyncChannel.executeThenClose { inbound, _ in
      var body = RequestBody(inbound.makeAsyncIterator())
      while try await serveNext(&body), !connections.isStopping {}
    }
  }

  /// Serves one request; false if it was the last.
  private func serveNext(_ body: inout RequestBody) async throws -> Bool {
    let head: HTTPRequestHead
    do {
      guard let next = try await body.nextHead() else { return false }
      head = next
    } catch let error as HTTPParserError {
      await refuse(Self.refusal(for: error), version: .http1_1, request: "")
      return false
    }
    connections.mark(channel, isBusy: true)
    defer { connections.mark(channel, isBusy: false) }

    let request = "\(head.method.rawValue) \(head.uri)"
    do {
      let reply = try await answer(head, &body)
      let keepsAlive = canFollow(head, body)
      try await send(reply, to: head, keepsAlive: keepsAlive)
      return keepsAlive
    } catch let refusal as Refusal {
      let keepsAlive = canFollow(head, body)
      await refuse(
        refusal, version: head.version, request: request, keepsAlive: keepsAlive,
        withoutBody: head.method == .HEAD)
      return keepsAlive
    } catch let error as HTTPParserError where error != .invalidEOFState {
      await refuse(Self.refusal(for: error), version: head.version, request: request)
    } catch is StallTimeout.Stalled {
      await refuse(
        Refusal(.requestTimeout, "Nothing came for \(configuration.stallTimeout)."),
        version: head.version, request: request)
    } catch {
      // Nobody is left to answer.
      onEvent?(.disconnected(request: request, client: client))
    }
    return false
  }

  /// Whether another request can follow on the connection.
  private func canFollow(_ head: HTTPRequestHead, _ body: RequestBody) -> Bool {
    // The decoder reads nothing after a request to upgrade, which is ignored here (RFC 9110, section
    // 7.8); Java's client sends one with its first request.
    head.isKeepAlive && head.headers["upgrade"].isEmpty && body.isFinished
      && !connections.isStopping
  }

  private func answer(_ head: HTTPRequestHead, _ body: inout RequestBody) async throws -> Reply {
    try Admission.authorize(head, token: configuration.token)
    let route = try Route(
      method: head.method, target: head.uri, maxFiles: configuration.maxFiles)
    switch route {
    case .upload(let maxFiles):
      return try await upload(head, &body, maxFiles: maxFiles)
    case .index:
      try await body.skip(atMost: configuration.maxHeaderBytes)
      return index(head)
    case .file(let name):
      try await body.skip(atMost: configuration.maxHeaderBytes)
      guard let file = inbox.read(name) else {
        throw Refusal(.notFound, "There is no file of that name.")
      }
      return .file(descriptor: file.descriptor, size: file.size)
    }
  }

  private func upload(_ head: HTTPRequestHead, _ body: inout RequestBody, maxFiles: Int)
    async throws
    -> Reply
  {
    let admission = try Admission(head, configuration: configuration, freeBytes: inbox.freeBytes)
    let intake = FormIntake(
      boundary: admission.boundary, inbox: inbox, maxFiles: maxFiles, configuration: configuration)
    if admission.awaitsContinue {
      try await channel.writeAndFlush(
        HTTPServerResponsePart.head(.init(version: head.version, status: .continue)))
    }
    let receipt: FormIntake.Receipt
    do {
      while let buffer = try await body.next() {
        try buffer.withUnsafeReadableBytes(intake.push)
      }
      receipt = try intake.finish(baseURL: baseURL(head))
    } catch let failure as Inbox.Failure {
      throw Refusal(failure)
    } catch let error as ParserError {
      throw Refusal(error)
    }
    for file in receipt.files { onEvent?(.stored(file, client: client)) }
    return .json(receipt)
  }

  private func index(_ head: HTTPRequestHead) -> Reply {
    let wantsJSON = head.headers[canonicalForm: "accept"].contains {
      $0.lowercased().hasPrefix("application/json")
    }
    // A page's links stay on whatever host and scheme the browser used.
    let base = wantsJSON ? baseURL(head) : ""
    let entries = inbox.list().map { entry in
      var entry = entry
      entry.url = FileURL.make(base, entry.name)
      return entry
    }
    return wantsJSON ? .json(["files": entries]) : .html(IndexPage.html(entries))
  }

  private func baseURL(_ head: HTTPRequestHead) -> String {
    if let url = configuration.publicURL {
      return url.hasSuffix("/") ? String(url.dropLast()) : url
    }
    let local = channel.localAddress
    let fallback = "\(local?.ipAddress ?? configuration.host):\(local?.port ?? configuration.port)"
    return "http://\(head.headers["host"].first ?? fallback)"
  }

  private func refuse(
    _ refusal: Refusal, version: HTTPVersion, request: String, keepsAlive: Bool = false,
    withoutBody: Bool = false
  ) async {
    onEvent?(
      .refused(
        status: Int(refusal.status.code), message: refusal.message, request: request, client: client
      ))
    // If the client has gone there is nobody to tell.
    try? await send(
      .refusal(refusal), version: version, keepsAlive: keepsAlive, withoutBody: withoutBody)
  }

  private func send(_ reply: Reply, to head: HTTPRequestHead, keepsAlive: Bool) async throws {
    try await send(
      reply, version: head.version, keepsAlive: keepsAlive, withoutBody: head.method == .HEAD)
  }

  private func send(_ reply: Reply, version: HTTPVersion, keepsAlive: Bool, withoutBody: Bool)
    async throws
  {
    let head = HTTPServerResponsePart.head(reply.head(version: version, keepsAlive: keepsAlive))
    switch reply.body {
    case .bytes(let bytes):
      channel.write(head, promise: nil)
      if !withoutBody {
        channel.write(HTTPServerResponsePart.body(.byteBuffer(.init(bytes: bytes))), promise: nil)
      }
    case .file(let descriptor, let size):
      defer { close(descriptor) }
      channel.write(head, promise: nil)
      var rest = withoutBody ? 0 : size
      while rest > 0 {
        // A file that shrinks meanwhile can not be told otherwise than by ending the connection.
        guard let piece = Self.read(descriptor, atMost: rest) else {
          throw RequestBody.Disconnected()
        }
        rest -= Int64(piece.readableBytes)
        try await channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(piece)))
      }
    }
    try await channel.writeAndFlush(HTTPServerResponsePart.end(nil))
  }

  private static func read(_ descriptor: Int32, atMost rest: Int64) -> ByteBuffer? {
    var buffer = ByteBuffer()
    let wanted = Int(min(rest, 256 << 10))
    let count = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: wanted) { target in
      max(0, Foundation.read(descriptor, target.baseAddress, wanted))
    }
    return count > 0 ? buffer : nil
  }

  private static func refusal(for error: HTTPParserError) -> Refusal {
    error == .headerOverflow
      ? Refusal(.requestHeaderFieldsTooLarge, "The head of the request is too long.")
      : Refusal(.badRequest, "This is not HTTP: \(error).")
  }
}
