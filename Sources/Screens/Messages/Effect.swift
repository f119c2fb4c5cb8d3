import UploadModel

/// What the screen wants done. The composition root does it and answers with events.
public enum Effect: Sendable, Equatable {
  /// Queue what these texts name; answered by `AppEvent.added` or `AppEvent.message`.
  case add([PathInput])
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
  case restore([QueuePosition])
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
  case quit(QuitMode)
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
