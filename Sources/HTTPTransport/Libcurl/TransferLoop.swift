import CCurl
import Foundation
import Synchronization

/// Runs all transfers of a session on one thread, with libcurl's multi interface. Does not wake up while there is
/// nothing to do.
///
/// Unchecked: `multi` and `wakeUp` are constants, and other threads only write to the descriptor `wakeUp`. `inbox` is a
/// Mutex. Everything else is used only within `run`, which is all that the thread does, or in libcurl's callbacks, which
/// are called within it.
final class TransferLoop: @unchecked Sendable {
  /// Commands from other threads.
  enum Order: Sendable {
    case start(UploadTask)
    case stop(UploadTask)
    /// Stop it unless the server may have all of the request.
    case stopUnlessSent(UploadTask)
    case limitsChanged
  }

  private struct Inbox {
    var orders: [Order] = []
    var isRunning = false
    /// Whether the loop is waiting for events, so that an order must wake it up.
    var isWaiting = false
  }

  /// Nil if libcurl could not be set up; the loop then never runs.
  let multi: UnsafeMutableRawPointer?
  let maxIdle: Int
  let expectPatience: Double
  private let inbox = Mutex(Inbox())
  /// The loop's thread; 0 until there is one.
  private let thread = Atomic<pthread_t>(0)
  /// A descriptor from eventfd(2), which other threads write to when they give orders.
  private let wakeUp: Int32
  var poll: SocketPoll
  /// The sockets that have events.
  var news: [Int32] = []

  var transfers: [ObjectIdentifier: Transfer] = [:]
  private var spare: [UnsafeMutableRawPointer] = []
  private var sockets = SocketTable()
  var held: [Transfer] = []
  /// Transfers whose connection has ended, with libcurl's code, until it is known whether the server has seen their
  /// requests.
  private(set) var doubtful: [(transfer: Transfer, code: CURLcode)] = []
  /// Transfers that succeeded before all of their bodies had arrived.
  private(set) var arriving: [Transfer] = []
  /// What is known of servers' challenges.
  private var challenges: [ChallengeKey: any ChallengeAnswers] = [:]
  /// Transfers that have not begun, because another one is asking to be challenged.
  private var unchallenged: [Transfer] = []
  /// Work to run once everything that can be sent now has been sent.
  var postponed: [@Sendable () -> Void] = []
  /// Transfers whose final head is reported after this iteration, together with their end if they have ended by then.
  private var answered: [Transfer] = []
  var nextLook = 0.0

  /// The interval between checks of how much has been acknowledged, in seconds.
  private static let lookInterval = 0.025
  /// The same interval once all of a large body has been handed over. It is shorter, since the body's arrival must be
  /// recorded soon after the other side has it.
  private static let lastLookInterval = 0.003
  /// The interval between checks of connections that have ended, in seconds.
  static let doubtInterval = 0.005
  private static let mostSpare = 64
  static let outOfMemory = TransportError(.other, code: CURLE_OUT_OF_MEMORY, words: "Out of memory")

