import NIOCore

/// Admits connections as ``ConnectionPolicy`` decides. Even a connection that must wait is accepted, since its address
/// is unknown before that, but nothing is read from it.
///
/// It goes into the pipeline of the listening socket, before the handler that serves accepted connections.
final class AcceptHandler: ChannelInboundHandler {
  typealias InboundIn = Channel
  typealias InboundOut = Channel

  /// An outbound event that tells a connection to give its place to another. If the connection is not idle after all,
  /// the event's promise fails, and the connection keeps its place.
  struct Eviction: Sendable {
    /// How long the connection must have been idle.
    let grace: TimeAmount

    struct Refused: Error {}
  }

  /// How often the served connections are checked while another one waits.
  private static let interval = TimeAmount.milliseconds(250)

  private let connections: ConnectionSet
  private var crowd: ConnectionPolicy<ObjectIdentifier, [UInt8]>
  private var channels: [ObjectIdentifier: any Channel] = [:]
  private var timer: Scheduled<Void>?
  /// Connections that are told to come back later. Above a limit, further ones are closed without a reply.
  private var turnedAway: Set<ObjectIdentifier> = []

  init(_ configuration: UploadReceiver.Configuration, _ connections: ConnectionSet) {
    self.connections = connections
    // An upload needs a descriptor for its connection and one for each of its files. It is better to let connections
    // wait than to run out of descriptors.
    let most = min(configuration.maxConnections, max(1, Descriptors.limit / 4))
    crowd = ConnectionPolicy(
      most: most, mostOfAddress: max(1, configuration.maxConnectionsPerAddress),
      mostWaiting: max(1, min(4 * most, Descriptors.limit / 4)))
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let channel = unwrapInboundIn(data)
    let identity = ObjectIdentifier(channel)
    channels[identity] = channel
    channel.closeFuture.hop(to: context.eventLoop).assumeIsolated().whenComplete { _ in
      self.closed(identity, context)
    }
    let network = ClientName.network(of: channel.remoteAddress)
    carry(
      out: crowd.arrive(identity, from: network, now: .now(), idle: connections.idleSince), context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    for identity in crowd.close() { channels[identity]?.close(promise: nil) }
    context.fireChannelInactive()
  }

  private func closed(_ identity: ObjectIdentifier, _ context: ChannelHandlerContext) {
    channels[identity] = nil
    turnedAway.remove(identity)
    carry(out: crowd.leave(identity, now: .now(), idle: connections.idleSince), context)
  }

  private func carry(
    out actions: [ConnectionPolicy<ObjectIdentifier, [UInt8]>.Action],
    _ context: ChannelHandlerContext
  ) {
    connections.demand = crowd.demand
    for action in actions {
      switch action {
      case .serve(let identity):
        if let channel = channels[identity] { context.fireChannelRead(wrapInboundOut(channel)) }
      case .evict(let identity): evict(identity, context)
      case .drop(let identity): turnAway(identity, context)
      }
    }
    guard crowd.hasWaiting, timer == nil, context.channel.isActive else { return }
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.interval) {
      self.timer = nil
      self.carry(out: self.crowd.look(now: .now(), idle: self.connections.idleSince), context)
    }
  }

  /// Turns a connection away with a reply, since its request may already be on its way.
  private func turnAway(_ identity: ObjectIdentifier, _ context: ChannelHandlerContext) {
    guard let channel = channels[identity] else { return }
    guard turnedAway.count < min(crowd.mostWaiting, max(1, Descriptors.limit / 16)) else {
      return channel.close(promise: nil)
    }
    turnedAway.insert(identity)
    connections.turnAway(channel)
    context.fireChannelRead(wrapInboundOut(channel))
  }

  private func evict(_ identity: ObjectIdentifier, _ context: ChannelHandlerContext) {
    guard let channel = channels[identity] else { return }
    let outcome = context.eventLoop.makePromise(of: Void.self)
    outcome.futureResult.assumeIsolated().whenFailure { _ in self.crowd.keep(identity) }
    channel.triggerUserOutboundEvent(Eviction(grace: crowd.grace), promise: outcome)
  }
}
