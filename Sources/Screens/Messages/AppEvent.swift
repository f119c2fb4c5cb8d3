import UploadModel

/// The events that the screen handles. Nothing else changes its state.
package enum AppEvent: Sendable {
  case key(Key)
  case mouse(Mouse)
  /// The window has gained the focus, or lost it.
  case focus(Bool)
  /// An action was requested in a way other than by a key.
  case perform(Action.Name)
  /// A line of the command line, such as `limit 2 MB/s`.
  case command(String)
  /// Text was pasted or dragged into the terminal (bracketed paste).
  case paste(String)
  case resized(Size)
  /// State changes reported by the engine, in order. Several changes of one item can be merged into the last one. Items
  /// that are no longer in the queue are ignored.
  case engine([(ItemID, ItemState)], at: Instant)
  /// What the sender has sent, and how long that took. Comes before the state changes that ended the sending.
  case figures(SendingFigures)
  /// The progress of items when this screen joins another process that is sending them. Bytes that were sent before do
  /// not count towards the speed.
  case joined([(ItemID, ItemState)], at: Instant)
  /// Items to append to the queue, including the answers to `Effect.add`. Items that cannot be uploaded come as failed,
  /// so that the reason is shown. An item that is already in the queue is replaced in place.
  case added([UploadItem])
  /// Items that another process has removed from the queue.
  case removed([ItemID])
  /// Items that are done can be dropped from memory. The user has not asked for this and cannot undo it.
  case forgetDone
  /// The new order of these items, which exchange places among themselves. All other items stay where they are.
  case reordered([ItemID])
  /// The answer to `Effect.listFolder`.
  case folder(Folder)
  /// The answer to `Effect.switchTarget`: files that are added from now on go there. `usual` is the default target.
  case target(name: String, url: String, concurrency: Int, listsServer: Bool, usual: String? = nil)
  /// The answer to `Effect.readTargets`: the targets of the configuration.
  case targets([TargetRow])
  /// The answer to `Effect.tryTarget`: why the target does not seem to take uploads; nil if it may take them.
  case tried(target: String, obstacle: String?)
  /// The answer to `Effect.draftRule`.
  case ruleDrafted(RuleDraft)
  /// A target is no longer in the configuration, and can be brought back.
  case targetDeleted(String)
  /// A text to read.
  case page(title: String, lines: [String])
  /// The addresses of the targets of the items in the queue, by the targets' names.
  case urls([String: String])
  /// The answer to `Effect.listServer`, and to a deletion.
  case server(Listing<ServerEntry>)
  /// The answer to `Effect.listHistory`.
  case history(Listing<HistoryRow>)
  /// The answer to `Effect.inspect`: the request as it is sent, line by line, without secrets.
  case request(ItemID, [String])
  case reachability(server: String, Reachability)
  /// Why the items of a target wait for credentials; nil if the credentials are tried again.
  case refusal(target: String, CredentialTrouble?)
  /// The answer to `Effect.complete`: whole texts for the prompt, in the order to offer them; folders end in a slash.
  case completions(for: String, [String])
  /// The answer to `Effect.previewFile`.
  case filePreview(FilePreview.Request, FilePreview)
  /// The answer to `Effect.previewLine`, for the text that it was asked for.
  case linePreview(for: String, AddPreview)
  /// These files were not added. The user may still want them.
  case leftOut(LeftOut)
  /// The answer to `Effect.setUp` if the user's answers are refused: why, and which answer is at fault. `isGoodEnough`
  /// says that the answers can be accepted if the user insists.
  case setupRefused(String, at: TargetAnswers.Part = .url, isGoodEnough: Bool)
  /// The edited target has been written into the configuration.
  case targetChanged
  /// Whether the user has stopped the queue, in an earlier session or in another one; false if the user has resumed it.
  case stopped(Bool)
  /// For this reason, nothing further starts until the user resumes the queue.
  case held(String)
  /// Where an item can resume, once an attempt has found out; nil if it must start over.
  case resumePoint(ItemID, ResumePoint?)
  /// The queue has been read to its end.
  case queueRead
  /// The program should quit once nothing is left to send.
  case leaveWhenDone
  /// Whether another process is sending the queue.
  case aside(Bool)
  /// Settings for all uploads, made in an earlier session or in another one.
  case settings(SenderSettings)
  /// A message, shown until the next key.
  case message(String)
  /// A line that stays on the screen, such as the place where received files are stored; `nil` removes it.
  case notice(String?)
  /// Time has passed. Needed only while `AppState.needsTicks`.
  case tick(Instant)
  /// The program was stopped and has the terminal again.
  case resumed
  /// The system asks the program to end (SIGTERM, SIGINT).
  case terminate
  /// The terminal is gone, or is about to go (SIGHUP).
  case hangUp
}
