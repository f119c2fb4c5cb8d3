import Foundation
import MultipartForm
import UploadModel

/// One file and its destination.
package struct UploadJob: Sendable {
  package var item: UploadItem
  /// The file's destination, in a box that can be shared with other uploads.
  package let destination: Boxed<Target>

  package var target: Target { _read { yield destination.value } }

  /// An upload of `item` to a target that it shares with other uploads.
  package init(item: UploadItem, destination: Boxed<Target>) {
    self.item = item
    self.destination = destination
  }

  package init(item: UploadItem, target: Target) {
    self.init(item: item, destination: Boxed(target))
  }

  /// The files that are sent with each item in one request.
  package static func companions(
    of items: [UploadItem], to target: Target
  ) throws(InvalidInput) -> [ItemID: [Companion]] {
    let destination = Boxed(target)
    do throws(UploadRequest.Fault) {
      return try UploadRequest.companions(
        of: items.map { UploadJob(item: $0, destination: destination) })
    } catch {
      throw InvalidInput(Failure(error.cause).explanation)
    }
  }
}

extension CompanionSight {
  /// Checks whether there is a file at a location.
  package init(at location: FileLocation) {
    do throws(FileError) { self = .file(try FileIdentity(of: location)) } catch {
      var status = stat()
      var isThere = location.withCString { lstat($0, &status) == 0 || errno != ENOENT }
      if case .notARegularFile = error.reason { isThere = false }
      self = isThere ? .unreadable(error) : .nothing
    }
  }
}
