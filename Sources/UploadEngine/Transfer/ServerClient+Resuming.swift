import Foundation
import UploadModel

extension ServerClient {
  /// Has the server forget what it has of an upload that is not wanted.
  ///
  /// - Throws: `Failure` if the server cannot be asked or refuses. A server that has already forgotten it counts as
  ///   a success.
  package func forget(_ point: ResumePoint) async throws(Failure) {
    let request = point.termination
    var target = target
    target.headers += request.headers.map {
      Target.Field(name: $0.name, value: Template(literal: $0.value))
    }
    let call = ServerCall(
      url: Template(literal: request.url.absoluteString), method: request.method)
    do throws(Failure) {
      _ = try await ServerClient(target: target, token: nil, from: token.source, time: time)
        .reply(to: call, Self.values())
    } catch {
      guard error.status == 404 || error.status == 410 else { throw error }
    }
  }
}
