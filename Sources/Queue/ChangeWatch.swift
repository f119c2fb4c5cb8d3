import Dispatch
import Foundation
import UploadStore

/// Calls back when something may have been written to a queue. Idle while nothing is written.
///
/// A process that sends writes all the time, so a write that comes before the callback wakes nothing. Where the system has
/// no inotify instance left (128 for each user by default), a look each second takes its place.
@MainActor
final class ChangeWatch {
  /// The log beside the file, to which writes go first. It exists for as long as the queue is open.
  private let log: String
  /// Tells of writes; nil if the log is looked at each second.
  private var source: (any DispatchSourceRead)?
  private let body: @MainActor () -> Void
  /// Whether a callback is already scheduled, so that a hundred writes cause only one. Until then, the source is
  /// suspended.
  private var isDue = false
  private var isStopped = false
  /// The size of the log and the time of its last write when it was last looked at.
  private var seen: [Int] = []

  /// Watches the queue at `path` for writes, including those of this process. `body` runs on the main queue, at most
  /// ten times a second. `instance` makes the inotify instance.
  init(
    path: String,
    instance: () -> CInt = { inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)) },
    body: @escaping @MainActor () -> Void
  ) {
    self.body = body
    log = "\(UploadStore.realPath(path))-wal"
    let file = instance()
    guard file >= 0, inotify_add_watch(file, log, UInt32(IN_MODIFY)) >= 0 else {
      if file >= 0 { close(file) }
      seen = lastWrite()
      lookEachSecond()
      return
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: file, queue: .main)
    source.setCancelHandler { close(file) }
    source.handleOnMain { [weak self] in self?.lookAgain() }
    source.activate()
    self.source = source
  }

  /// Stops watching. A callback that is already scheduled still runs.
  func stop() {
    isStopped = true
    source?.cancel()
  }

  /// Schedules a callback, even without another write, such as when the last write could not be read yet.
  func lookAgain() {
    guard !isDue else { return }
    isDue = true
    source?.suspend()
    onMain(after: 0.1) { self.call() }
  }

  private func call() {
    isDue = false
    // Forget the writes so far before the body reads the queue: what is written afterwards is another event.
    if let source, !source.isCancelled { Self.forgetWrites(in: CInt(source.handle)) }
    source?.resume()
    body()
  }

  private static func forgetWrites(in file: CInt) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while read(file, &buffer, buffer.count) > 0 {}
  }

  private func lookEachSecond() {
    onMain(after: 1) { [weak self] in
      guard let self, !isStopped else { return }
      let now = lastWrite()
      if now != seen {
        seen = now
        lookAgain()
      }
      lookEachSecond()
    }
  }

  private func lastWrite() -> [Int] {
    var status = stat()
    guard stat(log, &status) == 0 else { return [] }
    return [Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
  }
}
