import NIOCore
import NIOHTTP1

/// Ends a connection whose client keeps the server waiting.
///
/// Sits behind the HTTP decoder, so that a head that comes a byte at a time counts as nothing at all.
/// Only the time in which the server wants to read or write counts: a client is not blamed for a slow
/// disk.
final class StallTimeout: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// The client sent nothing for too long.
  struct Stalled: Error {}

  private let headTimeout: TimeAmount
  private let stallTimeout: TimeAmount
  private var isInBody = false
  private var waitsSince: NIODeadline?
  private var writesSince: NIODeadline?
  private var pendingWrites = 0
  private var check: Scheduled<Void>?

  init(headTimeout: TimeAmount, stallTimeout: TimeAmount) {
    self.headTimeout = headTimeout
    self.stallTimeout = stallTimeout
  }

  func handlerRemoved(context: ChannelHandlerContext) { check?.cancel() }

  func read(context: ChannelHandlerContext) {
    if waitsSince == nil { waitsSince = .now() }
    schedule(context)
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    waitsSince = nil
    switch unwrapInboundIn(data) {
    case .head: isInBody = true
    case .body: break
    case .end: isInBody = false
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    pendingWrites += 1
    writesSince = writesSince ?? .now()
    schedule(context)
    let written = promise ?? context.eventLoop.makePromise()
    written.futureResult.assumeIsolated().whenComplete { _ in
      self.pendingWrites -= 1
      self.writesSince = self.pendingWrites == 0 ? nil : .now()
    }
    context.write(data, promise: written)
  }

  /// When the client will have taken too long, as things stand.
  private var deadline: NIODeadline? {
    let reading = waitsSince.map { $0 + (isInBody ? stallTimeout : headTimeout) }
    let writing = writesSince.map { $0 + stallTimeout }
    return [reading, writing].compactMap(\.self).min()
  }

  /// One timer that looks again is cheaper than one for each read.
  private func schedule(_ context: ChannelHandlerContext) {
    guard check == nil, let deadline else { return }
    let boundContext = NIOLoopBound(context, eventLoop: context.eventLoop)
    let boundSelf = NIOLoopBound(self, eventLoop: context.eventLoop)
    check = context.eventLoop.scheduleTask(deadline: deadline) {
      boundSelf.value.look(boundContext.value)
    }
  }

  private func look(_ context: ChannelHandlerContext) {
    check = nil
    guard let deadline, deadline <= .now() else {
      schedule(context)
      return
    }
    if writesSince != nil {
      context.channel.triggerUserOutboundEvent(LingeringClose.Abort(), promise: nil)
    } else {
      waitsSince = nil
      context.fireErrorCaught(Stalled())
    }
  }
}
