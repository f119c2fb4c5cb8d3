import NIOCore

/// Stops accepting connections while there are too many; the rest wait in the system's queue.
///
/// In the pipeline of the listening socket, before the handler that accepts.
final class AcceptGate: ChannelDuplexHandler {
  typealias InboundIn = Channel
  typealias InboundOut = Channel
  typealias OutboundIn = Never

  private let maxConnections: Int
  private var open = 0
  private var isReadHeld = false

  init(maxConnections: Int) { self.maxConnections = maxConnections }

  func read(context: ChannelHandlerContext) {
    if open < maxConnections {
      context.read()
    } else {
      isReadHeld = true
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    open += 1
    let boundContext = NIOLoopBound(context, eventLoop: context.eventLoop)
    let boundSelf = NIOLoopBound(self, eventLoop: context.eventLoop)
    unwrapInboundIn(data).closeFuture.hop(to: context.eventLoop).whenComplete { _ in
      boundSelf.value.closed(boundContext.value)
    }
    context.fireChannelRead(data)
  }

  private func closed(_ context: ChannelHandlerContext) {
    open -= 1
    guard isReadHeld, open < maxConnections else { return }
    isReadHeld = false
    context.read()
  }
}
