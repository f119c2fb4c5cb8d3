import Dispatch
import Foundation

/// Calls back when somebody may have written to a queue. Costs nothing while nobody writes.
@MainActor
public final class ChangeWatch {
  private let source: any DispatchSourceRead
  private let body: @MainActor () -> Void
  /// Whether a look is due already, so that a hundred writes cause one.
  private var isDue = false

  /// Watches the queue at `path` for writes, also this process's own. `body` runs on the main queue,
  /// at most ten times a second.
  ///
  /// - Throws: `StoreError` if the folder of the queue cannot be watched.
  public init(path: String, body: @escaping @MainActor () -> Void) throws(StoreError) {
    self.body = body
    let file = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    // What is written goes to the log beside the file first, and that file stays while it is open.
    let log = "\(UploadStore.realPath(path))-wal"
    guard file >= 0, inotify_add_watch(file, log, UInt32(IN_MODIFY)) >= 0 else {
      let reason = String(cString: strerror(errno))
      if file >= 0 { close(file) }
      throw StoreError("the queue \(path) cannot be watched: \(reason)")
    }
    source = DispatchSource.makeReadSource(fileDescriptor: file, queue: .main)
    source.setCancelHandler { close(file) }
    source.setEventHandler { [weak self] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      while read(file, &buffer, buffer.count) > 0 {}
      MainActor.assumeIsolated { self?.lookSoon() }
    }
    source.activate()
  }

  /// Calls back no more.
  public func stop() { source.cancel() }

  /// Calls back soon though nobody wrote: what had been written could not be seen yet.
  public func lookAgain() { lookSoon() }

  private func lookSoon() {
    guard !isDue else { return }
    isDue = true
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.1) { [weak self] in
      MainActor.assumeIsolated {
        self?.isDue = false
        self?.body()
      }
    }
  }
}
