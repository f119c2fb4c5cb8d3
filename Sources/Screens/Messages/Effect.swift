import Scheduling
import UploadModel

/// A side effect that the screen requests. The composition root performs it and answers with events.
package enum Effect: Sendable, Equatable {
  /// Queue the files at these paths for the chosen target. Answered by `AppEvent.added`, `AppEvent.leftOut` or
  /// `AppEvent.message`.
  case add([PathInput])
  /// Queue files that were left out.
  case addAgain([UploadItem])
  /// Queue files of the history again. Answered by `AppEvent.added` and, for those that cannot be sent as they were,
  /// `AppEvent.message`.
  case sendAgain([ItemRecord])
  /// Say what this line would add; answered by `AppEvent.linePreview`.
  case previewLine(String)
  /// Preview this file instead of the previous one; `nil` for no file. Answered by `AppEvent.filePreview`.
  case previewFile(FilePreview.Request?)
  /// Write a new target into the configuration. It is tried first, unless it is good enough as it is. Files that are
  /// added from now on go there, unless it is for an edit. Answered by `AppEvent.setupRefused`, or by
  /// `AppEvent.targets` and, if files go there, `AppEvent.target`; on the first start, success ends the setup instead.
  case setUp(TargetAnswers, isGoodEnough: Bool, isForEdit: Bool = false)
  /// Forget the target that is being tried.
  case stopSetUp
  /// Offer completions of a partly typed path; answered by `AppEvent.completions`.
  case complete(String)
  /// Send these failed items again; send those that wait for a retry at once.
  case retry([ItemID])
  /// Count these failed items, which may have arrived, as sent.
  case confirm([ItemID])
  /// Take back that these items have arrived: they may have, as the failures in these states say.
  case unconfirm([UploadItem])
  /// Pause these items; cancel those that are being sent.
  case pause([ItemID])
  /// Put these paused items back in line.
  case resume([ItemID])
  /// Remove these items, which are no longer shown; cancel those that are being sent. Servers have kept parts of the
  /// items in `begun`.
  case remove([ItemID], begun: [UploadItem] = [])
  /// Restore removed items, one after the other. Those that are not finished are sent unless they are paused.
  case restore([QueuePosition])
  /// Move the item before the other one, or to the end. Waiting items are sent in the new order.
  case move(ItemID, before: ItemID?)
  /// Put the whole queue in this order.
  case reorder([ItemID])
  /// Find out which of these edited items, which are not stored yet, their new targets have already; answered by
  /// `AppEvent.editedFound` or `AppEvent.pathRefused`.
  case lookForEdited([UploadItem])
  /// Store how these items are sent, which the user has edited. Their states stay as they are.
  case edit([UploadItem])
  /// Start further files, or start no more. The next session keeps this setting. Files under way continue.
  case setStarted(Bool)
  case setConcurrency(Concurrency, target: String)
  /// Set the total bandwidth limit, in bytes a second; `nil` for none.
  case setLimit(Int64?)
  /// Leave. The terminal must be restored first.
  case quit(QuitMode)
  /// List this folder, or the one where the program was started; answered by `AppEvent.folder`.
  case listFolder([UInt8]?)
  /// Send files that are added from now on to the target of this name; answered by `AppEvent.target` or
  /// `AppEvent.message`.
  case switchTarget(String)
  /// Read the targets of the configuration again; answered by `AppEvent.targets`.
  case readTargets
  /// Show all settings of the target of this name; answered by `AppEvent.page`.
  case showTarget(String)
  /// Read the secrets of the target of this name again, try whether it responds and accepts them, and send the items
  /// that wait for that; answered by `AppEvent.tried`.
  case tryTarget(String)
  /// Write the changes to a target into the configuration, and its new token, if there is one, where it is kept. They
  /// are tried first, unless they are good enough as they are. Answered by `AppEvent.targetChanged` or
  /// `AppEvent.setupRefused`.
  case changeTarget(TargetRow, to: TargetRow, token: String = "", isGoodEnough: Bool)
  /// Make the target of this name the default, or remove it from the configuration; answered as `readTargets` is, or by
  /// `AppEvent.message`.
  case makeDefault(String), deleteTarget(String)
  /// Bring back the target that was deleted last; answered as `readTargets` is, and by `AppEvent.message`.
  case restoreTarget
  /// Make a rule of this doubtful item's reply; answered by `AppEvent.ruleDrafted` or `AppEvent.message`.
  case draftRule(ItemID)
  /// Write the rule into the configuration, and judge the replies of its target's doubtful items by it; answered by
  /// `AppEvent.message`.
  case saveRule(RuleDraft)
  /// List the files on the server; answered by `AppEvent.server`.
  case listServer
  /// Delete files on the server; answered by `AppEvent.server`, after an `AppEvent.message` if the deletion was
  /// refused.
  case deleteOnServer([ServerEntry])
  /// Request the addresses that delete these files; answered by `AppEvent.message` for each.
  case deleteUploaded([UploadedFile])
  /// List the files sent in this session and before; answered by `AppEvent.history`.
  case listHistory(HistoryRequest)
  /// Show the request of an item, and all attempts at it; answered by `AppEvent.request` and `AppEvent.attempts`.
  case inspect(ItemID)
  /// Read what the history says of the attempts at an item; answered by `AppEvent.attempts`.
  case readAttempts(ItemID)
  /// Try unreachable servers at once.
  case probe
  /// Write the paths of each target's files, byte for byte, into a new file, one on each line; answered by
  /// `AppEvent.message`.
  case writeLists([FailedPaths])
  /// Copy this text to the clipboard.
  case copy(String)
  case openURL(String)
  /// Copy the curl command that sends this item.
  case copyAsCurl(ItemID)
  /// Have the terminal show a notification.
  case notify(String)
  /// Show a notification on the desktop without the terminal's help.
  case notifyDesktop(String)
  case runEndCommand(Totals)
  case bell
  case redraw
  /// Hand the terminal back and stop, as `^z` does.
  case suspend
}

/// The paths of files that have failed, each once.
package struct FailedPaths: Sendable, Hashable {
  /// The name of the target that they were for.
  package var target: String
  package var paths: [[UInt8]]
}

/// A path as the user gave it.
package enum PathInput: Sendable, Equatable {
  /// Typed. If no file has exactly this name, it is expanded to one or more paths as in a shell: quotes, a leading
  /// `~`, braces and the wildcards `*`, `?`, `[…]` have their usual meanings.
  case typed(String)
  /// Pasted or quoted: exactly this file.
  case exact(String)
  /// Chosen from a list: exactly this file, byte for byte.
  case bytes([UInt8])
}

package enum QuitMode: Sendable, Equatable {
  /// Leave; this process is sending nothing.
  case idle
  /// Break off the uploads under way cleanly, then leave.
  case stopping
  /// Break off the uploads under way cleanly, and let another process continue with the queue.
  case background
  /// Leave at once: the user asked twice.
  case forced
}

/// An uploaded file, and the address that deletes it on the server.
package struct UploadedFile: Hashable, Sendable {
  /// The name that was sent to the server.
  package var name: String
  /// The name of the target that it went to.
  package var target: String
  /// The address that deletes it when it is opened.
  package var deletionURL: String
}
