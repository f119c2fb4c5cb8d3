import Foundation
import MultipartForm
import UploadModel

/// One file and its destination.
package struct UploadJob: Sendable {
  package var item: UploadItem
  /// The file's destination, which it shares with other uploads.
  package let destination: SendPlan

  package var target: Target { _read { yield destination.target } }

  package init(item: UploadItem, destination: SendPlan) {
    self.item = item
    self.destination = destination
  }

  package init(item: UploadItem, target: Target) {
    self.init(item: item, destination: SendPlan(target))
  }

  /// The files that are sent with each item in one request.
  package static func companions(
    of items: [UploadItem], to destination: SendPlan
  ) throws(InvalidInput) -> [ItemID: [Companion]] {
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
