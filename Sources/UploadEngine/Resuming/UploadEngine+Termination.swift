import Foundation
import HTTPTransport
import UploadModel

extension UploadEngine {
  /// Asks a server to delete its part of an upload that is no longer wanted.
  func terminate(_ point: ResumePoint, of upload: UploadJob) {
    let target = upload.target
    guard let origin = Origin(point.url),
      origin == target.origin || target.redirectOrigins.contains(origin),
      case let values = Preparation.values(for: upload, on: Occasion(), now: time.date()),
      let termination = point.termination(at: target, values),
      let request = try? UploadRequest(
        termination, of: upload, on: Occasion(), values,
        credentials: termination.mayCarryCredentials(of: target)
          ? .all(token: access.token(on: upload.destination.route)?.secret) : .none,
        now: time.date())
    else { return }
    // If this fails, the server's own expiry does the same later.
    let exchange = request.exchange
    Task.detached { [session, time, exchange, timeout = target.stallTimeout] in
      _ = await session.end(of: exchange, stallTimeout: timeout, time: time)
    }
  }
}
