import Foundation
import FoundationNetworking
import HTTPTransport
import UploadModel

/// Receives reports about one of the engine's tasks, and passes them to the engine's queue.
///
/// The engine cannot be the delegate itself: on Linux, a delegate is an NSObject, which an actor cannot be.
final class TransferListener: NSObject, UploadTaskDelegate {
  private weak let engine: UploadEngine?
  private let route: Route
  private let rules: ReplyRules

  init(_ engine: UploadEngine, _ route: Route, _ rules: ReplyRules) {
    self.engine = engine
    self.route = route
    self.rules = rules
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    engine?.receive(.acknowledged(totalBytesSent), of: task.taskIdentifier)
  }

  func urlSession(
    _ session: URLSession, task: UploadTask, didReceiveInformationalResponse head: ReplyHead
  ) {
    engine?.receive(.informed(head), of: task.taskIdentifier)
  }

  func urlSession(_ session: URLSession, task: UploadTask, didReceive head: ReplyHead) {
    engine?.receive(.responded(head), of: task.taskIdentifier)
  }

  func urlSessionHoldsEnd(_ session: URLSession, task: UploadTask) {
    engine?.receive(.endHeld, of: task.taskIdentifier)
  }

  func urlSessionExpectIgnored(_ session: URLSession, task: UploadTask) {
    engine?.receive(.expectIgnored, of: task.taskIdentifier)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    guard let task = task as? UploadTask else { return }
    engine?.receive(task.end, of: task.taskIdentifier, on: route, rules)
  }
}
