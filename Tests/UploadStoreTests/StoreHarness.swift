import Foundation
import MultipartForm
import TestSupport
import UploadModel

@testable import UploadStore

/// A queue in a folder of its own, as it is after any number of openings.
struct StoreHarness {
  let folder: ScratchDirectory
  let path: String

  init() throws {
    folder = try ScratchDirectory()
    path = folder.path("state/queue.sqlite")
  }

  /// Opens the queue, as every start of the program does.
  func open() throws -> UploadStore { try UploadStore(path: path) }
}

extension UploadStore {
  /// The changes since a revision, if another process has written since the last call; nil while one is writing.
  func changesByOthers(since revision: Int64) throws(StoreError) -> QueueChanges? {
    guard let look = try look() else { return nil }
    return try changesByOthers(since: revision, seenIn: look)
  }
}

/// An item that nobody has queued yet.
func item(
  _ name: String, target: String = "nas", size: Int64 = 10, inode: UInt64 = 1,
  state: ItemState = .waiting
) -> UploadItem {
  UploadItem(
    id: ItemID(0), target: target, location: FileLocation("/files/\(name)"),
    mediaType: "text/plain", typeSource: "by extension .txt", size: size,
    identity: FileIdentity(device: 1, inode: inode, size: size, modified: 7), state: state)
}

let refused = Failure(
  .refused, status: 413, reply: Reply(text: "too large", mediaType: "text/plain"), attempts: 1)
