import CCurl
import Foundation

/// What the loop does with requests of which it is not known yet whether they have arrived.
extension TransferLoop {
  /// Seconds between two looks at connections that have ended.
  static let doubtInterval = 0.005

  /// Begins a request again that the server has not seen, or waits until that is known. Returns false where it is over.
  func settles(_ transfer: Transfer, _ code: CURLcode) -> Bool {
    guard let multi else { return false }
    switch transfer.sight(after: code) {
    case .uncertain: return false
    case .open:
      // Its connections are libcurl's no more, and its end must not be told twice.
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

  /// Has a request wait whose good reply came before all of it had arrived.
  func awaits(_ transfer: Transfer, _ code: CURLcode) -> Bool {
    guard transfer.awaitsArrival(code) else { return false }
    if !arriving.contains(where: { $0 === transfer }) { arriving.append(transfer) }
    return true
  }

  /// Looks again at those that wait.
  func settleDoubts() {
    let waiting = doubtful
    doubtful = []
    for (transfer, code) in waiting where !settles(transfer, code) { finish(transfer, code) }
    for transfer in arriving { finish(transfer, CURLE_OK) }
  }
}
