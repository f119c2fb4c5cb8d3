import UploadModel

/// The events of the screen. Nothing else changes its state.
package enum AppEvent: Sendable {
  /// A key was pressed.
  case key(Key)
  /// Something was done with the mouse.
  case mouse(Mouse)
  /// Whether the window has the focus now.
  case focus(Bool)
  /// An action was requested in a way other than by a key.
  case perform(Action.Name)
  /// A line of the command line, such as `limit 2 MB/s`.
  case command(String)
  /// Text was pasted or dragged into the terminal (bracketed paste).
  case paste(String)
  /// The terminal has this size now.
  case resized(Size)
  /// State changes reported by the engine, in order. Several changes of one item can be merged into the last
  /// one. Items that are no longer in the queue are ignored.
  case engine([(ItemID, ItemState)], at: Instant)
  /// The progress of items when this screen joins another process that is sending them. What was sent by then does not
  /// count towards the speed.
  case joined([(ItemID, ItemState)], at: Instant)
  /// Items to append to the queue, including the answers to `Effect.add`. Items that cannot be uploaded have
  /// failed, so that the reason is shown. An item that is already in the queue is replaced in place.
  case added([UploadItem])
  /// Items that another process has removed from the queue.
  case removed([ItemID])
  /// What is done can be dropped from memory. The user has not asked for that and cannot undo it.
  case forgetDone
  /// The new order of these items. Items that are not named keep their distance from the end.
  case reordered([ItemID])
  /// The answer to `Effect.listFolder`.
  case folder(Folder)
  /// The answer to `Effect.switchTarget`: files that are added from now on go there. `usual` is the target that the
  /// configuration names for every start.
  case target(
    name: String, url: String, concurrency: Int, listsServer: Bool, usual: String? = nil)
  /// The answer to `Effect.readTargets`: the targets of the configuration and their URLs, without secrets.
  case targets([String], urls: [String: String])
  /// The same with more about each, for their pane.
  case targetRows([TargetRow])
  /// The answer to `Effect.tryTarget`: why it does not seem to take uploads; nil if it may take them.
  case tried(target: String, obstacle: String?)
  /// A target is no longer in the configuration, and can be brought back.
  case targetDeleted(String)
  /// A text to read.
  case page(title: String, lines: [String])
  /// The addresses of targets of items in the queue, by name.
  case urls([String: String])
  /// The answer to `Effect.listServer`, also after something was deleted.
  case server(Listing<ServerEntry>)
  /// The answer to `Effect.listHistory`.
  case history(Listing<HistoryRow>)
  /// The answer to `Effect.inspect`: the request as it is sent, line by line, without secrets.
  case request(ItemID, [String])
  case reachability(server: String, Reachability)
  /// The server refuses the credentials of a target, so that its items wait; or they are tried again.
  case refusal(target: String, isRefused: Bool)
  /// The answer to `Effect.complete`: complete texts for the prompt, in the order in which to offer
  /// them; folders end in a slash.
  case completions(for: String, [String])
  /// The answer to `Effect.previewFile`.
  case filePreview(FilePreview.Request, FilePreview)
  /// The answer to `Effect.previewLine`, for the text that it was asked for.
  case linePreview(for: String, AddPreview)
  /// These files were left out. The user may still want them.
  case leftOut(LeftOut)
  /// The answer to `Effect.setUp` if the user's answers are refused: why, and which is at fault.
  ///
  /// `isGoodEnough` says that they can be accepted if the user insists.
  case setupRefused(String, at: TargetAnswers.Part = .url, isGoodEnough: Bool)
  /// The target that was edited is in the configuration as it was asked for.
  case targetChanged
  /// The user has stopped or resumed the queue in an earlier or another session.
  case stopped(Bool)
  /// Nothing further starts until the user resumes, for this reason.
  case held(String)
  /// Where an item can resume, once an attempt at it knows; nil if it has to start over.
  case resumePoint(ItemID, ResumePoint?)
  /// The queue has been read to its end.
  case queueRead
  /// The screen is to be left once nothing is left to send.
  case leaveWhenDone
  /// Whether another process is sending the queue.
  case aside(Bool)
  /// Settings for all uploads, made in an earlier session or in another one: the limit in bytes per second,
  /// whether further files start, and how many are sent at once to each target, keyed by its name.
  case settings(limit: Int64?, isStarted: Bool, lanes: [String: Int])
  /// A message, shown until the next key.
  case message(String)
  /// A line that stays, such as where received files are stored; `nil` removes it.
  case notice(String?)
  /// Time has passed. Needed only while `AppState.needsTicks`.
  case tick(Instant)
  /// The program is on the screen again after having been stopped.
  case resumed
  /// The system asks the program to end (SIGTERM, SIGINT).
  case terminate
  /// The terminal is gone, or is about to go (SIGHUP).
  case hangUp
}