  /// Both times are in seconds; `UploadSession` describes them.
  init(maxIdle: Int, expectPatience: Double) {
    // This may be called more than once, since libcurl counts the calls.
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    (self.maxIdle, self.expectPatience) = (maxIdle, expectPatience)
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    poll = SocketPoll(wakeUp: wakeUp)
    multi = wakeUp < 0 ? nil : curl_multi_init()
    guard multi != nil else { return }
    _ = hoist_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 128)
    watchSockets()
  }

  static func of(_ context: UnsafeMutableRawPointer?) -> TransferLoop {
    // As in `Transfer.of`, the pointer is ours. The loop lives as long as the process.
    Unmanaged<TransferLoop>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
  }

  func order(_ order: Order) {
    guard multi != nil else {
      switch order {
      case .start(let task), .stop(let task), .stopUnlessSent(let task):
        task.finish(Self.outOfMemory)
      case .limitsChanged: break
      }
      return
    }
    let (isWaiting, isRunning) = inbox.withLock { inbox in
      inbox.orders.append(order)
      defer { (inbox.isWaiting, inbox.isRunning) = (false, true) }
      return (inbox.isWaiting, inbox.isRunning)
    }
    if !isRunning {
      // It ends with the process, and would be missing among the threads that Dispatch shares out.
      Thread.detachNewThread { self.run() }
    } else if isWaiting {
      eventfd_write(wakeUp, 1)
    }
  }

  // MARK: The loop

  /// Whether this is called on the loop's thread.
  var isCurrent: Bool { thread.load(ordering: .relaxed) == pthread_self() }

  private func run() {
    thread.store(pthread_self(), ordering: .relaxed)
    blockBrokenPipe()
    while true {
      performOrders()
      letGo()
      if !(transfers.isEmpty && news.isEmpty) { perform() }
      doWhatWaited()
      collectEnds()
      settleDoubts()
      reportHeads()
      lookAtSockets()
      guard mayWait else {
        news = []
        continue
      }
      doWhatWaited()
      news = waitForNews()
    }
  }

  /// Whether there are no orders. If there are none, also arranges that the next order wakes the loop up.
  private var mayWait: Bool {
    inbox.withLock { inbox in
      inbox.isWaiting = inbox.orders.isEmpty
      return inbox.isWaiting
    }
  }

  /// Blocks SIGPIPE on this thread, since not every write in the underlying libraries suppresses it.
  private func blockBrokenPipe() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  private func performOrders() {
    let orders = inbox.withLock { inbox in
      inbox.isWaiting = false
      return exchange(&inbox.orders, with: [])
    }
    for order in orders {
      switch order {
      case .start(let task): begin(task)
      case .stop(let task): stop(task)
      case .stopUnlessSent(let task):
        guard let transfer = transfers[ObjectIdentifier(task)] else { continue }
        transfer.isNotRepeated = true
        if !isSent(transfer) { giveUp(transfer) }
      case .limitsChanged:
        for transfer in held { transfer.heldUntil = 0 }
      }
    }
  }

  private func giveUp(_ transfer: Transfer) {
    transfer.task.recordStop()
    stop(transfer.task)
  }

  private func stop(_ task: UploadTask) {
    if let transfer = transfers[ObjectIdentifier(task)] {
      transfer.breakOff()
      retire(transfer, hasFailed: true)
    }
    task.finish(TransportError(.cancelled))
  }

  /// Whether the server may have all of a request, or it is about to be known whether it has.
  private func isSent(_ transfer: Transfer) -> Bool {
    guard !transfer.isAsking else { return false }
    return transfer.isSent || arriving.contains { $0 === transfer }
      || doubtful.contains { $0.transfer === transfer }
  }

  private func begin(_ task: UploadTask) {
    guard !task.content.withLock({ $0.isStopped })
    else { return task.finish(TransportError(.cancelled)) }
    guard let easy = spare.popLast() ?? curl_easy_init() else {
      return task.finish(Self.outOfMemory)
    }
    let transfer = Transfer(task, easy: easy, loop: self)
    transfers[ObjectIdentifier(task)] = transfer
    start(transfer)
  }

  private func start(_ transfer: Transfer) {
    transfer.challengeStep = challengeStep(for: transfer.request)
    if case .wait? = transfer.challengeStep { return unchallenged.append(transfer) }
    add(transfer)
  }

  private func add(_ transfer: Transfer) {
    do throws(TransportError) {
      try transfer.setUp()
      guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else { throw Self.outOfMemory }
    } catch {
      retire(transfer, hasFailed: true)
      transfer.task.finish(error)
    }
  }

  // MARK: Challenges

  private func challengeStep(for request: ExchangeRequest) -> ChallengeStep? {
    guard let credentials = request.challenged else { return nil }
    let key = ChallengeKey(credentials, for: request)
    let answers = challenges[key] ?? credentials.makeAnswers()
    challenges[key] = answers
    return answers.step(method: request.method, uri: request.uri)
  }

  /// Sends a request whole that has been challenged, or need not be. Returns false if the reply was its end.
  private func goesOn(_ transfer: Transfer) -> Bool {
    guard case .ask(let record)? = transfer.challengeStep else { return false }
    let head = transfer.parser.head
    let isChallenged = record(head)
    let isLetIn = head.map { (200..<300).contains($0.status) } == true && transfer.length > 0
    transfer.challengeStep = nil
    guard isChallenged || isLetIn else {
      endWaiting()
      return false
    }
    curl_multi_remove_handle(multi, transfer.easy)
    curl_easy_reset(transfer.easy)
    transfer.startOver()
    transfer.headBytes = 0
    if isChallenged { start(transfer) } else { add(transfer) }
    endWaiting()
    return true
  }

  /// Lets the requests begin that waited for a challenge.
  private func endWaiting() {
    for transfer in exchange(&unchallenged, with: []) { start(transfer) }
  }

  /// Removes a transfer, also from libcurl, which breaks off the request if it is still in progress.
  private func retire(_ transfer: Transfer, hasFailed: Bool) {
    transfers[ObjectIdentifier(transfer.task)] = nil
    held.removeAll { $0 === transfer }
    answered.removeAll { $0 === transfer }
    doubtful.removeAll { $0.transfer === transfer }
    arriving.removeAll { $0 === transfer }
    unchallenged.removeAll { $0 === transfer }
    // libcurl may still use memory of the transfer.
    withExtendedLifetime(transfer) {
      curl_multi_remove_handle(multi, transfer.easy)
      release(transfer.easy, isSpent: hasFailed || transfer.wasExpectRefused)
    }
    // Over HTTP/2, the connection outlives a request that is cancelled.
    if transfer.request.offersHTTP2, transfer.isUnanswered, let socket = transfer.socket {
      keepUnsent(at: socket, after: transfer)
    }
    guard case .ask(let record)? = transfer.challengeStep else { return }
    transfer.challengeStep = nil
    _ = record(nil)
    endWaiting()
  }

  /// Keeps a handle for other requests, except one whose request has failed: libcurl 8.7 to 8.15 would not forget that
  /// it was not allowed to send a body once more, even when the handle is reset, and would fail the next request
  /// because of it.
  private func release(_ easy: UnsafeMutableRawPointer, isSpent: Bool) {
    // Reusing the handle would not clear its error number, which `Transfer.sight` depends on.
    let hasErrorNumber = hoist_info_long(easy, CURLINFO_OS_ERRNO) != 0
    guard !isSpent, !hasErrorNumber, spare.count < Self.mostSpare else {
      return curl_easy_cleanup(easy)
    }
    // Keeps the handle's connections, resolved names and TLS sessions, and would keep the cookies.
    _ = hoist_set_text(easy, CURLOPT_COOKIEFILE, nil)
    _ = hoist_set_pointer(easy, CURLOPT_SHARE, nil)
    curl_easy_reset(easy)
    spare.append(easy)
  }

  private func collectEnds() {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      var code = CURLE_OK
      guard let easy = hoist_finished(message, &code) else { continue }
      let transfer = Transfer.of(hoist_info_private(easy))
      if !settles(transfer, code) { finish(transfer, code) }
    }
  }

  /// Repeats a request if the server has not seen it, or keeps it waiting until that is known. Returns false if
  /// the request is over.
  private func settles(_ transfer: Transfer, _ code: CURLcode) -> Bool {
    switch transfer.sight(after: code) {
    case .uncertain: return false
    case .open:
      // libcurl has finished with the connection, and must not report the end again.
      curl_multi_remove_handle(multi, transfer.easy)
      doubtful.append((transfer, code))
      return true
    case .unseen where transfer.isNotRepeated:
      transfer.recordIncomplete()
      giveUp(transfer)
      return true
    case .unseen:
      guard let easy = curl_easy_init() else { return false }
      curl_multi_remove_handle(multi, transfer.easy)
      curl_easy_cleanup(transfer.easy)
      transfer.beginAgain(on: easy)
      add(transfer)
      return true
    }
  }

  /// Checks the requests that may or may not have arrived.
  private func settleDoubts() {
    for (transfer, code) in exchange(&doubtful, with: []) where !settles(transfer, code) {
      finish(transfer, code)
    }
    for transfer in arriving { finish(transfer, CURLE_OK) }
  }

  /// Ends a request, unless it succeeded before all of its body had arrived.
  private func finish(_ transfer: Transfer, _ code: CURLcode) {
    if goesOn(transfer) { return }
    let hasFailed = code != CURLE_OK
    let code = transfer.takeRawReply(after: code) ? CURLE_OK : code
    if transfer.awaitsArrival(code) {
      if !arriving.contains(where: { $0 === transfer }) { arriving.append(transfer) }
      return
    }
    transfer.recordLoss(code)
    let trouble = transfer.trouble(code)
    let task = transfer.task
    let isFirstOnConnection = hoist_info_long(transfer.easy, CURLINFO_NUM_CONNECTS) > 0
    // A success says that all of the body was taken if all was given, even if its own end is missing.
    let isAnswered = task.content.withLock { content in
      content.end.isFirstOnConnection = isFirstOnConnection
      return content.end.head.map {
        trouble == nil || ($0.saysArrived && transfer.hasGivenAll)
      } == true
    }
    let acknowledged =
      isAnswered && transfer.arrival?.isLost != true
      ? transfer.recordAnswered() : transfer.newlyAcknowledged(shares: 1)
    let head = transfer.removeHead()
    retire(transfer, hasFailed: hasFailed)
    task.report(acknowledged: acknowledged, head: head)
    task.finish(trouble)
  }

  private func reportHeads() {
    for transfer in answered {
      guard let head = transfer.removeHead() else { continue }
      transfer.task.report(acknowledged: transfer.newlyAcknowledged(shares: 1), head: head)
    }
    answered = []
  }

  private func lookAtSockets() {
    let now = Clock.now
    guard now >= nextLook else { return }
    let isNearEnd = transfers.values.contains {
      $0.isAwaitingAcknowledgement && $0.hasGivenAll && !$0.isInOnePiece
    }
    nextLook = now + (isNearEnd ? Self.lastLookInterval : Self.lookInterval)
    var users: [Int32: Int] = [:]
    for transfer in transfers.values where transfer.isAwaitingAcknowledgement {
      if let socket = transfer.socket { users[socket, default: 0] += 1 }
    }
    for transfer in transfers.values {
      guard let socket = transfer.socket, let shares = users[socket],
        let acknowledged = transfer.newlyAcknowledged(shares: shares)
      else { continue }
      transfer.task.report(acknowledged: acknowledged, head: nil)
    }
  }

  /// Lets transfers that are waiting for a limit continue, in the order in which they started to wait.
  private func letGo() {
    guard !held.isEmpty else { return }
    let now = Clock.now
    let free = held.filter { ($0.heldUntil ?? 0) <= now && $0.letGo(at: now) }
    held.removeAll { $0.heldUntil == nil }
    for transfer in free { curl_easy_pause(transfer.easy, CURLPAUSE_CONT) }
  }

  // MARK: For transfers and libcurl's callbacks

  /// Called when the last byte of a body has been handed over.
  func recordBodyHandedOver() { nextLook = min(nextLook, Clock.now + Self.lastLookInterval) }

  func recordHead(_ transfer: Transfer) { answered.append(transfer) }

  func socket(of connection: SocketTable.Connection) -> Int32? { sockets.socket(of: connection) }

  /// Lets the kernel go on sending what it has when a connection is closed, unless another request on it has no reply
  /// yet.
  func keepUnsent(at socket: Int32, after transfer: Transfer) {
    let isNeeded =
      transfer.request.offersHTTP2
      && transfers.values.contains {
        $0 !== transfer && $0.socket == socket && $0.isUnanswered
      }
    guard transfer.mayStay, !isNeeded, sockets.isOpen(socket) else { return }
    SocketTable.setDiscardsUnsent(false, at: socket)
  }

  func openSocket(_ address: UnsafePointer<curl_sockaddr>) -> Int32 { sockets.open(address) }

  func closeSocket(_ descriptor: Int32) -> Int32 {
    poll.forget(descriptor)
    let users = transfers.values.filter { $0.socket == descriptor }
    for transfer in users { transfer.recordClosing(descriptor, isShared: users.count > 1) }
    return sockets.close(descriptor)
  }
}
