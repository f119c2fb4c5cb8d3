import UploadModel

/// Everything that can happen to the screen. Nothing else changes its state.
public enum AppEvent: Sendable {
  /// A key was pressed.
  case key(Key)
  /// Text was pasted or dragged into the terminal (bracketed paste).
  case paste(String)
  /// The terminal has this size now.
  case resized(Size)
  /// What the engine says has become of items, in order. Several changes of one item may be merged
  /// into the last one; items that are no longer in the queue are ignored.
  case engine([(ItemID, ItemState)], at: Moment)
  /// Items to put at the end of the queue, among them the answers to `Effect.add`. Items that can
  /// not be uploaded come as failed ones, so that the reason is seen.
  case added([UploadItem])
  /// The answer to `Effect.complete`: whole texts that could stand in the prompt, in the order in
  /// which they shall be offered; folders end in a slash.
  case completions(for: String, [String])
  /// Something to tell the person, shown until the next key.
  case message(String)
  /// A line that stays, such as where received files lie; `nil` takes it away.
  case notice(String?)
  /// Time has passed. Needed only while `AppState.needsTicks`.
  case tick(Moment)
  /// The program is on the screen again after having been stopped.
  case resumed
  /// The system asks the program to end (SIGTERM, SIGHUP, SIGINT).
  case terminate
}

/// What the screen wants done. The composition root does it and answers with events.
public enum Effect: Sendable, Equatable {
  /// Queue what these texts name; answered by `AppEvent.added` or `AppEvent.message`.
  case add([PathText])
  /// Offer completions of a path as far as it is typed; answered by `AppEvent.completions`.
  case complete(String)
  /// Send these failed items again, or those that wait for a retry now.
  case retry([ItemID])
  /// Take these out of the line; break them off where they are being sent.
  case pause([ItemID])
  /// Put these paused items back into the line.
  case resume([ItemID])
  /// Drop these items, which are no longer shown; break them off where they are being sent.
  case remove([ItemID])
  /// The item now stands before the one named, or last: the order in which waiting items are sent.
  case move(ItemID, before: ItemID?)
  /// Let further files begin, or not. Those under way go on.
  case setStarted(Bool)
  /// Send so many files at once from now on.
  case setLanes(Int)
  /// Bound what is sent in all, in bytes a second; `nil` for no bound.
  case setLimit(Int64?)
  /// Leave. The terminal is to be restored first.
  case quit(Leaving)
  /// Catch the person's ear.
  case bell
  /// Paint everything again, whatever the terminal shows.
  case redraw
  /// Hand the terminal back and stop, as `^z` does.
  case suspend
}

/// How to leave.
public enum Leaving: Sendable, Equatable {
  /// Nothing is being sent.
  case idle
  /// Break off what is being sent, in order, then leave.
  case stopping
  /// Leave at once: the person asked twice.
  case forced
}

/// A path as a person gave it.
public enum PathText: Sendable, Equatable {
  /// Typed: a leading `~` and the wildcards `*`, `?`, `[…]` are to be expanded where no file has
  /// exactly this name.
  case typed(String)
  /// Pasted or quoted: exactly this file.
  case exact(String)
}
