/// The files of a target whose time goes to the same thing: that of small files to requests, that of others to bytes.
/// How fast one of the groups goes says little about the other.
package struct WorkGroup: Hashable, Sendable, Codable {
  /// The most bytes of a small file.
  private static let largestSmall = 4 * Workload.ofRequest

  package var target: String
  package var isOfSmallFiles: Bool

  package init(_ item: UploadItem) {
    (target, isOfSmallFiles) = (item.target, item.sentSize <= Self.largestSmall)
  }

  /// The other group of the same target.
  package var other: WorkGroup {
    var other = self
    other.isOfSmallFiles.toggle()
    return other
  }

  /// The part of the work that takes this group's time.
  package func work(of load: Workload) -> Int64 { isOfSmallFiles ? load.work : load.bytes }

  /// Work that is left in a group.
  package struct Left: Hashable, Sendable {
    /// What will still be done without user action.
    package var all: Int64 = 0
    /// The part of it in files that are under way. A stopped queue does only this.
    package var underWay: Int64 = 0
  }
}
