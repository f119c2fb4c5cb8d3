import Foundation
import UploadModel

/// One file and where it goes.
public struct UploadJob: Sendable {
  /// The file.
  public var item: UploadItem
  /// Its destination, in a box that it can share with other uploads.
  public private(set) var destination: Boxed<Target>

  /// Its destination.
  public var target: Target {
    _read { yield destination.value }
    _modify { yield &destination.value }
  }

  /// An upload of `item` to a target that it shares with other uploads.
  public init(item: UploadItem, destination: Boxed<Target>) {
    self.item = item
    self.destination = destination
  }

  /// An upload of `item` to `target`.
  public init(item: UploadItem, target: Target) {
    self.init(item: item, destination: Boxed(target))
  }
}
