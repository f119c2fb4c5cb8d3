import MultipartForm
import NIOCore
import NIOHTTP1
import ScalarText

/// What the receiver does with a request, whatever connection it came on.
struct Service: Sendable {
  let inbox: Inbox
  let configuration: Receiver.Configuration
  let endpoints: [any ReceiverEndpoint]
  let onEvent: (@Sendable (ReceiverEvent) -> Void)?
  let uploads: PartialUploads
  private let host: RequestHost

  init(
    inbox: Inbox, configuration: Receiver.Configuration, endpoints: [any ReceiverEndpoint],
    onEvent: (@Sendable (ReceiverEvent) -> Void)?
  ) {
    self.inbox = inbox
    self.configuration = configuration
    self.endpoints = endpoints
    self.onEvent = onEvent
    uploads = PartialUploads(inbox: inbox, lifetime: configuration.uploadLifetime)
    host = RequestHost(configuration)
  }

  /// Does what a request asks for, and reads its body as far as that needs it.
  /// - Throws: ``Refusal``, or what reading the body throws.
  func answer(
    _ head: HTTPRequestHead, _ body: inout RequestBody, on channel: any Channel
  ) async throws -> Reply {
    do { return try await perform(head, &body, on: channel) } catch {
      throw Refusal(of: error) ?? error
    }
  }

  private func perform(
    _ head: HTTPRequestHead, _ body: inout RequestBody, on channel: any Channel
  ) async throws -> Reply {
    try host.check(head)
    try host.refuseOtherSites(head)
    try Admission.authorize(head, token: configuration.token)
    let route = try Route(
      method: head.method, target: head.uri, maxFiles: configuration.maxFiles, endpoints: endpoints)
    switch route {
    case .upload(let maxFiles):
      return try await upload(head, &body, maxFiles: maxFiles, on: channel)
    case .index:
      try await body.skip(atMost: configuration.maxHeaderBytes)
      return try index(head, on: channel)
    case .file(let name):
      try await body.skip(atMost: configuration.maxHeaderBytes)
      guard let file = try inbox.read(name) else {
        throw Refusal(.notFound, "There is no file of that name.")
      }
      return .file(file)
    case .deletion(let name):
      try await body.skip(atMost: configuration.maxHeaderBytes)
      return try delete(name, on: channel)
    case .uploads: return try await answerTus(nil, head, &body, on: channel)
    case .partial(let id):
      // A client of tus says so in each request but OPTIONS.
      let isTus = head.headers.contains(name: "tus-resumable") || head.method == .OPTIONS
      return isTus
        ? try await answerTus(id, head, &body, on: channel)
        : try await answerResumable(id, head, &body, on: channel)
    case .limits:
      try await body.skip(atMost: configuration.maxHeaderBytes)
      return resumableLimits()
    case .endpoint(let number):
      var request = try EndpointRequest(head, body, service: self, channel: channel)
      defer { body = request.body }
      return try await answer(&request, by: endpoints[number])
    }
  }

  private func answer(
    _ request: inout EndpointRequest, by endpoint: any ReceiverEndpoint
  ) async throws -> Reply {
    try await request.finishWithoutBody()
    do {
      return try await endpoint.answer(&request)
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      // What went wrong with the connection is told apart by whoever serves it.
      if let failure = request.body.failure { throw failure }
      throw Refusal(.internalServerError, "The receiver could not answer this.")
    }
  }

  private func upload(
    _ head: HTTPRequestHead, _ body: inout RequestBody, maxFiles: Int, on channel: any Channel
  ) async throws -> Reply {
    if let asked = ResumableRequest(head) {
      return try await beginResumable(asked, head, &body, maxFiles: maxFiles, on: channel)
    }
    let receipt = try await store(head, &body, maxFiles: maxFiles, on: channel)
    return head.wantsPage ? .redirect(to: "/") : Self.reply(receipt)
  }

  /// The reply to files that were stored.
  static func reply(_ receipt: StoredForm) -> Reply {
    // 201 names the one thing that a request made (RFC 9110, section 15.3.2).
    guard let file = receipt.files.first, receipt.files.count == 1 else { return .json(receipt) }
    var reply = Reply.json(receipt, status: 201)
    reply.headers.append(("Location", file.url))
    return reply
  }

  /// Reads a form and stores its files.
  ///
  /// - Parameter check: looks at the whole form before any of it is visible.
  func store(
    _ head: HTTPRequestHead, _ body: inout RequestBody, maxFiles: Int, on channel: any Channel,
    checking check: (ReceivedForm) throws -> Void = { _ in }
  ) async throws -> StoredForm {
    let admission = try Admission(head, configuration: configuration, freeBytes: inbox.freeBytes)
    let intake = FormIntake(
      boundary: admission.boundary, inbox: inbox, maxFiles: maxFiles, configuration: configuration)
    if admission.awaitsContinue {
      try await Self.sendContinue(head, on: channel)
    }
    while let buffer = try await body.next() {
      try buffer.withUnsafeReadableBytes(intake.push)
    }
    let receipt = try intake.finish(baseURL: baseURL(head, on: channel), checking: check)
    tell(of: receipt, on: channel)
    return receipt
  }

  func tell(of receipt: StoredForm, on channel: any Channel) {
    let client = ClientName.of(channel)
    for file in receipt.files { onEvent?(.stored(file, client: client)) }
  }

  private func delete(_ name: String, on channel: any Channel) throws -> Reply {
    guard configuration.allowsDeletion else {
      throw Refusal(
        .forbidden,
        "This receiver keeps what has arrived. Start it with --allow-delete to let clients delete.")
    }
    guard try inbox.delete(name) else {
      throw Refusal(.notFound, "There is no file of that name.")
    }
    if configuration.syncsToDisk { try inbox.sync() }
    onEvent?(.deleted(name, client: ClientName.of(channel)))
    return .empty(.noContent)
  }

  /// Tells a client that it may send the body.
  static func sendContinue(_ head: HTTPRequestHead, on channel: any Channel) async throws {
    try await channel.writeAndFlush(
      HTTPServerResponsePart.head(.init(version: head.version, status: .continue)))
  }

  private func index(_ head: HTTPRequestHead, on channel: any Channel) throws -> Reply {
    let wantsJSON = head.headers[canonicalForm: "accept"].contains {
      $0.lowercasedASCII.hasPrefix(scalars: "application/json")
    }
    // A page's links stay on whatever host and scheme the browser used.
    let base = wantsJSON ? baseURL(head, on: channel) : ""
    let entries = try inbox.list().map { entry in
      var entry = entry
      entry.url = FileURL.make(base, entry.name)
      return entry
    }
    let page = { IndexPage.html(entries, maxFiles: configuration.maxFiles) }
    return wantsJSON ? .json(["files": entries]) : .html(page())
  }

  func baseURL(_ head: HTTPRequestHead, on channel: any Channel) -> String {
    if let url = configuration.publicURL {
      return url.utf8.last == UInt8(ascii: "/") ? String(url.dropLast()) : url
    }
    if let host = head.headers["host"].first { return "http://\(host)" }
    let address = channel.localAddress?.ipAddress ?? configuration.host
    let host = address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
    return "http://\(host):\(channel.localAddress?.port ?? configuration.port)"
  }
}
