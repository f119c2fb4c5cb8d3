import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// An HTTP/1.1 server that accepts files sent as `multipart/form-data` and stores them in one folder.
///
/// - `POST /upload` accepts exactly one file, `POST /multiupload` several; form fields may have any name. The answer is
///   JSON: `{"files": [{"field", "name", "stored", "size", "type", "sha256", "url"}], "fields": {…}}`, without any
///   fields if they exceed 64 KiB, or `{"error": …}` with a status of 400 or above. One file gets a 201 with its
///   `Location`, several files a 200. A browser is redirected to the page at `/`.
/// - `GET /` lists the files that have arrived, as a page with a form, or as JSON if `Accept` asks for it. A file is
///   fetched with `GET /files/NAME`.
///
/// Bodies are parsed, hashed and written as they arrive, and are read no faster than the disk can write. A file appears
/// under its final name once its whole request has arrived and has been accepted. It never replaces another file.
public final class UploadReceiver: Sendable {
  private enum State {
    case new
    case running(any Channel)
    case stopped
  }

  /// The receiver's configuration.
  public let configuration: Configuration
  private let endpoints: [any ReceiverEndpoint]
  private let onEvent: (@Sendable (ReceiverEvent) -> Void)?
  private let connections = ConnectionSet()
  private let state = Mutex(State.new)

  /// Makes a receiver that is not listening yet.
  /// - Parameters:
  ///   - configuration: where it listens, where it stores files, and what it refuses.
  ///   - endpoints: handle requests other than uploads.
  ///   - onEvent: called for each event, on any thread; it should return quickly.
  public init(
    configuration: Configuration, endpoints: [any ReceiverEndpoint] = [],
    onEvent: (@Sendable (ReceiverEvent) -> Void)? = nil
  ) {
    self.configuration = configuration
    self.endpoints = endpoints
    self.onEvent = onEvent
  }

  /// Opens the folder and starts to listen.
  /// - Returns: the port on which the receiver listens.
  /// - Throws: ``ReceiverError``.
  public func start() async throws(ReceiverError) -> Int {
    guard state.withLock({ if case .new = $0 { true } else { false } }) else {
      throw .alreadyStarted
    }
    let inbox = try Inbox(path: configuration.directory)
    let channel: any Channel
    do {
      channel = try await bootstrap(inbox).bind(host: configuration.host, port: configuration.port)
        .get()
    } catch {
      throw reason(error)
    }
    let isNew = state.withLock { state in
      guard case .new = state else { return false }
      state = .running(channel)
      return true
    }
    guard isNew else {
      channel.close(promise: nil)
      throw .alreadyStarted
    }
    return channel.localAddress?.port ?? configuration.port
  }

  /// Stops listening, and gives running requests ``Configuration/stopTimeout`` to finish. Then they are aborted, and
  /// their partial files are deleted, unless the upload can resume. Returns when everything has ended. It may be called
  /// more than once.
  public func stop() async {
    let earlier = state.withLock { state in
      defer { state = .stopped }
      return state
    }
    guard case .running(let channel) = earlier else { return }
    // Do this first: once new connections are refused, no old one may take another request.
    connections.beginStopping()
    try? await channel.close()
    let connections = connections
    let deadline = channel.eventLoop.scheduleTask(in: TimeAmount(configuration.stopTimeout)) {
      connections.abortAll()
    }
    await connections.waitUntilEmpty()
    deadline.cancel()
  }

  private func bootstrap(_ inbox: Inbox) -> ServerBootstrap {
    let configuration = configuration
    let service = Service(
      Site(inbox: inbox, configuration: configuration, onEvent: onEvent), endpoints: endpoints)
    return ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: 1_024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { [connections] channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptHandler(configuration, connections))
        }
      }
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(
          minimum: 4 << 10, initial: 16 << 10, maximum: 256 << 10)
      )
      .childChannelInitializer { [connections] channel in
        channel.eventLoop.makeCompletedFuture {
          let activity = Activity()
          let connection = Connection(
            try Self.configure(channel, activity, configuration), service, connections)
          connections.add(channel, activity)
          Task(executorPreference: DiskExecutor.shared) {
            await connection.serve()
            connections.remove(channel)
          }
        }
      }
  }

  private static func configure(
    _ channel: any Channel, _ activity: Activity, _ configuration: Configuration
  ) throws -> Connection.AsyncChannel {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderListSize = configuration.maxHeadBytes
    limits.maxHeaderFieldSize = configuration.maxHeadBytes / 2
    try channel.pipeline.syncOperations.addHandlers(
      LingeringClose(configuration),
      HTTPResponseEncoder(),
      ByteToMessageHandler(
        HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)),
      StallTimeout(configuration, activity))
    return try NIOAsyncChannel(
      wrappingChannelSynchronously: channel,
      configuration: .init(
        // Pieces of up to 256 KiB each: enough to keep the disk busy, and a limit on memory.
        backPressureStrategy: .init(lowWatermark: 1, highWatermark: 4)))
  }

  private func reason(_ error: any Error) -> ReceiverError {
    let host = configuration.host
    guard let error = error as? IOError else {
      return .address(host: host, reason: "no address is known for that name")
    }
    let words = errorText(error.errnoCode)
    return error.errnoCode == EADDRINUSE || error.errnoCode == EACCES
      ? .listen(host: host, port: configuration.port, reason: words)
      : .address(host: host, reason: words)
  }
}
