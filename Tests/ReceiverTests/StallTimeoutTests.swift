import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import Receiver

/// Who is asked to give a place up, by the events of one connection.
struct StallTimeoutTests {
  private let activity = Activity()
  private let channel: EmbeddedChannel

  init() throws {
    var configuration = UploadReceiver.Configuration(directory: "/nonexistent")
    configuration.headTimeout = .seconds(60)
    configuration.minBytesPerSecond = 0
    channel = EmbeddedChannel(handler: StallTimeout(configuration, activity))
    channel.read()
  }

  private func evict(grace: TimeAmount = .zero) throws {
    let outcome = channel.eventLoop.makePromise(of: Void.self)
    channel.triggerUserOutboundEvent(
      AcceptHandler.Eviction(grace: grace), promise: outcome)
    try outcome.futureResult.wait()
  }

  @Test("an idle connection gives its place up")
  func idle() throws {
    #expect(activity.since != nil)
    try evict()
  }

  @Test("one that was idle until a moment ago keeps it")
  func idleForTooShort() throws {
    #expect(throws: AcceptHandler.Eviction.Refused.self) { try evict(grace: .hours(1)) }
  }

  /// Between the decision and the event the request was read.
  @Test("one whose request is being answered keeps it")
  func requestBeingAnswered() throws {
    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
    try channel.writeInbound(HTTPServerRequestPart.head(head))
    try channel.writeInbound(HTTPServerRequestPart.end(nil))
    channel.read()
    #expect(throws: AcceptHandler.Eviction.Refused.self) { try evict() }
    let reply = HTTPResponseHead(version: .http1_1, status: .ok)
    try channel.writeOutbound(HTTPServerResponsePart.head(reply))
    try channel.writeOutbound(HTTPServerResponsePart.end(nil))
    try evict()
  }
}
