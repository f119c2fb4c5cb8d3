import CCurl
import Foundation

/// What the loop does with requests that may or may not have arrived.
extension TransferLoop {
  /// Seconds between two looks at connections that have ended.
  static let doubtInterval = 0.005

  /// Begins a request again if the server has not seen it, or waits until that is known. Returns false if the request
  /// is over.
  func settles(_ transfer: Transfer, _ code: CURLcode) -> Bool {
    guard let multi else { return false }
    switch transfer.sight(after: code) {
    case .uncertain: return false
    case .open:
      // libcurl is done with its connections, and its end must not be reported twice.
      curl_multi_remove_handle(multi, transfer.easy)
      doubtful.append((transfer, code))
      return true
    case .unseen:
      curl_multi_remove_handle(multi, transfer.easy)
      transfer.beginAgain()
      guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else { return false }
      return true
    }
  }

  /// Makes a request wait if its success was reported before all of it had arrived.
  func awaits(_ transfer: Transfer, _ code: CURLcode) -> Bool {
    guard transfer.awaitsArrival(code) else { return false }
    if !arriving.contains(where: { $0 === transfer }) { arriving.append(transfer) }
    return true
  }

  /// Checks the waiting requests again.
  func settleDoubts() {
    let waiting = doubtful
    doubtful = []
    for (transfer, code) in waiting where !settles(transfer, code) { finish(transfer, code) }
    for transfer in arriving { finish(transfer, CURLE_OK) }
  }
}
