import Foundation
import GRDB
import UploadModel

/// The changes of a queue since a revision.
public struct QueueChanges: Sendable {
  /// The revision to ask from next time.
  public var revision: Int64
  /// Items that are new or have changed, in the order of the queue.
  public var items: [UploadItem] = []
  /// Items that have left the queue.
  public var removed: [ItemID] = []
  /// All items in their order, if it has changed.
  public var order: [ItemID]?
  /// Whether the user has stopped the queue; nil if nobody else has written.
  public var isStopped: Bool?
}
