import Foundation
import NIOCore
import NIOHTTP1

/// Ends a connection whose client keeps the server waiting.
///
/// It comes after the HTTP decoder, so that a head that arrives a byte at a time does not count until it is
/// complete. Only the time in which the server wants to read or write counts: a client is not blamed for a
/// slow disk.
final class StallTimeout: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// The client sent nothing, or too little, for too long.
  struct Stalled: Error {
    var isSlow = false
  }

  /// The client kept the server waiting while others waited for its place.
  struct Evicted: Error {}

  /// How much longer a client may be idle in the middle of a request than between requests, while others wait.
  private static let requestPatience = TimeAmount.seconds(1)

  private let headTimeout: TimeAmount
  private let stallTimeout: TimeAmount
  private let minBytesPerSecond: Int
  private let activity: Activity
  private var isInBody = false
  /// Since when the client has sent next to nothing, not counting the server's own delays, and how many bytes it has
  /// sent in that time.
  private var idleSince = NIODeadline.now()
  private var sentWhileIdle = 0
  private var busySince: NIODeadline?
  private var isClosing = false
  /// How long the server has waited for the body since it last checked the speed, and how many bytes have arrived since
  /// then.
  private var waited = TimeAmount.zero
  private var received = 0
  /// How many requests have arrived in full but have not been answered. While there are any, the client waits for the
  /// server.
  private var unanswered = 0
  private var waitsSince: NIODeadline?
  private var writesSince: NIODeadline?
  private var pendingWrites = 0
  private var check: (at: NIODeadline, timer: Scheduled<Void>)?

  init(_ configuration: UploadReceiver.Configuration, _ activity: Activity) {
    headTimeout = TimeAmount(configuration.headTimeout)
    stallTimeout = TimeAmount(configuration.stallTimeout)
    minBytesPerSecond = configuration.minBytesPerSecond
    self.activity = activity
  }

  func handlerRemoved(context: ChannelHandlerContext) { check?.timer.cancel() }

  func read(context: ChannelHandlerContext) {
    if waitsSince == nil { waitsSince = .now() }
    waitForClient()
    schedule(context)
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let now = NIODeadline.now()
    let wait = waitsSince.map { now - $0 } ?? .zero
    waitsSince = nil
    busySince = busySince ?? now
    activity.since = nil
    switch unwrapInboundIn(data) {
    case .head:
      isInBody = true
      (waited, received) = (.zero, 0)
      (idleSince, sentWhileIdle) = (now, 0)
    case .body(let buffer):
      waited = waited + wait
      received += buffer.readableBytes
      sentWhileIdle += buffer.readableBytes
      // A client that sends a byte a second also counts as idle.
      if Double(sentWhileIdle)
        >= Double(minBytesPerSecond) * Double((now - idleSince).nanoseconds) / 1e9
      {
        (idleSince, sentWhileIdle) = (now, 0)
      }
      guard isFastEnough() else { return context.fireErrorCaught(Stalled(isSlow: true)) }
    case .end:
      isInBody = false
      unanswered += 1
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data), unanswered > 0 {
      unanswered -= 1
      if waitsSince != nil { waitsSince = .now() }
    }
    pendingWrites += 1
    if writesSince == nil { progress() }
    writesSince = writesSince ?? .now()
    publish()
    schedule(context)
    let written = promise ?? context.eventLoop.makePromise()
    written.futureResult.assumeIsolated().whenComplete { _ in
      self.pendingWrites -= 1
      self.writesSince = self.pendingWrites == 0 ? nil : .now()
      self.progress()
      self.publish()
    }
    context.write(data, promise: written)
  }

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard let eviction = event as? AcceptHandler.Eviction else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    guard isIdle(eviction, context) else {
      promise?.fail(AcceptHandler.Eviction.Refused())
      return
    }
    promise?.succeed()
    // In the middle of a request, the client is told why, unless a reply is still being written.
    if isInBody, pendingWrites == 0, !isClosing {
      waitsSince = nil
      context.fireErrorCaught(Evicted())
    } else {
      context.channel.triggerUserOutboundEvent(LingeringClose.Abort(), promise: nil)
    }
  }

  /// Whether the connection is still idle: another thread decided that it was, and something may have arrived since.
  private func isIdle(_ eviction: AcceptHandler.Eviction, _ context: ChannelHandlerContext) -> Bool
  {
    guard let since = activity.since, NIODeadline.now() - since >= eviction.grace else {
      return false
    }
    // The next request may have arrived without having been read, because this thread was late.
    return isInBody || pendingWrites > 0 || isClosing || !hasUnread(context)
  }

  private func hasUnread(_ context: ChannelHandlerContext) -> Bool {
    let count = try? context.channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self
    ) { socket in
      var byte: UInt8 = 0
      return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    }
    return count ?? 0 > 0
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    isClosing = true
    context.close(mode: mode, promise: promise)
  }

  /// Whether the server can do nothing until the client sends or reads something.
  private var awaitsClient: Bool {
    pendingWrites > 0 || waitsSince != nil && (isInBody || unanswered == 0)
  }

  /// Excludes from the client's idle time the time in which the server did not want to read.
  private func waitForClient() {
    if let busySince { idleSince = idleSince + (NIODeadline.now() - busySince) }
    busySince = nil
    publish()
  }

  /// Publishes since when the client has been idle. In the middle of a request, a client may be idle a little longer
  /// than between requests.
  private func publish() {
    let patience: TimeAmount = isInBody || pendingWrites > 0 ? Self.requestPatience : .zero
    activity.since = awaitsClient ? idleSince + patience : nil
  }

  private func progress() {
    (idleSince, sentWhileIdle) = (.now(), 0)
    if busySince != nil { busySince = .now() }
  }

  /// Checks the speed whenever the server's waits for the body add up to the stall timeout.
  private func isFastEnough() -> Bool {
    guard minBytesPerSecond > 0, waited >= stallTimeout else { return true }
    defer { (waited, received) = (.zero, 0) }
    return Double(received) >= Double(minBytesPerSecond) * Double(waited.nanoseconds) / 1e9
  }

  /// When the client will have sent nothing for too long, unless something arrives earlier.
  private var readDeadline: NIODeadline? {
    if isInBody { return waitsSince.map { $0 + stallTimeout } }
    return unanswered == 0 ? waitsSince.map { $0 + headTimeout } : nil
  }

  /// When the client will have read nothing for too long, unless it reads something earlier.
  private var writeDeadline: NIODeadline? { writesSince.map { $0 + stallTimeout } }

  /// One timer that checks and reschedules itself is cheaper than one for each read.
  private func schedule(_ context: ChannelHandlerContext) {
    guard let deadline = [readDeadline, writeDeadline].compactMap(\.self).min() else { return }
    if let check {
      guard deadline < check.at else { return }
      check.timer.cancel()
    }
    let timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
      self.look(context)
    }
    check = (deadline, timer)
  }

  private func look(_ context: ChannelHandlerContext) {
    check = nil
    let now = NIODeadline.now()
    if let writeDeadline, writeDeadline <= now {
      context.channel.triggerUserOutboundEvent(LingeringClose.Abort(), promise: nil)
    } else if let readDeadline, readDeadline <= now {
      waitsSince = nil
      context.fireErrorCaught(Stalled())
    } else {
      schedule(context)
    }
  }
}
