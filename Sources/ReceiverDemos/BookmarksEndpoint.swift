import Foundation
import Receiver
import ScalarText

/// `/bookmarks` and `/bookmarks/ID`: a REST store of JSON records.
struct BookmarksEndpoint: ReceiverEndpoint {
  func methods(at path: String) -> [String]? {
    if path == "/bookmarks" { return ["GET", "HEAD", "POST"] }
    return Self.id(in: path) == nil ? nil : ["GET", "HEAD", "DELETE"]
  }

  func answer(_ request: inout EndpointRequest) async throws -> Reply {
    let bookmarks = Bookmarks(records: Records(folder: request.folder))
    if let id = Self.id(in: request.path) {
      return request.method == "DELETE" ? try bookmarks.delete(id) : try bookmarks.show(id)
    }
    guard request.method == "POST" else { return try bookmarks.list(request.query) }
    return try bookmarks.create(try await request.json(), at: request.location)
  }

  private static func id(in path: String) -> String? {
    path.removingPrefix(scalars: "/bookmarks/")?.removingPercentEncoding
  }
}
