/// What the engine gives its owner to write at the end of a turn, in this order.
package struct QueueTurn: Sendable {
  /// Items that were claimed but did not begin, so that they wait as if they had not been claimed.
  package var released: [ItemID]
  /// Where items can resume; nil if they must start over.
  package var points: [(ItemID, ResumePoint?)]
  package var changes: [(ItemID, ItemState)]
  /// Why items wait again whose attempts do not count, in a few words; for the history.
  package var withdrawals: [ItemID: String] = [:]
  /// Items that are claimed because they are about to be sent.
  package var claims: [ItemID]
  /// Whether nothing more is sent after this turn, unless something happens: somebody may wait for its changes.
  package var isLast = false
  /// What has been sent so far, if files have arrived in this turn. Told together with their states: if this process is
  /// killed, the next one goes on from there.
  package var figures: SendingFigures?
  /// What servers have asked for. A wait that is over ends the one before it.
  package var waits: [ServerWait] = []

  package init(
    released: [ItemID] = [], points: [(ItemID, ResumePoint?)] = [],
    changes: [(ItemID, ItemState)] = [], claims: [ItemID] = []
  ) {
    (self.released, self.points) = (released, points)
    (self.changes, self.claims) = (changes, claims)
  }

  /// Whether the turn only tells how far uploads have come, which is not written.
  package var isOnlyProgress: Bool {
    released.isEmpty && points.isEmpty && claims.isEmpty && waits.isEmpty
      && !changes.contains { $0.1.isWrittenDown }
  }
}

extension ItemState {
  /// Whether the queue stores the state. It does not store progress.
  package var isWrittenDown: Bool { !isPreparing && !isMoving }
}
