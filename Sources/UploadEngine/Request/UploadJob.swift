import Foundation
import MultipartForm
import UploadModel

/// One file and where it goes.
package struct UploadJob: Sendable {
  /// The file.
  package var item: UploadItem
  /// Its destination, in a box that it can share with other uploads.
  package private(set) var destination: Boxed<Target>

  /// Its destination.
  package var target: Target {
    _read { yield destination.value }
    _modify { yield &destination.value }
  }

  /// The files that go with it, as they are now.
  package var companions: [Companion] {
    item.companions(by: target.companions) { try? FileIdentity(of: $0) }
  }

  /// An upload of `item` to a target that it shares with other uploads.
  package init(item: UploadItem, destination: Boxed<Target>) {
    self.item = item
    self.destination = destination
  }

  /// An upload of `item` to `target`.
  package init(item: UploadItem, target: Target) {
    self.init(item: item, destination: Boxed(target))
  }
}
