import UploadModel

/// What happens to a queue. Whatever shows or records the queue is told of it in this form, and only in this form.
package enum QueueNews: Sendable {
  /// Items of the queue, in its order. One that is known already is replaced in place. Items that cannot be sent come
  /// as failed, so that the reason is shown.
  case added([UploadItem])
  /// Another process has removed these items.
  case removed([ItemID])
  /// The new order of these items, which exchange places among themselves. All other items stay where they are.
  case reordered([ItemID])
  /// New states, in order. Several changes of one item can be merged into the last one. Items that are no longer in the
  /// queue are ignored.
  case changed([(ItemID, ItemState)], at: Instant)
  /// How far items are when this process joins another one that is sending them. Bytes that were sent before do not
  /// count towards the speed.
  case joined([(ItemID, ItemState)], at: Instant)
  /// Where an item can resume, once an attempt has found out; nil if it must start over.
  case resumePoint(ItemID, ResumePoint?)
  /// A file has grown while it was sent, and is sent again from its beginning.
  case grew(UploadItem)
  /// These items were to be paused, but are left to finish, since the server may have them.
  case spared([UploadItem])
  /// Another process has resumed an item at this byte.
  case resumed(ItemID, at: Int64)
  /// How fast the sender sends, as it had measured before this process joined it.
  case speeds(Speeds)
  /// What the sender has sent so far, and how long that took. Comes before the changes that it is about.
  case figures(SendingFigures)
  /// How many requests a target now gets at once, if hoist finds that number, and why there are fewer than before, if
  /// that is for what its server answered.
  case lanes(Int, target: String, fall: LaneFall? = nil)
  /// Whether a server can be reached.
  case reachability(server: String, Reachability)
  /// Why the items of a target wait for credentials; nil if the credentials are tried again.
  case refusal(target: String, CredentialTrouble?)
  /// When the next file of a target can begin, if its server takes no more requests before; nil if nothing has to wait
  /// for that any longer.
  case pace(target: String, until: Instant?)
  /// There is news of a target's run: of the requests before the first file and after the last.
  case run(target: String, RunNews)
  /// The addresses of the targets of the items, by the targets' names.
  case urls([String: String])
  /// The queue has been read to its end. Until then, more items may come.
  case read(hasHistory: Bool)
  /// Whether another process is sending the queue.
  case aside(Bool)
  /// How many other processes look on, one of which would send the queue as soon as this one left. Only the sender
  /// knows.
  case successors(Int)
  /// The settings for everything that is sent.
  case settings(SenderSettings)
  /// Whether the user has stopped the queue, in an earlier session or in another one; false if the user has resumed it.
  case stopped(Bool)
  /// For this reason, nothing further starts until the user resumes the queue.
  case held(String)
  /// Something to tell the user once.
  case message(String)
  /// A line about the whole session, such as which process sends the queue; `nil` if it no longer holds. A warning says
  /// why nothing moves.
  case notice(String?, isWarning: Bool = false)
}
