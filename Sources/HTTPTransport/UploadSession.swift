import Foundation
import FoundationNetworking
import Synchronization

// How the parts of this module work together.
//
//   UploadSession ── makes ──► UploadTask ── resume ──► TransferLoop ──► libcurl
//                                  │                          │
//        delegate ◄────────────────┴──── reports ◄────────────┘
//        didSendBodyData, didReceive, didCompleteWithError
//
// Only the loop calls libcurl. Callers do not see libcurl.

/// A URLSession whose upload tasks tell their URLSessionTaskDelegate how many bytes the other side has acknowledged.
///
/// libcurl carries its tasks. Foundation's own count a byte as sent once it is in a buffer: of a file for a server that
/// read nothing, 2.4 MB, of which 12 to 24 kB were acknowledged. On Linux, Foundation leaves no decision about a
/// server's certificate to the program, and has no client certificates. It does not tell whether a server has answered
/// `Expect: 100-continue`, nor pass on any other interim reply. A program that sends 1 GiB with one of its tasks, and
/// does nothing else, takes 42 to 51 MB, where all of hoist takes 34 to 41 (docs/performance.md).
///
/// All requests go through `task(_:delegate:)`: uploads, and the small requests beside them. The methods for this that
/// URLSession has make Foundation's tasks, so `make lint` reports calls of them (`Tools/lint/rooms.py`). Nothing here
/// follows redirects or keeps a cache or credentials. Cookies are kept only in the `CookieJar` of a request.
///
/// Unchecked, because its superclass is: this class adds only constants and an atomic.
package final class UploadSession: URLSession, @unchecked Sendable {
  /// The session that the process shares. Setting it up takes two milliseconds, so a push does that on another thread.
  package override class var shared: UploadSession { process }
  private static let process = UploadSession()

  /// Foundation's default configuration. It has a cache and stores cookies, neither of which this process uses, and
  /// would make a folder for each in the home directory.
  private static let foundation: URLSessionConfiguration = {
    URLCache.shared = URLCache(memoryCapacity: 0, diskCapacity: 0, diskPath: "/dev/null")
    let shared = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
    let folders = shared.prefix(1).flatMap {
      [$0.appendingPathComponent(Bundle.main.bundleURL.lastPathComponent).path, $0.path]
    }
    let missing = folders.filter { access($0, F_OK) != 0 }
    let configuration = URLSessionConfiguration.default
    for folder in missing { rmdir(folder) }
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCredentialStorage = nil
    return configuration
  }()

  let loop: TransferLoop
  private let lastNumber = Atomic(0)

  /// A session with its own connections. The thread that serves them lives as long as the process.
  ///
  /// - Parameters:
  ///   - maxIdle: after how many idle seconds a connection is no longer reused. Many servers close idle connections
  ///     after five. A request that is sent just as the server closes the connection is repeated only if the server
  ///     cannot have seen it; otherwise its outcome stays unknown.
  ///   - expectPatience: after how many seconds without "100 Continue" a body is sent anyway; by default as in libcurl.
  package init(maxIdle: Int = 4, expectPatience: Double = 1) {
    loop = TransferLoop(maxIdle: maxIdle, expectPatience: expectPatience)
    super.init(configuration: Self.foundation)
  }

  /// Creates a task, which starts with `resume`. The delegate is called on the transport's thread.
  package func task(_ request: ExchangeRequest, delegate: any UploadTaskDelegate) -> UploadTask {
    let number = lastNumber.add(1, ordering: .relaxed).newValue
    return UploadTask(request, number, of: self, delegate)
  }

  /// Runs `work` once the transport has sent everything that it can send now. A thread that wakes up earlier takes a
  /// processor that the server may need. Call this from an `UploadTaskDelegate`; anywhere else, `work` runs at once.
  package func postpone(_ work: @escaping @Sendable () -> Void) { loop.postpone(work) }

  package func makeLimit() -> BandwidthLimit {
    BandwidthLimit { [loop] in loop.order(.limitsChanged) }
  }
}
