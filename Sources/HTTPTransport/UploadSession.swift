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

/// A URLSession whose data and upload tasks are run by libcurl, on one thread and with its own connections.
///
/// Foundation's own tasks wake other threads four times, which costs more than sending a small file. They also count
/// bytes as sent that have only reached a buffer. The tasks of this session count the bytes that the other side has
/// acknowledged.
///
/// Unlike Foundation's session, this one does not follow redirects, keeps no cookies, cache or credentials, and
/// delivers a reply's content in one piece. It leaves stream, WebSocket and download tasks, and tasks whose body is a
/// stream, to Foundation. Those tasks are numbered separately, and this session does not list them. The `async` methods
/// of URLSession cannot be overridden, so they also bypass this class. The `progress` of a task is not updated.
///
/// Unchecked, because its superclass is: this class adds only constants and a Mutex.
package final class UploadSession: URLSession, @unchecked Sendable {
  /// The session that the process shares. Setting it up takes two milliseconds, so a push does that on another thread.
  package override class var shared: UploadSession { process }
  private static let process = UploadSession(configuration: foundation)

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
    return configuration
  }()

  private struct Registry {
    var last = 0
    var tasks: [Int: UploadTask] = [:]
    /// Whether the session makes no more tasks, and tells its delegate once the last one has ended.
    var isInvalid = false
    var hasToldInvalid = false
  }

  let loop: TransferLoop
  private let registry = Mutex(Registry())

  /// A session with its own connections. The thread that serves them lives as long as the process.
  ///
  /// - Parameters:
  ///   - configuration: only its time-outs and additional header fields are used.
  ///   - delegate: the delegate of all tasks that have none of their own.
  ///   - delegateQueue: where delegates and completion handlers are called; nil for a serial queue that the session
  ///     makes.
  ///   - maxIdle: after how many idle seconds a connection is no longer reused. Many servers close idle connections
  ///     after five. A request that is sent just as the server closes the connection is repeated only if the server
  ///     cannot have seen it; otherwise its outcome stays unknown.
  ///   - expectPatience: after how many seconds without "100 Continue" a body is sent anyway; by default as in libcurl.
  package init(
    configuration: URLSessionConfiguration = .default, delegate: (any URLSessionDelegate)? = nil,
    delegateQueue: OperationQueue? = nil, maxIdle: Int = 4, expectPatience: Double = 1
  ) {
    loop = TransferLoop(maxIdle: maxIdle, expectPatience: expectPatience)
    let configuration = configuration.copy() as? URLSessionConfiguration ?? .default
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCredentialStorage = nil
    super.init(configuration: configuration, delegate: delegate, delegateQueue: delegateQueue)
  }

  // MARK: Tasks

  /// Creates a task, which starts with `resume`. The delegate is called on the transport's thread.
  package func task(_ request: ExchangeRequest, delegate: any UploadTaskDelegate) -> UploadTask {
    make(request, .transport(delegate))
  }

  /// A task that sends the request with its `httpBody`.
  package override func dataTask(with request: URLRequest) -> URLSessionDataTask {
    guard request.httpBodyStream == nil else { return super.dataTask(with: request) }
    return make(request, request.httpBody.map { MemoryBody($0) }, .delegate)
  }

  package override func dataTask(with url: URL) -> URLSessionDataTask {
    dataTask(with: URLRequest(url: url))
  }

  package override func dataTask(
    with request: URLRequest, completionHandler: @escaping UploadTask.Completion
  ) -> URLSessionDataTask {
    guard request.httpBodyStream == nil else {
      return super.dataTask(with: request, completionHandler: completionHandler)
    }
    return make(request, request.httpBody.map { MemoryBody($0) }, .completion(completionHandler))
  }

  package override func dataTask(
    with url: URL, completionHandler: @escaping UploadTask.Completion
  ) -> URLSessionDataTask {
    dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  package override func uploadTask(
    with request: URLRequest, from bodyData: Data
  ) -> URLSessionUploadTask {
    make(request, MemoryBody(bodyData), .delegate)
  }

  package override func uploadTask(
    with request: URLRequest, from bodyData: Data?,
    completionHandler: @escaping UploadTask.Completion
  ) -> URLSessionUploadTask {
    make(request, MemoryBody(bodyData ?? Data()), .completion(completionHandler))
  }

  /// A task that sends a file at its current length.
  package override func uploadTask(
    with request: URLRequest, fromFile fileURL: URL
  ) -> URLSessionUploadTask {
    make(request, FileBody(fileURL), .delegate)
  }

  /// A task that sends a file at its current length.
  package override func uploadTask(
    with request: URLRequest, fromFile fileURL: URL,
    completionHandler: @escaping UploadTask.Completion
  ) -> URLSessionUploadTask {
    make(request, FileBody(fileURL), .completion(completionHandler))
  }

  private func make(
    _ request: URLRequest, _ body: (any ExchangeBody)?, _ listener: UploadTask.Listener
  ) -> UploadTask {
    make(ExchangeRequest(request, body: body, configuration), listener, original: request)
  }

  private func make(
    _ request: ExchangeRequest, _ listener: UploadTask.Listener, original: URLRequest? = nil
  ) -> UploadTask {
    let number = registry.withLock { registry in
      registry.last += 1
      return registry.last
    }
    return UploadTask(request, number, of: self, listener, original: original)
  }

  // MARK: The tasks as a whole

  /// Calls the handler on the delegate queue with the tasks that have begun but not ended.
  package override func getAllTasks(
    completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void
  ) {
    let tasks = tasks
    delegateQueue.addOperation { completionHandler(tasks) }
  }

  /// As `getAllTasks`; all of the tasks are upload tasks.
  package override func getTasksWithCompletionHandler(
    _ completionHandler:
      @escaping @Sendable (
        [URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]
      ) -> Void
  ) {
    let tasks = tasks
    delegateQueue.addOperation { completionHandler([], tasks, []) }
  }

  private var tasks: [UploadTask] {
    registry.withLock { $0.tasks.values.sorted { $0.taskIdentifier < $1.taskIdentifier } }
  }

  /// Prevents new tasks, and tells the delegate once the last task has ended. Has no effect on the shared session.
  package override func finishTasksAndInvalidate() {
    guard self !== Self.process else { return }
    registry.withLock { $0.isInvalid = true }
    tellInvalid()
  }

  /// Cancels all tasks and prevents new ones. Has no effect on the shared session.
  package override func invalidateAndCancel() {
    guard self !== Self.process else { return }
    finishTasksAndInvalidate()
    for task in tasks { task.cancel() }
  }

  /// Notes that a task has begun. Returns false if the task must not begin, because the session was invalidated.
  func remember(_ task: UploadTask) -> Bool {
    registry.withLock { registry in
      if !registry.isInvalid { registry.tasks[task.taskIdentifier] = task }
      return !registry.isInvalid
    }
  }

  /// Notes that a task has ended.
  func forget(_ task: UploadTask) {
    let isInvalid = registry.withLock { registry in
      registry.tasks[task.taskIdentifier] = nil
      return registry.isInvalid
    }
    if isInvalid { tellInvalid() }
  }

  private func tellInvalid() {
    let isOver = registry.withLock { registry in
      guard registry.isInvalid, registry.tasks.isEmpty, !registry.hasToldInvalid
      else { return false }
      registry.hasToldInvalid = true
      return true
    }
    // Tells the delegate, and releases it.
    if isOver { super.finishTasksAndInvalidate() }
  }

  // MARK: Additions

  /// Runs `work` once the transport has sent everything that it can send now. A thread that wakes up earlier takes a
  /// processor that the server may need. Call this from an `UploadTaskDelegate`; anywhere else, `work` runs at once.
  package func postpone(_ work: @escaping @Sendable () -> Void) { loop.postpone(work) }

  package func makeLimit() -> BandwidthLimit {
    BandwidthLimit { [loop] in loop.order(.limitsChanged) }
  }
}

extension ExchangeRequest {
  /// The request of a URLRequest, with the additions of its session's configuration.
  fileprivate init(
    _ request: URLRequest, body: (any ExchangeBody)?, _ configuration: URLSessionConfiguration
  ) {
    // If the request has no URL, libcurl refuses the one given here.
    self.init(
      url: request.url ?? URL(fileURLWithPath: "/"), method: request.httpMethod ?? "GET", body: body
    )
    var fields = request.allHTTPHeaderFields ?? [:]
    for case let (name as String, value as String) in configuration.httpAdditionalHeaders ?? [:]
    where request.value(forHTTPHeaderField: name) == nil {
      fields[name] = value
    }
    let written: Set = ["host", "content-length", "accept-encoding", "expect"]
    headers = fields.filter { !written.contains($0.key.lowercased()) }
      .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    mostReply = 256 << 20
    // The request's own time-out takes precedence. Foundation does not show whether it was set, so the default of 60
    // counts as unset.
    idleTimeout =
      request.timeoutInterval == 60
      ? configuration.timeoutIntervalForRequest : request.timeoutInterval
    timeout = configuration.timeoutIntervalForResource
  }
}
