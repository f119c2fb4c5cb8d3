import Dispatch
import Foundation
import UploadStore

/// Calls back when something may have been written to a queue. Idle while nothing is written.
///
/// A process that sends writes all the time, so a write that comes before the callback wakes nothing.
@MainActor
final class ChangeWatch {
  private let source: any DispatchSourceRead
  private let file: CInt
  private let body: @MainActor () -> Void
  /// Whether a callback is already scheduled, so that a hundred writes cause only one. Until then, the source is
  /// suspended.
  private var isDue = false

  /// Watches the queue at `path` for writes, including those of this process. `body` runs on the main queue, at most
  /// ten times a second.
  init(path: String, body: @escaping @MainActor () -> Void) throws(StoreError) {
    self.body = body
    // Writes first go to the log beside the file, which exists for as long as the queue is open.
    let log = "\(UploadStore.realPath(path))-wal"
    let file = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard file >= 0, inotify_add_watch(file, log, UInt32(IN_MODIFY)) >= 0 else {
      let reason = String(cString: strerror(errno))
      if file >= 0 { close(file) }
      throw StoreError("the queue \(path) cannot be watched: \(reason)")
    }
    self.file = file
    source = DispatchSource.makeReadSource(fileDescriptor: file, queue: .main)
    source.setCancelHandler { close(file) }
    source.handleOnMain { [weak self] in self?.lookAgain() }
    source.activate()
  }

  /// Stops watching. A callback that is already scheduled still runs.
  func stop() { source.cancel() }

  /// Schedules a callback, even without another write, such as when the last write could not be read yet.
  func lookAgain() {
    guard !isDue else { return }
    isDue = true
    source.suspend()
    onMain(after: 0.1) { self.call() }
  }

  private func call() {
    isDue = false
    // Forget the writes so far before the body reads the queue: what is written afterwards is another event.
    if !source.isCancelled { forgetWrites() }
    source.resume()
    body()
  }

  private func forgetWrites() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while read(file, &buffer, buffer.count) > 0 {}
  }
}
