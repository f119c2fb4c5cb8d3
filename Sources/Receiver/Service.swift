import MultipartForm
import NIOCore
import ScalarText

/// What the receiver does with a request, regardless of its connection.
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
    uploads = PartialUploads(
      inbox: inbox, lifetime: configuration.uploadLifetime,
      emptyLifetime: configuration.emptyUploadLifetime,
      mostUploads: configuration.maxUnfinishedUploads)
    host = RequestHost(configuration)
  }

  /// Does what a request asks for, and reads as much of its body as that needs.
  /// - Throws: ``Refusal``, or what reading the body throws.
  func answer(_ request: Request) async throws -> Reply {
    do { return try await perform(request) } catch {
      throw Refusal(of: error) ?? error
    }
  }

  private func perform(_ request: Request) async throws -> Reply {
    let head = request.head
    try host.check(head)
    try host.refuseOtherSites(head)
    try Admission.authorize(head, token: configuration.token)
    let route = try Route(
      method: head.method, target: head.uri, maxFiles: configuration.maxFiles, endpoints: endpoints)
    switch route {
    case .upload(let maxFiles):
      return try await upload(request, maxFiles: maxFiles)
    case .index:
      try await skipBody(of: request)
      return try index(request)
    case .file(let name):
      try await skipBody(of: request)
      guard let file = try inbox.read(name) else {
        throw Refusal(.notFound, "There is no file of that name.")
      }
      return .file(file)
    case .deletion(let name):
      try await skipBody(of: request)
      return try delete(name, request)
    case .uploads: return try await answerTus(nil, request)
    case .partial(let id):
      // A tus client says so in every request except OPTIONS.
      let isTus = head.headers.contains(name: "tus-resumable") || head.method == .OPTIONS
      return isTus ? try await answerTus(id, request) : try await answerResumable(id, request)
    case .limits:
      try await skipBody(of: request)
      return resumableLimits()
    case .endpoint(let number): return try await answer(request, by: endpoints[number])
    }
  }

  /// Reads and discards a body that a request does not need.
  func skipBody(of request: Request) async throws {
    try await request.body.skip(atMost: configuration.maxHeaderBytes)
  }

  private func answer(
    _ request: Request, by endpoint: any ReceiverEndpoint
  ) async throws -> Reply {
    var asked = try EndpointRequest(request, service: self)
    try await asked.finishWithoutBody()
    do {
      return try await endpoint.answer(&asked)
    } catch {
      // The caller, which serves the connection, handles errors of the connection itself.
      if !(error is Refusal), let failure = request.body.failure { throw failure }
      // Errors in a form that the endpoint reads itself are also the client's fault.
      throw Refusal(of: error)
        ?? Refusal(.internalServerError, "The receiver could not answer this.")
    }
  }

  private func upload(_ request: Request, maxFiles: Int) async throws -> Reply {
    if let asked = ResumableRequest(request.head) {
      return try await beginResumable(asked, request, maxFiles: maxFiles)
    }
    let receipt = try await store(request, maxFiles: maxFiles)
    return request.head.wantsPage ? .redirect(to: "/") : reply(receipt)
  }

  /// The reply to files that were stored.
  func reply(_ receipt: StoredForm) -> Reply {
    // A 201 names the one resource that a request created (RFC 9110, section 15.3.2).
    guard let file = receipt.files.first, receipt.files.count == 1 else { return .json(receipt) }
    var reply = Reply.json(receipt, status: 201)
    reply.headers.append(("Location", location(ofStored: file.stored)))
    return reply
  }

  /// The value of `Location` for one of the receiver's paths. Without a public URL it is relative (RFC 9110, section
  /// 10.2.2): the client knows the scheme and host it used to reach the receiver, but the receiver may not, since a
  /// proxy may terminate TLS.
  func location(_ path: String) -> String { (publicBase ?? "") + path }

  /// Where a stored file is, for `Location`.
  func location(ofStored name: String) -> String { location(FileURL.make("", name)) }

  /// The public address without a slash at its end.
  private var publicBase: String? {
    configuration.publicURL.map { $0.utf8.last == UInt8(ascii: "/") ? String($0.dropLast()) : $0 }
  }

  /// Reads a form and stores its files.
  ///
  /// - Parameter check: looks at the whole form before any of it is visible.
  func store(
    _ request: Request, maxFiles: Int, checking check: (ReceivedForm) throws -> Void = { _ in }
  ) async throws -> StoredForm {
    let admission = try Admission(
      request.head, configuration: configuration, freeBytes: inbox.freeBytes)
    let intake = FormIntake(
      boundary: admission.boundary, inbox: inbox, maxFiles: maxFiles, configuration: configuration)
    if admission.awaitsContinue { try await request.sendContinue() }
    do {
      while let buffer = try await request.body.next() {
        try buffer.withUnsafeReadableBytes(intake.push)
      }
      let receipt = try intake.finish(baseURL: baseURL(request), checking: check)
      tell(of: receipt.files, request)
      return receipt
    } catch {
      // An endpoint that catches refusals also gets one for an error in a form.
      throw Refusal(of: error) ?? error
    }
  }

  func tell(of files: [StoredFile], _ request: Request) {
    for file in files { onEvent?(.stored(file, client: request.client)) }
  }

  private func delete(_ name: String, _ request: Request) throws -> Reply {
    guard configuration.allowsDeletion else {
      throw Refusal(.forbidden, "This receiver does not allow files to be deleted.")
    }
    guard try inbox.delete(name) else {
      throw Refusal(.notFound, "There is no file of that name.")
    }
    if configuration.syncsToDisk { try inbox.sync() }
    onEvent?(.deleted(name, client: request.client))
    return .empty(.noContent)
  }

  private func index(_ request: Request) throws -> Reply {
    let wantsJSON = request.head.headers[canonicalForm: "accept"].contains {
      $0.lowercasedASCII.hasPrefix(scalars: "application/json")
    }
    // A page's links stay on whatever host and scheme the browser used.
    let base = wantsJSON ? baseURL(request) : ""
    let entries = try inbox.list().map { entry in
      var entry = entry
      entry.url = FileURL.make(base, entry.name)
      return entry
    }
    let page = { IndexPage.html(entries, maxFiles: configuration.maxFiles) }
    return wantsJSON ? .json(["files": entries]) : .html(page())
  }

  func baseURL(_ request: Request) -> String {
    if let publicBase { return publicBase }
    if let host = request.header("host") { return "http://\(host)" }
    let local = request.channel.localAddress
    let address = local?.ipAddress ?? configuration.host
    let host = address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
    return "http://\(host):\(local?.port ?? configuration.port)"
  }
}
