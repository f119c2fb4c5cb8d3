import UploadModel

/// Files that were to be added and were left out, unless the person wants them again.
public struct LeftOut: Hashable, Sendable {
  /// They wait in the queue already.
  public var waiting: [UploadItem]
  /// They were sent to their target before.
  public var sent: [UploadItem]
  /// They may have arrived there before.
  public var doubtful: [UploadItem]

  /// Files that were left out for one of three reasons.
  public init(
    waiting: [UploadItem] = [], sent: [UploadItem] = [], doubtful: [UploadItem] = []
  ) {
    (self.waiting, self.sent, self.doubtful) = (waiting, sent, doubtful)
  }

  /// All of them.
  public var items: [UploadItem] { waiting + sent + doubtful }
}
