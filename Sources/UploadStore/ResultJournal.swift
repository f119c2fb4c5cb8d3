import Foundation
import UploadModel

/// A small file on a disk other than the queue's, for results that could not be written to the queue. The next
/// process that sends reads and removes it.
package struct ResultJournal: Sendable {
  private let folders: [String]
  private let name: String

  /// The largest file that is read, in bytes.
  private static let limit = 64 << 20

  /// The journal of the queue at `path`, in the first writable folder of `$XDG_RUNTIME_DIR`, `$TMPDIR` and /tmp.
  package init(queue path: String, environment: [String: String]) {
    var status = stat()
    stat(path, &status)
    // Named after the file's identity, not after one of its paths.
    name = "hoist-\(geteuid())-\(status.st_dev)-\(status.st_ino).results"
    let named = ["XDG_RUNTIME_DIR", "TMPDIR"].compactMap { environment[$0] }
    folders = named.filter { $0.utf8.first == UInt8(ascii: "/") } + ["/tmp"]
  }

  /// Replaces the journal with these results. Returns its path; nil if it cannot be written anywhere.
  package func keep(_ results: [JournalEntry]) -> String? {
    guard let data = try? JSONEncoder().encode(results) else { return nil }
    for path in paths where Self.write(data, to: path) {
      for other in paths where other != path { unlink(other) }
      return path
    }
    return nil
  }

  /// The stored results, in the order in which they were passed to `keep`.
  package func results() -> [JournalEntry] {
    for data in paths.lazy.compactMap(Self.read) {
      if let results = try? JSONDecoder().decode([JournalEntry].self, from: data) { return results }
    }
    return []
  }

  /// Removes the journal once the queue has all results.
  package func remove() { for path in paths { unlink(path) } }

  private var paths: [String] { folders.map { "\($0)/\(name)" } }

  /// Writes the file completely or not at all, readable only by its owner.
  private static func write(_ data: Data, to path: String) -> Bool {
    let part = "\(path).part"
    unlink(part)
    let file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return false }
    let isWritten = (try? FileHandle(fileDescriptor: file).write(contentsOf: data)) != nil
    let isWhole = isWritten && fsync(file) == 0
    close(file)
    guard isWhole, rename(part, path) == 0 else {
      unlink(part)
      return false
    }
    return true
  }

  /// The file's contents; nil if the file is not this user's own, since anyone can write to /tmp.
  private static func read(_ path: String) -> Data? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return nil }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == geteuid(), status.st_mode & 0o077 == 0, status.st_size <= limit
    else { return nil }
    return try? handle.readToEnd()
  }
}

/// The result of an item, stored while the queue's own disk has no room for it.
package struct JournalEntry: Codable, Hashable, Sendable {
  package var item: ItemID
  /// The item's key, which distinguishes the item from one with the same number in another queue.
  package var uuid: UUID
  package var state: ItemState
  /// When the item reached that state.
  package var date: Date
}
