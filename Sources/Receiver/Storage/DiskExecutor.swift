import NIOPosix

/// Runs the code of connections on threads that may wait for a disk. Event loops and the threads of Swift's own pool
/// must not wait.
final class DiskExecutor: TaskExecutor {
  static let shared = DiskExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    NIOThreadPool.singleton.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
