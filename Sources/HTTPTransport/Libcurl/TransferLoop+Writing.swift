import CCurl
import Foundation

/// What the loop does for transfers that do not leave all of the body to libcurl.
extension TransferLoop {
  /// Not every write of the libraries beneath has a flag against SIGPIPE, so this thread blocks the signal.
  func blockBrokenPipe() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  func writeToSockets() {
    for transfer in writing {
      do {
        try transfer.write()
        if transfer.isFinishing, transfer.isWritten { finish(transfer, CURLE_OK) }
        if transfer.isFinishing, transfer.writer?.isBroken == true {
          finish(transfer, CURLE_SEND_ERROR)
        }
      } catch {
        transfer.bodyError = error
        finish(transfer, CURLE_ABORTED_BY_CALLBACK)
      }
    }
  }

  /// Begins again, with libcurl alone.
  func beginPlainly(_ transfer: Transfer) {
    guard let multi else { return }
    writing.removeAll { $0 === transfer }
    (transfer.writer, transfer.asks, transfer.isToBeginPlainly) = (nil, false, false)
    transfer.startOver()
    curl_multi_remove_handle(multi, transfer.easy)
    curl_easy_reset(transfer.easy)
    do throws(TransportError) {
      try transfer.setUp(maxIdle: maxIdle)
      guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else { throw Self.outOfMemory }
    } catch {
      transfers[ObjectIdentifier(transfer.exchange)] = nil
      retire(transfer)
      transfer.exchange.finish(error)
    }
  }
}
