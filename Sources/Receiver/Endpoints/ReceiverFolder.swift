import Foundation
import ScalarText

/// The folder of a receiver, as far as a ``ReceiverEndpoint`` may touch it: the files that it stored, and
/// small files of the endpoint itself, which clients can neither list nor fetch.
///
/// An own file has a name such as `bookmarks.json`, and is called `.hoist-bookmarks.json` in the folder.
/// Names that end in `.part` belong to uploads that are under way.
public struct ReceiverFolder: Sendable {
  let inbox: Inbox

  /// Deletes a stored file, if it is there.
  /// - Parameter name: its ``StoredFile/stored``.
  public func remove(stored name: String) {
    guard let name = EntryName(name), !name.isHidden else { return }
    inbox.remove(name)
  }

  /// Reads an own file; nil if there is none.
  ///
  /// - Throws: ``Refusal`` if it cannot be read, is not a regular file, or is longer than `limit` bytes.
  public func contents(of name: String, atMost limit: Int) throws(Refusal) -> [UInt8]? {
    let file = try Self.own(name)
    do throws(Inbox.Failure) {
      return try inbox.contents(of: file, atMost: limit)
    } catch {
      throw Refusal(error)
    }
  }

  /// Changes an own file, or creates it, and waits until it is on disk.
  ///
  /// Changes happen one after the other, even those of several receivers that share the folder: each holds a
  /// lock on a file beside it (`.hoist-bookmarks.json.lock`), which stays there. A reader sees all of a
  /// change or nothing. If `body` throws, the file stays as it was.
  ///
  /// - Parameters:
  ///   - name: the file's own name.
  ///   - limit: the most bytes that it may have.
  ///   - body: gets the current content, nil if there is no file, and changes it to the new one; nil leaves no file.
  /// - Throws: ``Refusal`` if the file cannot be read or written, would be too long (507), or if somebody
  ///   else keeps it locked for five seconds (503); what `body` throws.
  public func change<Result>(
    _ name: String, atMost limit: Int, _ body: (inout [UInt8]?) throws -> Result
  ) throws -> Result {
    let file = try Self.own(name)
    let lock = try Self.own(name + ".lock")
    do {
      // Callers in this process take turns; the lock in the folder is for other processes.
      return try inbox.turn.withLock {
        try inbox.locked(lock) {
          var bytes = try inbox.contents(of: file, atMost: limit)
          let result = try body(&bytes)
          guard let bytes else {
            inbox.remove(file)
            try inbox.sync()
            return result
          }
          guard bytes.count <= limit else {
            throw Refusal(
              .insufficientStorage, "\(file) is full: it may have \(limit) bytes at the most.")
          }
          try inbox.replace(file, with: bytes)
          return result
        }
      }
    } catch let failure as Inbox.Failure {
      throw Refusal(failure)
    }
  }

  private static func own(_ name: String) throws(Refusal) -> EntryName {
    guard let file = EntryName(Inbox.ownPrefix + name),
      !name.isEmpty, !name.hasSuffix(scalars: Inbox.temporarySuffix)
    else { throw Refusal(.internalServerError, "\"\(name)\" is no name for an endpoint's file.") }
    return file
  }
}
