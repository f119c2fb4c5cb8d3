import CCurl
import Foundation

/// How the loop learns what there is to do. libcurl says which sockets it waits for, and is told about those that have
/// news, one by one: with `curl_multi_perform` it would check all of them in every turn.
extension TransferLoop {
  /// Has libcurl name its sockets.
  func watchSockets(_ multi: UnsafeMutableRawPointer) {
    let watch: curl_socket_callback = { easy, socket, wanted, loop, _ in
      let transfer = easy.flatMap(hoist_info_private).map { Transfer.of($0) }
      TransferLoop.of(loop).poll.watch(
        socket, for: wanted, mayRest: transfer?.request.offersHTTP2 ?? false)
      return 0
    }
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = hoist_multi_set_watch(multi, watch, context)
  }

  /// Has libcurl do what there is to do: read and write on sockets with news, and begin or continue what is due.
  func perform(_ multi: UnsafeMutableRawPointer) {
    var running: Int32 = 0
    // No events are passed: libcurl asks the socket itself what the news is.
    for socket in news { curl_multi_socket_action(multi, socket, 0, &running) }
    // No socket: CURL_SOCKET_TIMEOUT, a macro with a cast that Swift does not import.
    if news.isEmpty { curl_multi_socket_action(multi, -1, 0, &running) }
  }

  /// Runs `work` once everything that can be sent has been, or at once if this is not the loop's thread.
  func postpone(_ work: @escaping @Sendable () -> Void) {
    guard DispatchQueue.getSpecific(key: Self.owner) == ObjectIdentifier(self) else {
      return work()
    }
    postponed.append(work)
  }

  func doWhatWaited() {
    while !postponed.isEmpty {
      let works = postponed
      postponed = []
      for work in works { work() }
    }
  }

  /// - Returns: the sockets that have news.
  func waitForNews(_ multi: UnsafeMutableRawPointer) -> [Int32] {
    let news = poll.wait(milliseconds: milliseconds(multi))
    return news + socketsWithoutAnswer().filter { !news.contains($0) }
  }

  /// Seconds until libcurl is made to look again.
  private static let questionInterval = 0.05

  /// The sockets of requests whose "100 Continue" is overdue. libcurl stops waiting for it when it looks at the
  /// transfer, but after another interim reply it may have no reason to look (seen with 7.88).
  private func socketsWithoutAnswer() -> [Int32] {
    let now = Clock.now
    return transfers.values.compactMap { transfer in
      guard let end = transfer.continueBy, end <= now else { return nil }
      transfer.continueBy = now + Self.questionInterval
      return transfer.socket
    }
  }

  /// How long to wait for news; without limit if negative.
  private func milliseconds(_ multi: UnsafeMutableRawPointer) -> Int32 {
    var moments = held.compactMap(\.heldUntil)
    if transfers.values.contains(where: \.isAwaitingAcknowledgement) {
      moments.append(nextLook)
    }
    moments += transfers.values.lazy.compactMap(\.continueBy)
    if !doubtful.isEmpty || !arriving.isEmpty { moments.append(Clock.now + Self.doubtInterval) }
    var delays = moments.map { ($0 - Clock.now) * 1000 }
    var timer = -1
    if curl_multi_timeout(multi, &timer) == CURLM_OK, timer >= 0 { delays.append(Double(timer)) }
    return delays.min().map { Int32(min(max(0, $0).rounded(.up), 1e9)) } ?? -1
  }
}
