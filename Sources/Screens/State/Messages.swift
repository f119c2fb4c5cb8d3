import UploadModel

/// Everything that can happen to the screen. Nothing else changes its state.
public enum AppEvent: Sendable {
  /// A key was pressed.
  case key(Key)
  /// Something was done with the mouse.
  case mouse(Mouse)
  /// Something was asked for otherwise than with a key.
  case perform(Action.Name)
  /// A line of the command line, such as `limit 2 MB/s`.
  case command(String)
  /// Text was pasted or dragged into the terminal (bracketed paste).
  case paste(String)
  /// The terminal has this size now.
  case resized(Size)
  /// What the engine says has become of items, in order. Several changes of one item may be merged
  /// into the last one; items that are no longer in the queue are ignored.
  case engine([(ItemID, ItemState)], at: Moment)
  /// Items to put at the end of the queue, among them the answers to `Effect.add`. Items that can
  /// not be uploaded come as failed ones, so that the reason is seen. One that is in the queue
  /// already is replaced where it stands.
  case added([UploadItem])
  /// Items that are no longer in the queue: another process took them out.
  case removed([ItemID])
  /// The order in which these items stand now; what is not named keeps its distance from the end.
  case reordered([ItemID])
  /// The answer to `Effect.listFolder`.
  case folder(Folder)
  /// The answer to `Effect.switchTarget`: files that are added from now on go there.
  case target(name: String, url: String, concurrency: Int, listsServer: Bool)
  /// Where the files of targets go that are in the queue, by the targets' names.
  case urls([String: String])
  /// The answer to `Effect.listServer`, also after something was deleted.
  case server(Listing<ServerRow>)
  /// The answer to `Effect.listHistory`.
  case history(Listing<HistoryRow>)
  /// The answer to `Effect.inspect`: the request as it is sent, line by line, without secrets.
  case request(ItemID, [String])
  /// What is known of a server that could not be reached.
  case reachability(server: String, Reachability)
  /// The server refuses the credentials of a target, and what goes there waits; or they are tried again.
  case refusal(target: String, isRefused: Bool)
  /// The answer to `Effect.complete`: whole texts that could stand in the prompt, in the order in
  /// which they shall be offered; folders end in a slash.
  case completions(for: String, [String])
  /// Nothing further begins, for this reason, until the person says so.
  case held(String)
  /// The queue has been read to its end.
  case queueRead
  /// Another process sends what is in the queue; or it has gone.
  case aside(Bool)
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
  /// Put items back that had been dropped, one after the other. Those that are not finished are to
  /// be sent unless they are paused.
  case restore([Placement])
  /// The item now stands before the one named, or last. Others that wait are sent in that order.
  case move(ItemID, before: ItemID?)
  /// This is the order of the whole queue now.
  case reorder([ItemID])
  /// These items have been edited: how they shall be sent, not what has become of them.
  case edit([UploadItem])
  /// Let further files begin, or not. Those under way go on.
  case setStarted(Bool)
  /// Send so many files at once to the target of this name from now on.
  case setConcurrency(Int, target: String)
  /// Bound what is sent in all, in bytes a second; `nil` for no bound.
  case setLimit(Int64?)
  /// Leave. The terminal is to be restored first.
  case quit(Leaving)
  /// Say what lies in the folder with this path, or where the program was started; answered by
  /// `AppEvent.folder`.
  case listFolder([UInt8]?)
  /// Let files that are added from now on go to the target of this name; answered by
  /// `AppEvent.target` or `AppEvent.message`.
  case switchTarget(String)
  /// Say what is on the server; answered by `AppEvent.server`.
  case listServer
  /// Delete files on the server; answered by `AppEvent.server`, after an `AppEvent.message` where
  /// that was refused.
  case deleteOnServer([ServerRow])
  /// Say what was sent, in this session and before; answered by `AppEvent.history`.
  case listHistory
  /// Say with which request an item is sent; answered by `AppEvent.request`.
  case inspect(ItemID)
  /// Try servers that cannot be reached at once.
  case probe
  /// Put this text where the terminal's user pastes from.
  case copy(String)
  /// Put the curl command that sends this item into the clipboard.
  case copyAsCurl(ItemID)
  /// Tell a person who is looking elsewhere.
  case notify(String)
  /// Catch the person's ear.
  case bell
  /// Paint everything again, whatever the terminal shows.
  case redraw
  /// Hand the terminal back and stop, as `^z` does.
  case suspend
}

/// An item and its place in the queue.
public struct Placement: Sendable, Hashable {
  /// The item as it was.
  public var item: UploadItem
  /// The item that it stands before; `nil` for the end of the queue.
  public var before: ItemID?

  /// `item` before `before`.
  public init(item: UploadItem, before: ItemID?) {
    self.item = item
    self.before = before
  }
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
  /// Chosen from a list: exactly this file, byte for byte.
  case bytes([UInt8])
}

/// Something that was done with the mouse; rows and columns are counted from 0.
public struct Mouse: Sendable, Hashable {
  /// What was done.
  public enum Kind: Sendable, Hashable {
    case click, wheelUp, wheelDown
  }

  /// What was done.
  public var kind: Kind
  /// Where, counted from the top.
  public var row: Int
  /// Where, counted from the left.
  public var column: Int

  /// `kind` at a place.
  public init(_ kind: Kind, row: Int, column: Int) {
    self.kind = kind
    self.row = row
    self.column = column
  }
}
