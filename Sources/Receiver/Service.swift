import Crypto
import MultipartForm
import NIOCore
import NIOHTTP1

/// What the receiver does with a request, apart from the connection that it came on.
struct Service: Sendable {
  let inbox: Inbox
  let configuration: Receiver.Configuration
  let onEvent: (@Sendable (ReceiverEvent) -> Void)?
  let records: Records
  private let host: RequestHost
  /// Signs tickets, with a secret that lasts as long as the receiver unless it is given one.
  let signer: PostPolicy.Signer

  init(
    inbox: Inbox, configuration: Receiver.Configuration,
    onEvent: (@Sendable (ReceiverEvent) -> Void)?
  ) {
    self.inbox = inbox
    self.configuration = configuration
    self.onEvent = onEvent
    records = Records(inbox: inbox)
    host = RequestHost(configuration)
    signer = PostPolicy.Signer(
      secretKey: configuration.signingKey ?? Hexadecimal.text(SymmetricKey(size: .bits256).bytes))
  }

  /// Reads a request's body as far as it is welcome, and does what it asks for.
  /// - Throws: ``Refusal``, or what reading the body throws.
  func answer(_ head: HTTPRequestHead, _ body: inout RequestBody, on channel: any Channel)
    async throws -> Reply
  {
    try host.check(head)
    try host.refuseOtherSites(head)
    try Admission.authorize(head, token: configuration.token)
    switch try Route(method: head.method, target: head.uri, maxFiles: configuration.maxFiles) {
    case .upload(let maxFiles):
      return try await upload(head, &body, maxFiles: maxFiles, on: channel)
    case .index:
      try await body.skip(atMost: configuration.maxHeaderBytes)
      return try reading { try index(head, on: channel) }
    case .file(let name):
      try await body.skip(atMost: configuration.maxHeaderBytes)
      guard let file = try reading({ try inbox.read(name) }) else {
        throw Refusal(.notFound, "There is no file of that name.")
      }
      return .file(file)
    case .endpoint(let endpoint):
      return try await answer(endpoint, head, &body, on: channel)
    }
  }

  /// Reads from the folder, where a refusal of the system's is one of the request's.
  private func reading<Result>(_ work: () throws -> Result) throws -> Result {
    do { return try work() } catch let failure as Inbox.Failure { throw Refusal(failure) }
  }

  private func upload(
    _ head: HTTPRequestHead, _ body: inout RequestBody, maxFiles: Int, on channel: any Channel
  ) async throws -> Reply {
    let receipt = try await store(head, &body, maxFiles: maxFiles, on: channel)
    if head.wantsPage { return .redirect(to: "/") }
    // Of several files none is the one that the request made (RFC 9110, section 15.3.2).
    guard let file = receipt.files.first, receipt.files.count == 1 else { return .json(receipt) }
    var reply = Reply.json(receipt, status: .created)
    reply.headers.append(("Location", file.url))
    return reply
  }

  /// Takes a form in and stores its files.
  ///
  /// - Parameter check: looks at the whole form before anything of it is visible.
  func store(
    _ head: HTTPRequestHead, _ body: inout RequestBody, maxFiles: Int, on channel: any Channel,
    checking check: (FormIntake.Summary) throws -> Void = { _ in }
  ) async throws -> FormIntake.Receipt {
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
      receipt = try intake.finish(baseURL: baseURL(head, on: channel), checking: check)
    } catch let failure as Inbox.Failure {
      throw Refusal(failure)
    } catch let error as ParserError {
      throw Refusal(error)
    }
    let client = ClientName.of(channel)
    for file in receipt.files { onEvent?(.stored(file, client: client)) }
    return receipt
  }

  private func index(_ head: HTTPRequestHead, on channel: any Channel) throws -> Reply {
    let wantsJSON = head.headers[canonicalForm: "accept"].contains {
      $0.inLowerASCII.beginsWithBytes("application/json")
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

extension SymmetricKey {
  fileprivate var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
