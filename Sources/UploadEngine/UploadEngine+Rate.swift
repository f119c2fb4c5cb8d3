import Dispatch
import UploadModel

/// The bound on what all transfers send together. libcurl keeps each of them to its share; `Throttle`
/// sees to what that leaves over.
extension UploadEngine {
  /// Bounds what is sent from now on, in bytes a second; nil for no bound.
  public nonisolated func setLimit(_ bytesPerSecond: Int64?) {
    onQueue { engine in
      engine.throttle.set(bytesPerSecond, at: engine.time.now())
      engine.bindTransfers()
      engine.fillSoon()
    }
  }

  /// Notes bytes that leave.
  func charge(_ bytes: Int64) {
    guard throttle.rate != nil else { return }
    throttle.note(bytes, at: time.now())
    bindTransfers()
  }

  private func bindTransfers() {
    let bound = throttle.bound(at: time.now(), transfers: transfers.count)
    guard bound != self.bound else { return }
    self.bound = bound
    CurlHook.limit(bound)
  }

  /// Whether another transfer may begin now. If not, the lanes are filled when it may.
  func mayBegin() -> Bool {
    let delay = throttle.delay(at: time.now(), transfers: transfers.count)
    guard delay > 0 else { return true }
    if !isHeldBack {
      isHeldBack = true
      executor.queue.asyncAfter(deadline: .now() + delay) { [weak self] in
        self?.assumeIsolated { engine in
          engine.isHeldBack = false
          engine.fillSoon()
        }
      }
    }
    return false
  }
}
