import Foundation
import GRDB
import MultipartForm
import UploadModel

extension UploadStore {
  /// When the files among these were sent that their targets have already: those with the same content, if an item has a
  /// digest; and those with the same path, identity, size and time of change, unless their digest was known
  /// and differs.
  ///
  /// - Parameters:
  ///   - target: where they go; each item's own unless said otherwise.
  ///   - place: where an item's file lies, named from the root.
  /// - Throws: `StoreError` if the queue cannot be read.
  public func sentBefore(
    _ items: [UploadItem], to target: String? = nil,
    at place: (UploadItem) -> FileLocation = \.location
  ) throws(StoreError) -> [ItemID: Date] {
    try read { db in
      let byIdentity = try db.cachedStatement(
        sql: """
          \(Self.deliveries) AND inode = ? AND path = ? AND target = ? AND device = ?
            AND modified = ? AND size = ? AND (? OR item.sum IS NULL) \(Self.latest)
          """)
      let bySum = try db.cachedStatement(
        sql: "\(Self.deliveries) AND sum = ? AND target = ? \(Self.latest)")
      var found: [ItemID: Date] = [:]
      for item in items {
        var moment: Double?
        if let sum = item.sum {
          moment = try Double.fetchOne(bySum, arguments: [Data(sum), target ?? item.target])
        }
        if moment == nil, let identity = item.identity {
          try byIdentity.set { values in
            values.add(Int64(bitPattern: identity.inode))
            values.add(place(item).bytes)
            values.add(target ?? item.target)
            values.add(Int64(bitPattern: identity.device))
            values.add(identity.modified)
            values.add(identity.size)
            values.add(item.sum == nil)
          }
          moment = try Double.fetchOne(byIdentity)
        }
        found[item.id] = moment.map { Date(timeIntervalSince1970: $0) }
      }
      return found
    }
  }

  private static let deliveries = """
    SELECT attempt.ended FROM item
    JOIN attempt ON attempt.item = item.id AND attempt.outcome = 'done'
    WHERE item.state = 'done'
    """

  /// The latest item, of which one attempt was good. Both indexes are in that order, so the search ends at the
  /// first row, however often a file was sent.
  private static let latest = "ORDER BY item.id DESC LIMIT 1"
}
