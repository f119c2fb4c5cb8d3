import CCurl
import Foundation

/// Handling of requests that may or may not have arrived.
extension TransferLoop {
  /// The interval between checks of connections that have ended, in seconds.
  static let doubtInterval = 0.005

  /// Repeats a request if the server has not seen it, or keeps it waiting until that is known. Returns false if
  /// the request is over.
  func settles(_ transfer: Transfer, _ code: CURLcode) -> Bool {
    guard let multi else { return false }
    switch transfer.sight(after: code) {
    case .uncertain: return false
    case .open:
      // libcurl has finished with the connection, and must not report the end again.
      curl_multi_remove_handle(multi, transfer.easy)
      doubtful.append((transfer, code))
      return true
    case .unseen:
      curl_multi_remove_handle(multi, transfer.easy)
      transfer.beginAgain()
      return curl_multi_add_handle(multi, transfer.easy) == CURLM_OK
    }
  }

  /// Keeps a request waiting if it succeeded before all of its body had arrived. Returns whether it is kept waiting.
  func awaits(_ transfer: Transfer, _ code: CURLcode) -> Bool {
    guard transfer.awaitsArrival(code) else { return false }
    if !arriving.contains(where: { $0 === transfer }) { arriving.append(transfer) }
    return true
  }

  /// Checks the waiting requests.
  func settleDoubts() {
    let waiting = doubtful
    doubtful = []
    for (transfer, code) in waiting where !settles(transfer, code) { finish(transfer, code) }
    for transfer in arriving { finish(transfer, CURLE_OK) }
  }
}
