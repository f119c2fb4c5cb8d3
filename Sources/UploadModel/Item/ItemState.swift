/// The state of an item: exactly what a row of the screen shows.
package enum ItemState: Hashable, Sendable, Codable {
  /// In the queue, not begun.
  case waiting
  /// The file is being opened, and the request is being made. No byte has left.
  case preparing(attempt: Int)
  /// Bytes are leaving. Both counts are of the file's own bytes, without the form around them.
  case sending(attempt: Int, sent: Int64, total: Int64)
  /// The other side has acknowledged the whole file, and the server has not answered yet.
  case awaitingReply(attempt: Int, since: Instant)
  /// The server has accepted the file, but has not finished with it.
  indirect case processing(Processing)
  /// The attempt failed in a way that may pass. The next attempt starts at `at`. While the server is busy, the number of
  /// attempts does not end them, and `of` is nil.
  indirect case retrying(Failure, next: Int, of: Int?, at: Instant)
  /// Taken out of the line by the user.
  case paused
  /// The server has taken the file.
  indirect case done(Receipt)
  /// The file did not arrive, or nobody knows whether it did.
  indirect case failed(Failure)

  /// Whether the item needs nothing more from the engine.
  package var isFinished: Bool {
    switch self {
    case .done, .failed: true
    case .waiting, .preparing, .sending, .awaitingReply, .processing, .retrying, .paused: false
    }
  }

  package var isDone: Bool { if case .done = self { true } else { false } }
  package var isFailed: Bool { if case .failed = self { true } else { false } }
  /// Which attempt comes next: "3 of 5", with other `signs` "3/5". Only "3" if there may be more than five because the
  /// server is busy, and "6" if there have been more.
  package static func attempt(_ next: Int, of limit: Int?, signs: String = " of ") -> String {
    guard let limit, next <= limit else { return "\(next)" }
    return "\(next)\(signs)\(limit)"
  }

  package var isRetrying: Bool { if case .retrying = self { true } else { false } }
  package var isPreparing: Bool { if case .preparing = self { true } else { false } }
  package var isMoving: Bool { if case .sending = self { true } else { false } }
  package var isProcessed: Bool { if case .processing = self { true } else { false } }

  /// What the server said when it took the file; nil if it has not.
  package var receipt: Receipt? { if case .done(let receipt) = self { receipt } else { nil } }

  /// What happens to the local file now that it has arrived; nil if it stays.
  package var disposal: Disposal? {
    if case .done(let receipt) = self { receipt.disposal } else { nil }
  }

  /// Whether `other` is what a rule or a person has made of this end: a failure of a success that says no, or an arrival
  /// of what was unclear.
  package func isJudgedAnew(as other: ItemState) -> Bool {
    isDone && other.isFailed || isFailed && other.receipt?.isConfirmed == true
  }

  /// Whether the file was sent, but somebody has to look at it (`Receipt.isDoubtful`).
  package var isDoubtful: Bool { receipt?.isDoubtful == true }

  /// Whether the file was sent and nobody has to look at it, so that it may leave the queue unasked.
  package var isSettled: Bool { isDone && !isDoubtful }

  /// Whether the server has the whole file, but has not said yet what became of it.
  package var isHandedOver: Bool { if case .awaitingReply = self { true } else { isProcessed } }

  /// Whether the item occupies a lane: a connection is, or is about to be, in use for it.
  package var takesLane: Bool { isActive && !isProcessed }

  /// Whether the item is under way: it is being sent, or the server has not finished with it.
  package var isActive: Bool {
    switch self {
    case .preparing, .sending, .awaitingReply, .processing: true
    case .waiting, .retrying, .paused, .done, .failed: false
    }
  }

  /// The number of the attempt under way, or of the one that succeeded.
  package var attempt: Int? {
    switch self {
    case .preparing(let attempt), .sending(let attempt, _, _), .awaitingReply(let attempt, _):
      attempt
    case .processing(let processing): processing.receipt.attempts
    case .done(let receipt): receipt.attempts
    case .waiting, .retrying, .paused, .failed: nil
    }
  }

  /// The failure that the item shows, if any.
  package var failure: Failure? {
    switch self {
    case .failed(let failure), .retrying(let failure, _, _, _): failure
    case .waiting, .preparing, .sending, .awaitingReply, .processing, .paused, .done: nil
    }
  }
}
