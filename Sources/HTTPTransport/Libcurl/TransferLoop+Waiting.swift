import CCurl
import Foundation

/// Waiting for events. libcurl names the sockets that it waits for, and is told about each one that has an event.
/// `curl_multi_perform` would instead make it check all of them on every iteration.
extension TransferLoop {
  /// Makes libcurl name its sockets.
  func watchSockets() {
    let watch: curl_socket_callback = { easy, socket, wanted, loop, _ in
      let transfer = easy.flatMap(hoist_info_private).map { Transfer.of($0) }
      TransferLoop.of(loop).poll.watch(
        socket, for: wanted, mayRest: transfer?.request.offersHTTP2 ?? false)
      return 0
    }
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = hoist_multi_set_watch(multi, watch, context)
  }

  /// Lets libcurl do all pending work: read and write on sockets with events, and start or continue transfers.
  func perform() {
    var running: Int32 = 0
    // Since no events are passed (0), libcurl checks the socket itself.
    for socket in news { curl_multi_socket_action(multi, socket, 0, &running) }
    // -1 is CURL_SOCKET_TIMEOUT, a macro with a cast that Swift does not import.
    if news.isEmpty { curl_multi_socket_action(multi, -1, 0, &running) }
  }

  /// Runs `work` once everything that can be sent now has been sent, or at once if this is not the loop's thread.
  func postpone(_ work: @escaping @Sendable () -> Void) {
    guard isCurrent else { return work() }
    postponed.append(work)
  }

  func doWhatWaited() {
    while !postponed.isEmpty {
      for work in exchange(&postponed, with: []) { work() }
    }
  }

  /// The sockets that have events, once there are any or something else is due.
  func waitForNews() -> [Int32] {
    let news = poll.wait(milliseconds: milliseconds)
    return news + socketsWithoutAnswer().filter { !news.contains($0) }
  }

  /// After how many seconds libcurl is told again about a socket that it has not reacted to.
  private static let questionInterval = 0.05

  /// The sockets of requests whose "100 Continue" is overdue. libcurl stops waiting for it only when it processes the
  /// transfer, but after another interim reply, it may have no reason to process it (seen with 7.88).
  private func socketsWithoutAnswer() -> [Int32] {
    let now = Clock.now
    return transfers.values.compactMap { transfer in
      guard let end = transfer.continueBy, end <= now else { return nil }
      transfer.continueBy = now + Self.questionInterval
      return transfer.socket
    }
  }

  /// How many milliseconds to wait for events; negative for no limit.
  private var milliseconds: Int32 {
    var moments = held.compactMap(\.heldUntil)
    if transfers.values.contains(where: \.isAwaitingAcknowledgement) { moments.append(nextLook) }
    moments += transfers.values.lazy.compactMap(\.continueBy)
    if !doubtful.isEmpty || !arriving.isEmpty { moments.append(Clock.now + Self.doubtInterval) }
    var delays = moments.map { ($0 - Clock.now) * 1000 }
    var timer = -1
    if curl_multi_timeout(multi, &timer) == CURLM_OK, timer >= 0 { delays.append(Double(timer)) }
    return delays.min().map { Int32(min(max(0, $0).rounded(.up), 1e9)) } ?? -1
  }
}
