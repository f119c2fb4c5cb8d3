import ScalarText
import Scheduling
import UploadModel

/// What the screen reads and edits of what is known of the queue.
extension AppState {
  package var queue: ItemList {
    _read { yield known.items }
    _modify { yield &known.items }
  }

  package var speeds: Speeds {
    _read { yield known.speeds }
    _modify { yield &known.speeds }
  }

  package var settings: SenderSettings {
    get { known.settings }
    set { known.settings = newValue }
  }

  var urls: [String: String] {
    _read { yield known.urls }
    _modify { yield &known.urls }
  }

  /// Whether the queue is still being read: more items may come, and it cannot be edited yet.
  package var isReading: Bool {
    get { known.isReading }
    set { known.isReading = newValue }
  }

  /// A line that stays on the screen, such as the place where received files are stored.
  var notice: String? {
    get { known.notice }
    set { known.notice = newValue }
  }

  /// Whether that line says why nothing moves.
  var isNoticeWarning: Bool { known.isNoticeWarning }

  /// The line that stays, but not which process sends the queue while there is nothing to send.
  var shownNotice: String? { isAside && !isReading && queue.totals.busy == 0 ? nil : notice }

  /// Whether another process sends the queue.
  package var isAside: Bool { known.isAside }
  /// How many other processes look on, one of which would send the queue as soon as this one left.
  var successors: Int { known.successors }
  /// What was sent until sending last ended or stood still.
  package var figures: SendingFigures { known.figures }
  /// How many requests at once hoist has found to be best, by target.
  var lanesFound: [String: Int] { known.lanesFound }
  /// Servers that cannot be reached, by their addresses.
  var outages: [String: Outage] { known.outages }
  /// Servers that have asked to wait, by their addresses. The waits may be over.
  var waits: [String: Outage] { known.waits }
  /// Why targets' files wait for credentials, by the targets' names.
  var refusals: [String: CredentialTrouble] { known.refusals }
  /// Bytes that will still be sent without user action. A stopped queue finishes only what is under way.
  var bytesToGo: Int64 {
    settings.isStarted ? queue.totals.bytesToGo : queue.totals.bytesUnderWay
  }
  /// Whether nothing is left to be sent.
  var isAtTheEnd: Bool { known.isAtTheEnd }

  /// How an item was to be sent when it failed, if it was edited since in such a way that the reason and the advice no
  /// longer apply. What cannot be read at its path cannot be sent under another name, either, and an address that has
  /// become a target with a name is the same place.
  func recordAtFailure(of row: ItemList.Row) -> ItemRecord? {
    guard let before = row.failedAs else { return nil }
    let now = row.item.record
    if row.item.state.failure?.cause.isOfThePath == true, before.location == now.location {
      return nil
    }
    var named = before
    named.target = now.target
    let isNamed =
      named == now && before.target.contains(scalars: "://")
      && url(ofTarget: now.target) == before.target
    return isNamed ? nil : before
  }
}
