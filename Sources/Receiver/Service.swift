import NIOHTTP1
import ScalarText

/// Answers requests, regardless of their connections.
struct Service: Sendable {
  let site: Site
  private let endpoints: [any ReceiverEndpoint]
  private let host: RequestHost
  private let tus: TusService
  private let resumable: ResumableService

  init(_ site: Site, endpoints: [any ReceiverEndpoint]) {
    self.site = site
    self.endpoints = endpoints
    host = RequestHost(site.configuration)
    let intake = PartialIntake(site)
    tus = TusService(site, intake)
    resumable = ResumableService(site, intake)
  }

  /// Does what a request asks for, and reads as much of its body as needed.
  func answer(_ request: Request) async throws -> Reply {
    do { return try await perform(request) } catch { throw Refusal(of: error) ?? error }
  }

  private func perform(_ request: Request) async throws -> Reply {
    let head = request.head
    try host.check(head)
    try host.refuseOtherSites(head)
    try Admission.authorize(head, token: site.configuration.token)
    let route = try Route(
      method: head.method, target: head.uri, maxFiles: site.configuration.maxFiles,
      servesUploads: site.configuration.servesUploads, endpoints: endpoints)
    switch route {
    case .upload(let maxFiles): return try await upload(request, maxFiles: maxFiles)
    case .index: return try await index(request)
    case .file(let name):
      try await site.skipBody(of: request)
      guard let file = try site.inbox.read(name) else {
        throw Refusal(.notFound, "There is no file with that name.")
      }
      return .file(file)
    case .deletion(let name): return try await delete(name, request)
    case .uploads: return try await tus.answer(nil, request)
    case .partial(let id):
      // A tus client identifies itself in every request except OPTIONS.
      let isTus = head.headers.contains(name: "tus-resumable") || head.method == .OPTIONS
      return isTus ? try await tus.answer(id, request) : try await resumable.answer(id, request)
    case .limits(let maxFiles): return try await resumable.limits(request, maxFiles: maxFiles)
    case .endpoint(let number): return try await answer(request, by: endpoints[number])
    }
  }

  private func answer(
    _ request: Request, by endpoint: any ReceiverEndpoint
  ) async throws -> Reply {
    var asked = try EndpointRequest(request, site: site)
    try await asked.finishWithoutBody()
    do {
      let reply = try await endpoint.answer(&asked)
      if let fault = reply.fault { throw failure(fault, request) }
      return reply
    } catch {
      // The caller, which serves the connection, handles errors of the connection itself.
      if !(error is Refusal), let failure = request.body.failure { throw failure }
      // Errors in a form that the endpoint reads itself are also the client's fault.
      guard let refusal = Refusal(of: error) else { throw failure("\(error)", request) }
      if let fault = refusal.fault { throw failure(fault, request) }
      throw refusal
    }
  }

  /// Reports an endpoint's fault as an event, and returns a refusal that does not reveal it.
  private func failure(_ words: String, _ request: Request) -> Refusal {
    site.onEvent?(.failed(error: words, request: request.head.line, client: request.client))
    return Refusal(.internalServerError, "The receiver could not answer this request.")
  }

  private func upload(_ request: Request, maxFiles: Int) async throws -> Reply {
    if let asked = ResumableRequest(request.head) {
      return try await resumable.begin(asked, request, maxFiles: maxFiles)
    }
    let receipt = try await site.store(request, maxFiles: maxFiles)
    // A browser goes to another page, so that reloading that page does not send the files again.
    return request.head.wantsPage
      ? .empty(.seeOther, [("Location", "/")]) : site.reply(receipt, to: request)
  }

  private func delete(_ name: String, _ request: Request) async throws -> Reply {
    try await site.skipBody(of: request)
    guard site.configuration.allowsDeletion else {
      throw Refusal(.forbidden, "This receiver does not allow files to be deleted.")
    }
    guard try site.inbox.delete(name) else {
      throw Refusal(.notFound, "There is no file with that name.")
    }
    if site.configuration.syncsToDisk { try site.inbox.sync() }
    site.onEvent?(.deleted(name, client: request.client))
    return .empty(.noContent)
  }

  private func index(_ request: Request) async throws -> Reply {
    try await site.skipBody(of: request)
    let wantsJSON = request.head.accepts("application/json")
    // A page's links are relative, so that they keep the host and scheme that the browser used.
    let base = wantsJSON ? site.baseURL(request) : ""
    var entries = try site.inbox.list()
    for index in entries.indices { entries[index].url = FileURL.make(base, entries[index].name) }
    return wantsJSON
      ? .json(["files": entries])
      : .html(IndexPage.html(entries, maxFiles: site.configuration.maxFiles))
  }
}
