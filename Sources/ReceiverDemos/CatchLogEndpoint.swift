import Receiver

/// `/fishingserver/catches/…`: a servlet that reports failures with status 200.
struct CatchLogEndpoint: ReceiverEndpoint {
  private static let add = "/fishingserver/catches/add.htm"
  private static let list = "/fishingserver/catches/catches.json"
  private static let delete = "/fishingserver/catches/delete.htm"

  func methods(at path: String) -> [String]? {
    switch path {
    case Self.add, Self.delete: ["POST"]
    case Self.list: ["GET", "HEAD"]
    default: nil
    }
  }

  func answer(_ request: inout EndpointRequest) async throws -> Reply {
    let log = CatchLog(records: Records(folder: request.folder))
    do {
      switch request.path {
      case Self.add: return try await add(&request, to: log)
      case Self.delete:
        request.folder.remove(stored: try log.delete(request.query))
        return CatchLog.answer()
      default:
        return try log.list(request.query, url: request.url)
      }
    } catch let complaint as CatchLog.Complaint {
      return CatchLog.answer(rc: complaint.rc, words: complaint.words)
    }
  }

  private func add(_ request: inout EndpointRequest, to log: CatchLog) async throws -> Reply {
    let form = try await request.storeForm(maxFiles: 1, checking: log.check)
    let image = form.files[0].stored
    do {
      return try log.add(form.fields.compactMapValues(\.first), image: image)
    } catch {
      request.folder.remove(stored: image)
      throw error
    }
  }
}
