import MultipartForm

/// What all code that answers requests shares: the folder, the configuration, and the receiver's address.
struct Site: Sendable {
  let inbox: Inbox
  let configuration: UploadReceiver.Configuration
  let onEvent: (@Sendable (ReceiverEvent) -> Void)?

  /// Reads and discards a body that a request does not need.
  func skipBody(of request: Request) async throws {
    try await request.body.skip(atMost: configuration.maxHeadBytes)
  }

  /// Keeps a part of the disk free while one file or form arrives.
  var reserve: DiskReserve {
    DiskReserve(bytes: configuration.reservedBytes) { [inbox] in inbox.freeBytes }
  }

  /// Reads a form and stores its files. `check` examines the whole form before any of them is visible.
  func store(
    _ request: Request, minFiles: Int = 1, maxFiles: Int,
    checking check: (ReceivedForm) throws -> Void = { _ in }
  ) async throws -> StoredForm {
    try checkHead(request.head)
    let intake = FormIntake(
      boundary: try Admission.boundary(request.head), minFiles: minFiles, maxFiles: maxFiles,
      site: self)
    if try Admission.awaitsContinue(request.head) { try await request.sendContinue() }
    do {
      while let buffer = try await request.body.next() {
        try buffer.withUnsafeReadableBytes(intake.push)
      }
      let receipt = try intake.finish(baseURL: baseURL(request), checking: check)
      report(receipt.files, request)
      return receipt
    } catch {
      // Endpoints that catch refusals then also catch errors in a form.
      throw Refusal(of: error) ?? error
    }
  }

  func report(_ files: [StoredFile], _ request: Request) {
    for file in files { onEvent?(.stored(file, client: request.client)) }
  }

  func reply(_ receipt: StoredForm, to request: Request) -> Reply {
    // A 201 names the one resource that a request created (RFC 9110, section 15.3.2).
    guard let file = receipt.files.first, receipt.files.count == 1 else { return .json(receipt) }
    var reply = Reply.json(receipt, status: 201)
    reply.headers.append(("Location", location(ofStored: file.stored)))
    if request.wantsDigest, let digest = file.digestField {
      reply.headers.append(("Repr-Digest", digest))
    }
    return reply
  }

  /// The value of `Location` for one of the receiver's paths. Without a public URL it is relative (RFC 9110, section
  /// 10.2.2): the client knows the scheme and host it used to reach the receiver, but the receiver may not, since a
  /// proxy may terminate TLS.
  func location(_ path: String) -> String { (publicBase ?? "") + path }

  func location(ofStored name: String) -> String { location(FileURL.make("", name)) }

  /// The public URL without a trailing slash.
  private var publicBase: String? {
    configuration.publicURL.map { $0.utf8.last == UInt8(ascii: "/") ? String($0.dropLast()) : $0 }
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
