import Foundation
import UploadModel

extension ServerClient {
  /// Makes the server discard its part of an unwanted upload; it may have done so already. Returns false if the target
  /// has no request for that (`pieces.abort`).
  package func forget(_ point: ResumePoint, of item: UploadItem) async throws(Failure) -> Bool {
    let values = target.values(of: item, on: occasion, now: time.date(), uuid: item.uuid)
    guard let request = point.termination(at: target, values) else { return false }
    let rules = point.pieces == nil ? nil : target.resume.pieces?.abort?.rules
    do throws(Failure) {
      _ = try await reply(to: request, by: rules ?? ReplyRules(), values)
    } catch {
      guard error.status == 404 || error.status == 410 else { throw error }
    }
    return true
  }
}
