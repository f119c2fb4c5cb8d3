import Scheduling
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
  /// Something has happened to the queue, including the answers to `Effect.add`.
  case queue(QueueNews)
  /// The answer to `Effect.listFolder`.
  case folder(Folder)
  /// The answer to `Effect.switchTarget`: files that are added from now on go there. `usual` is the default target.
  case target(
    name: String, url: String, concurrency: Concurrency, listsServer: Bool, usual: String? = nil)
  /// The answer to `Effect.readTargets`: the targets of the configuration.
  case targets([TargetRow])
  /// The answer to `Effect.tryTarget`: why the target does not seem to take uploads; nil if it may take them.
  case tried(target: String, obstacle: String?)
  /// The answer to `Effect.tryTarget` if the target answers, but that says nothing about its credentials, which were
  /// refused before; `isUnchanged` says whether they are known to be the same.
  case untested(target: String, isUnchanged: Bool)
  /// The answer to `Effect.draftRule`.
  case ruleDrafted(RuleDraft)
  /// A target is no longer in the configuration, and can be brought back.
  case targetDeleted(String)
  /// A text to read.
  case page(title: String, lines: [String])
  /// The answer to `Effect.listServer`, and to a deletion.
  case server(Listing<ServerEntry>)
  /// The answer to `Effect.listHistory`. `total` is how many files the history has, if they were counted; `isCut` says
  /// whether more files match than are listed; `counts` is how many files the words of the filter find, if asked for.
  case history(
    Listing<HistoryRow>, total: Int? = nil, isCut: Bool = false, counts: [String: Int]? = nil)
  /// The answer to `Effect.inspect`: the request as it is sent, line by line, without secrets.
  case request(ItemID, [String])
  /// The answer to `Effect.readAttempts` and `Effect.inspect`, in the order of the attempts.
  case attempts(ItemID, [ItemList.Attempt])
  /// The answer to `Effect.complete`: whole texts for the prompt, in the order to offer them; folders end in a slash.
  case completions(for: String, [String])
  /// The answer to `Effect.previewFile`.
  case filePreview(FilePreview.Request, FilePreview)
  /// The answer to `Effect.previewLine`, for the text that it was asked for.
  case linePreview(for: String, AddPreview)
  /// These files were not added. The user may still want them.
  case leftOut(LeftOut)
  /// The answer to `Effect.lookForEdited`: the edited items, and those that their targets have already, or may have.
  case editedFound([UploadItem], LeftOut)
  /// The answer to `Effect.lookForEdited` if no file can be sent from the new path: why not.
  case pathRefused(String)
  /// The answer to `Effect.setUp` if the user's answers are refused: why, and which answer is at fault. `isGoodEnough`
  /// says that the answers can be accepted if the user insists.
  case setupRefused(String, at: TargetAnswers.Part = .url, isGoodEnough: Bool)
  /// The edited target has been written into the configuration.
  case targetChanged
  /// The program should quit once nothing is left to send.
  case leaveWhenDone
  /// A message to show for a few seconds, and to log.
  case message(String)
  /// How far something has come, to show for a few seconds, and not to log.
  case progress(String)
  /// Time has passed. Needed only while `AppState.needsTicks`.
  case tick(Instant)
  /// The program was stopped and has the terminal again.
  case resumed
  /// The system asks the program to end (SIGTERM, SIGINT).
  case terminate
  /// The terminal is gone, or is about to go (SIGHUP).
  case hangUp
}
