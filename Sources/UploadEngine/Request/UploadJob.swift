import Foundation
import MultipartForm
import UploadModel

/// One file and its destination.
package struct UploadJob: Sendable {
  /// The file.
  package var item: UploadItem
  /// The file's destination, in a box that can be shared with other uploads.
  package private(set) var destination: Boxed<Target>

  /// The file's destination.
  package var target: Target {
    _read { yield destination.value }
    _modify { yield &destination.value }
  }

  /// The current companions of the file, which are sent with it.
  package func companions() throws(FileError) -> [Companion] {
    try target.companions.companions(of: item.location, CompanionSight.init(at:))
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

extension UploadJob {
  /// The files that are sent with each item in one request.
  package static func companions(
    of items: [UploadItem], to target: Target
  ) throws(InvalidInput) -> [ItemID: [Companion]] {
    var companions: [ItemID: [Companion]] = [:]
    for item in items {
      do throws(FileError) {
        companions[item.id] = try UploadJob(item: item, target: target).companions()
      } catch {
        throw InvalidInput(Failure(Companion.cause(of: error)).explanation)
      }
    }
    return companions
  }
}

extension CompanionSight {
  /// Checks whether there is a file at a location.
  package init(at location: FileLocation) {
    do throws(FileError) { self = .file(try FileIdentity(of: location)) } catch {
      var status = stat()
      let isThere = location.withCString { lstat($0, &status) == 0 || errno != ENOENT }
      if case .notARegularFile = error.reason {
        self = .nothing
      } else {
        self = isThere ? .unreadable(error) : .nothing
      }
    }
  }
}
