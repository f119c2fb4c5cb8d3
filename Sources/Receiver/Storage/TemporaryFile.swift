import Digests
import Foundation

/// A file that is arriving. It is written and hashed as it arrives, and is invisible until it is published. If it is
/// never published, it is deleted when the object is released.
final class TemporaryFile {
  /// Small pieces are collected up to this many bytes before they are written.
  private static let bufferSize = 64 << 10

  private let inbox: Inbox
  private let name: EntryName
  private var descriptor: Int32
  private var hash = SHA256()
  private var pending: [UInt8] = []
  /// How many bytes have been written to the file.
  private var written: Int64 = 0

  /// The number of bytes so far, including buffered ones.
  private(set) var size: Int64 = 0

  init(inbox: Inbox, name: EntryName, descriptor: Int32) {
    self.inbox = inbox
    self.name = name
    self.descriptor = descriptor
  }

  deinit { discard() }

  /// Appends bytes, which may stay in the buffer for now.
  func append(_ bytes: UnsafeRawBufferPointer) throws(Inbox.Failure) {
    hash.update(bytes)
    size += Int64(bytes.count)
    if pending.count + bytes.count < Self.bufferSize {
      pending.append(contentsOf: bytes)
    } else {
      try flush()
      try write(bytes)
    }
  }

  /// Writes all buffered bytes, and returns the SHA-256 of the content as hexadecimal digits.
  func finish(syncing: Bool) throws(Inbox.Failure) -> String {
    try flush()
    if syncing { try Inbox.check(fsync(descriptor), "flush the file") }
    pending = []
    return hash.finalize().hexadecimal
  }

  /// The file's number in the file system.
  func number() throws(Inbox.Failure) -> FileNumber {
    var status = stat()
    try Inbox.check(fstat(descriptor, &status), "look at the file")
    return FileNumber(status.st_ino)
  }

  /// Gives the file its final name and returns the name.
  func publish(as safe: SafeFileName) throws(Inbox.Failure) -> EntryName {
    let published = try inbox.publish(name, as: safe)
    closeDescriptor()
    return published
  }

  /// Gives the file this name, and replaces any file that already has it.
  func replace(_ other: EntryName) throws(Inbox.Failure) {
    try inbox.replace(other, by: name)
    closeDescriptor()
  }

  /// Deletes the file, unless it is published.
  func discard() {
    guard descriptor >= 0 else { return }
    inbox.remove(name)
    closeDescriptor()
  }

  private func closeDescriptor() {
    inbox.close(temporary: descriptor)
    descriptor = -1
  }

  private func flush() throws(Inbox.Failure) {
    try pending.withUnsafeBufferPointer { bytes throws(Inbox.Failure) in
      try write(UnsafeRawBufferPointer(bytes))
    }
    pending.removeAll(keepingCapacity: true)
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws(Inbox.Failure) {
    try Inbox.write(bytes, to: descriptor, at: &written, doing: "write the file")
  }
}
