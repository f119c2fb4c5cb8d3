import UploadModel

/// Files that were to be added and were left out, unless the person wants them again.
package struct LeftOut: Hashable, Sendable {
  /// They wait in the queue already.
  package var waiting: [UploadItem]
  /// They were sent to their target before.
  package var sent: [UploadItem]
  /// They may have arrived there before.
  package var doubtful: [UploadItem]

  /// Files that were left out for one of three reasons.
  package init(
    waiting: [UploadItem] = [], sent: [UploadItem] = [], doubtful: [UploadItem] = []
  ) {
    (self.waiting, self.sent, self.doubtful) = (waiting, sent, doubtful)
  }

  /// All of them.
  package var items: [UploadItem] { waiting + sent + doubtful }
}
