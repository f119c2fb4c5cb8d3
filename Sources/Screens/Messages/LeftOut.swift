import UploadModel

/// Files that were left out when others were added. The user may want them added anyway.
package struct LeftOut: Hashable, Sendable {
  /// Files that already wait in the queue.
  package var waiting: [UploadItem]
  /// Files that were sent to their target before.
  package var sent: [UploadItem]
  /// Files that may have arrived at their target before.
  package var doubtful: [UploadItem]

  package init(waiting: [UploadItem] = [], sent: [UploadItem] = [], doubtful: [UploadItem] = []) {
    (self.waiting, self.sent, self.doubtful) = (waiting, sent, doubtful)
  }

  package var items: [UploadItem] { waiting + sent + doubtful }
}
