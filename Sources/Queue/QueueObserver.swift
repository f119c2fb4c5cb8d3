import Scheduling
import UploadModel

/// Receives what happens to a queue: a screen, lines, a log.
@MainActor
package protocol QueueObserver: AnyObject {
  /// News in the order in which it happened. What comes together happened together.
  func receive(_ news: [QueueNews])
}

/// The observer that holds a queue's items, and changes them as the news says, before any other observer of this
/// process receives it.
///
/// The items lie there, and not with the conductor, because a person's edit has to show at once, together with the
/// cursor and the marks; and only there, because two lists of 200,000 items would take twice the memory.
@MainActor
package protocol QueueHolder: QueueObserver {
  var items: ItemList { get }
  /// How fast they move, as measured from the news.
  var speeds: Speeds { get }
}
