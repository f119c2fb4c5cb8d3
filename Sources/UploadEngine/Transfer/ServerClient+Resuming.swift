import Foundation
import UploadModel

extension ServerClient {
  /// Makes the server discard its part of an unwanted upload; it may have done so already. Returns false if the target
  /// has no request for that (`pieces.abort`).
  package func forget(_ point: ResumePoint, of item: UploadItem) async throws(Failure) -> Bool {
    let values = target.values(of: item, on: occasion, now: time.date(), uuid: item.uuid)
    guard let request = point.termination(at: target, values) else { return false }
    let rules = point.pieces == nil ? nil : target.resume.pieces?.abort?.rules
    do throws(Failure) { _ = try await reply(to: request, rules, values) } catch {
      guard error.status == 404 || error.status == 410 else { throw error }
    }
    return true
  }

  /// Sends a request that carries no part of a file. It gets credentials only at the target's own origin. If there are
  /// no rules, the usual ones judge the reply.
  func reply(
    to request: ResumeRequest, _ rules: ReplyRules?, _ values: Template.Values
  ) async throws(Failure) -> TransferEnd {
    var call = ServerCall(
      url: Template(literal: request.url.absoluteString), method: request.method)
    call.json = request.described?.text.map { Template(literal: $0.written) }
    call.type = request.described?.type
    if let rules { call.rules = rules }
    return try await reply(
      to: call, values,
      with: Addition(
        headers: request.headers, showsCredentials: request.mayCarryCredentials(of: target)))
  }
}
