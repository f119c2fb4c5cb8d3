import Foundation
import ScalarText

/// The folder of a receiver, as far as a ``ReceiverEndpoint`` may use it: stored files, and small files of the endpoint
/// itself, which clients can neither list nor fetch.
///
/// An endpoint's own file with the name `bookmarks.json` is called `.hoist-bookmarks.json` in the folder. Names that
/// end in `.part` are reserved for running uploads.
public struct ReceiverFolder: Sendable {
  let inbox: Inbox

  /// Deletes a stored file if it exists.
  /// - Parameter name: the file's ``StoredFile/stored``.
  public func remove(stored name: String) {
    guard let name = EntryName(name), !name.isHidden else { return }
    inbox.remove(name)
  }

  /// Reads one of the endpoint's own files; nil if it does not exist.
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

  /// Changes or creates one of the endpoint's own files, and waits until it is on disk.
  ///
  /// Changes happen one after the other, even those of several receivers that share the folder: each change locks a
  /// second file, such as `.hoist-bookmarks.json.lock`, which stays in the folder. A reader sees either all of a change
  /// or none. If `body` throws, the file is unchanged.
  ///
  /// - Parameters:
  ///   - name: the file's name, without the prefix.
  ///   - limit: the most bytes that the file may have.
  ///   - body: gets the current content, nil if there is no file, and replaces it with the new content, or with nil to
  ///     delete the file.
  /// - Throws: ``Refusal`` if the file cannot be read or written, if it would be too long (507), or if another process
  ///   keeps it locked for five seconds (503); what `body` throws.
  public func change<Result>(
    _ name: String, atMost limit: Int, _ body: (inout [UInt8]?) throws -> Result
  ) throws -> Result {
    let file = try Self.own(name)
    let lock = try Self.own(name + ".lock")
    do {
      // For other callers in this process; the lock in the folder is for other processes.
      return try inbox.lock.withLock {
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
              .insufficientStorage, "\(file) is full: it may have at most \(limit) bytes.")
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
    else {
      throw Refusal(.internalServerError, "\"\(name)\" cannot be the name of an endpoint's file.")
    }
    return file
  }
}
