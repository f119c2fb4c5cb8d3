import NIOCore

/// Closes a connection so that the client sees the last reply (RFC 9112, section 9.6).
///
/// Closing a socket while the client still sends causes a reset, which makes the client discard a reply that it has not
/// read yet. So this handler first closes the server's direction, then reads and discards whatever arrives until the
/// client closes its own direction, within limits on bytes and time.
///
/// It is the first handler of a pipeline.
final class LingeringClose: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// An outbound event that closes the connection at once.
  struct Abort: Sendable {}

  private enum State {
    case open
    case lingering(rest: Int64, deadline: Scheduled<Void>)
    case closed
  }

  private let maxBytes: Int64
  private let timeout: TimeAmount
  private var state = State.open
  private var isInputClosed = false

  init(_ configuration: UploadReceiver.Configuration) {
    maxBytes = configuration.lingerBytes
    timeout = TimeAmount(configuration.lingerTimeout)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard mode == .all, context.channel.isActive, !isInputClosed, case .open = state else {
      return context.close(mode: mode, promise: promise)
    }
    if let promise { context.channel.closeFuture.cascade(to: promise) }
    state = .lingering(
      rest: maxBytes,
      deadline: context.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
        context.close(promise: nil)
      })
    context.close(mode: .output, promise: nil)
    context.read()
  }

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard event is Abort else { return context.triggerUserOutboundEvent(event, promise: promise) }
    end()
    context.close(promise: promise)
  }

  func read(context: ChannelHandlerContext) {
    if case .lingering = state { return }
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .lingering(let rest, let deadline) = state else {
      return context.fireChannelRead(data)
    }
    let left = rest - Int64(unwrapInboundIn(data).readableBytes)
    state = .lingering(rest: left, deadline: deadline)
    if left < 0 {
      end()
      context.close(promise: nil)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    switch state {
    case .open: context.fireChannelReadComplete()
    case .lingering: context.read()
    case .closed: break
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed {
      isInputClosed = true
      if case .lingering = state {
        end()
        return context.close(promise: nil)
      }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard case .lingering = state else { return context.fireErrorCaught(error) }
    end()
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  private func end() {
    if case .lingering(_, let deadline) = state { deadline.cancel() }
    state = .closed
  }
}
