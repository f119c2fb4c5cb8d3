import MultipartForm
import NIOCore
import NIOHTTP1

/// What the receiver does with a request, apart from the connection that it came on.
struct Service: Sendable {
  let inbox: Inbox
  let configuration: Receiver.Configuration
  let onEvent: (@Sendable (ReceiverEvent) -> Void)?

  /// Reads a request's body as far as it is welcome, and does what it asks for.
  /// - Throws: ``Refusal``, or what reading the body throws.
  func answer(_ head: HTTPRequestHead, _ body: inout RequestBody, on channel: any Channel)
    async throws -> Reply
  {
    try Admission.authorize(head, token: configuration.token)
    switch try Route(method: head.method, target: head.uri, maxFiles: configuration.maxFiles) {
    case .upload(let maxFiles):
      return try await upload(head, &body, maxFiles: maxFiles, on: channel)
    case .index:
      try await body.skip(atMost: configuration.maxHeaderBytes)
      return index(head, on: channel)
    case .file(let name):
      try await body.skip(atMost: configuration.maxHeaderBytes)
      guard let file = inbox.read(name) else {
        throw Refusal(.notFound, "There is no file of that name.")
      }
      return .file(file)
    }
  }

  private func upload(
    _ head: HTTPRequestHead, _ body: inout RequestBody, maxFiles: Int, on channel: any Channel
  ) async throws -> Reply {
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
      receipt = try intake.finish(baseURL: baseURL(head, on: channel))
    } catch let failure as Inbox.Failure {
      throw Refusal(failure)
    } catch let error as ParserError {
      throw Refusal(error)
    }
    let client = ClientName.of(channel)
    for file in receipt.files { onEvent?(.stored(file, client: client)) }
    return .json(receipt)
  }

  private func index(_ head: HTTPRequestHead, on channel: any Channel) -> Reply {
    let wantsJSON = head.headers[canonicalForm: "accept"].contains {
      $0.lowercased().hasPrefix("application/json")
    }
    // A page's links stay on whatever host and scheme the browser used.
    let base = wantsJSON ? baseURL(head, on: channel) : ""
    let entries = inbox.list().map { entry in
      var entry = entry
      entry.url = FileURL.make(base, entry.name)
      return entry
    }
    return wantsJSON ? .json(["files": entries]) : .html(IndexPage.html(entries))
  }

  private func baseURL(_ head: HTTPRequestHead, on channel: any Channel) -> String {
    if let url = configuration.publicURL {
      return url.hasSuffix("/") ? String(url.dropLast()) : url
    }
    if let host = head.headers["host"].first { return "http://\(host)" }
    let address = channel.localAddress?.ipAddress ?? configuration.host
    let host = address.contains(":") ? "[\(address)]" : address
    return "http://\(host):\(channel.localAddress?.port ?? configuration.port)"
  }
}
