import Foundation
import UploadModel

/// The result of an item, kept while the queue's own disk has no room for it.
public struct JournalEntry: Codable, Hashable, Sendable {
  /// The item.
  public var item: ItemID
  /// The key that distinguishes it from an item of another queue with the same number.
  public var uuid: UUID
  /// What became of it.
  public var state: ItemState
  /// When.
  public var date: Date
}
