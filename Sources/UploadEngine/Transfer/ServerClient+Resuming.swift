import Foundation
import UploadModel

extension ServerClient {
  /// Has the server forget what it has of a file's upload that is not wanted.
  ///
  /// - Returns: whether the server could be asked: nobody can ask some of those that take files in pieces.
  /// - Throws: `Failure` if the server cannot be asked or refuses. A server that has already forgotten it counts as
  ///   a success.
  package func forget(_ point: ResumePoint, of item: UploadItem) async throws(Failure) -> Bool {
    let values = target.values(of: item, now: time.date(), uuid: item.uuid)
    guard let request = point.termination(at: target, values) else { return false }
    let own =
      request.headers.map {
        Target.Field(name: $0.name, value: Template(literal: $0.value))
      }
      + (request.described?.headers.map {
        Target.Field(name: $0.name, value: Template(literal: $0.value.written))
      } ?? [])
    var target = target
    if request.mayCarryCredentials(of: target) {
      target.headers += own
    } else {
      target.removeCredentials()
      target.publicHeaders += own
    }
    var call = ServerCall(
      url: Template(literal: request.url.absoluteString), method: request.method)
    call.json = request.described?.text.map { Template(literal: $0.written) }
    do throws(Failure) {
      _ = try await ServerClient(target: target, token: nil, from: token.source, time: time)
        .reply(to: call, values)
    } catch {
      guard error.status == 404 || error.status == 410 else { throw error }
    }
    return true
  }
}
