import Foundation
import UploadModel

/// The result of an item, kept while the queue's own disk has no room for it.
package struct JournalEntry: Codable, Hashable, Sendable {
  /// The item.
  package var item: ItemID
  /// The key that distinguishes it from an item of another queue with the same number.
  package var uuid: UUID
  /// What became of it.
  package var state: ItemState
  /// When.
  package var date: Date
}
