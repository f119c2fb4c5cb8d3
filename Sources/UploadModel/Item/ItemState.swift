/// What has become of an item. A row of the screen shows exactly this and never more.
public enum ItemState: Hashable, Sendable, Codable {
  /// In the queue, not begun.
  case waiting
  /// The file is being opened and the request made; no byte has left.
  case preparing(attempt: Int)
  /// Bytes are leaving. Both counts are of the file's own bytes, without the form around them.
  case sending(attempt: Int, sent: Int64, total: Int64)
  /// Everything has been handed over and the server has not answered yet.
  case awaitingReply(attempt: Int, since: Moment)
  /// The attempt failed in a way that another may mend; the next begins at `at`.
  case retrying(Failure, next: Int, of: Int, at: Moment)
  /// Taken out of the line by the person; it starts again from the first byte.
  case paused
  /// The server has taken it.
  case done(Receipt)
  /// It did not arrive, or nobody can tell whether it did.
  case failed(Failure)

  /// Whether the item needs nothing more from the engine.
  public var isFinished: Bool {
    switch self {
    case .done, .failed: true
    case .waiting, .preparing, .sending, .awaitingReply, .retrying, .paused: false
    }
  }

  /// Whether the server has taken it.
  public var isDone: Bool {
    if case .done = self { true } else { false }
  }

  /// Whether the server has all of it and has not answered yet.
  public var isHandedOver: Bool { if case .awaitingReply = self { true } else { false } }

  /// Whether the item occupies a lane: a connection is, or is about to be, in use for it.
  public var isActive: Bool {
    switch self {
    case .preparing, .sending, .awaitingReply: true
    case .waiting, .retrying, .paused, .done, .failed: false
    }
  }

  /// The failure that the item shows, if any.
  public var failure: Failure? {
    switch self {
    case .failed(let failure), .retrying(let failure, _, _, _): failure
    case .waiting, .preparing, .sending, .awaitingReply, .paused, .done: nil
    }
  }
}

/// What the server said when it took a file.
public struct Receipt: Hashable, Sendable, Codable {
  /// The HTTP status code.
  public var status: Int
  /// Where the file can be found now, if the reply said so.
  public var url: String?
  /// The beginning of the reply's body.
  public var reply: Reply
  /// The number of attempts that it took, from 1.
  public var attempts: Int
  /// Seconds from the start of the last attempt to the reply.
  public var seconds: Double
  /// The file's bytes that were sent.
  public var bytes: Int64

  /// A receipt for `bytes` bytes taken with `status`.
  public init(
    status: Int, url: String? = nil, reply: Reply = Reply(), attempts: Int = 1,
    seconds: Double = 0, bytes: Int64 = 0
  ) {
    self.status = status
    self.url = url
    self.reply = reply
    self.attempts = attempts
    self.seconds = seconds
    self.bytes = bytes
  }
}

/// The beginning of what a server answered. It came from outside: make it safe before it is shown.
public struct Reply: Hashable, Sendable, Codable {
  /// The text, at most `Reply.limit` bytes of it.
  public var text: String
  /// Whether the server said more than was kept.
  public var isCut: Bool
  /// The reply's media type, without parameters, in lower case.
  public var mediaType: String?

  /// How many bytes of a reply are kept. A 20 MB error page tells no more than its beginning.
  public static let limit = 64 * 1024

  /// A reply with this text.
  public init(text: String = "", isCut: Bool = false, mediaType: String? = nil) {
    self.text = text
    self.isCut = isCut
    self.mediaType = mediaType
  }
}
