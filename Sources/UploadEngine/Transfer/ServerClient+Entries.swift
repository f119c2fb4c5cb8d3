import Foundation
import JSONText
import UploadModel

/// Requests about entries that are already on the server.
extension ServerClient {
  /// The maximum number of pages that are requested, however many a server claims to have.
  package static let mostPages = 1000

  /// Entries of a target's list.
  package struct Entries: Sendable {
    /// In the server's order.
    package var entries: [ServerEntry] = []
    /// The total number of entries, if the server gives it.
    package var total: Int?
    /// Whether there are more entries than were requested.
    package var hasMore = false
  }

  /// The entries that the target lists on its first `pages` pages, in the server's order. The query, such as a filter,
  /// is added to the URL.
  package func entries(
    query: [(name: String, value: String)] = [], pages: Int = 1
  ) async throws(Failure) -> Entries {
    guard let list = target.server.list else {
      throw Failure(.unsendable("the target has no server.list"))
    }
    var found = Entries()
    let next = query.contains { list.next?.isChosen(by: $0.name) == true } ? nil : list.next
    var step = next?.first
    var seen: Set<NextPage.Step> = []
    for page in 1...min(max(pages, 1), Self.mostPages) {
      let (document, end) = try await document(at: step, of: list.call, query)
      let entries: [ServerEntry]
      do throws(InvalidInput) { entries = try list.entries(in: document) } catch {
        throw failure(.unusable(error.description), after: end)
      }
      found.entries += entries
      found.total = list.total?.text(in: end).flatMap { Int($0) } ?? found.total
      step = next?.step(after: end, count: entries.count, pages: page)
      // Stop at a page that was already requested, or the loop might not end.
      guard let more = step, seen.insert(more).inserted,
        found.total.map({ found.entries.count < $0 }) ?? true
      else { return found }
    }
    found.hasMore = true
    return found
  }

  /// A page of a list. Pages on other servers are refused, since the requests for them would carry the target's
  /// credentials.
  private func document(
    at step: NextPage.Step?, of call: Call, _ query: [(name: String, value: String)]
  ) async throws(Failure) -> (JSONValue, TransferEnd) {
    var (call, query) = (call, query)
    switch step {
    case nil: break
    case .query(let name, let value):
      query.removeAll { $0.name == name }
      query.append((name, value))
    case .address(let url):
      guard Origin(url) == Origin(try request(call, values()).url) else {
        throw Failure(.unusable("it says that the next page is on another server"))
      }
      // The address has its query already.
      call.address = .own(Template(literal: url.absoluteString))
      call.query = []
      query = []
    }
    call.query += query.map { Target.Field(name: $0.name, value: Template(literal: $0.value)) }
    return try await document(of: call, values())
  }

  /// The server's full record of an entry. If the target has no `server.get`, the entry is looked up in the list.
  package func entry(_ id: String) async throws(Failure) -> JSONValue {
    guard let get = target.server.get else {
      let listed = try await entries(pages: Self.mostPages)
      guard let entry = listed.entries.first(where: { $0.id == id }) else {
        throw Failure(.unusable("its list has no entry \(id)"))
      }
      return entry.value
    }
    var values = self.values()
    values.id = id
    return try await document(of: get, values).0
  }

  /// Requests a page that a reply named, such as the one that deletes a file. A redirect to another page counts as
  /// an answer.
  package func open(_ url: URL) async throws(Failure) -> (status: Int, mediaType: String?) {
    var call = Call(url: Template(literal: url.absoluteString))
    call.rules.ok = [200...399]
    let answer = try await reply(to: call, values())
    return (answer.status ?? 200, answer.reply.mediaType)
  }

  /// Deletes an entry.
  package func delete(_ id: String) async throws(Failure) {
    guard let delete = target.server.delete else {
      throw Failure(.unsendable("the target has no server.delete"))
    }
    var values = self.values()
    values.id = id
    _ = try await reply(to: delete, values)
  }
}
