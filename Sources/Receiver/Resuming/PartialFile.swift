import Foundation

/// An upload that is open for appending. Nobody else can open it meanwhile.
final class PartialFile {
  let id: String
  private(set) var record: PartialUploads.Record
  /// How many bytes have arrived.
  private(set) var offset: Int64
  /// When the upload is removed if no more arrives; nil while it is empty, since the first bytes extend its lifetime.
  private(set) var expires: Date?
  /// Nil if the complete file is already in its final place.
  private var descriptor: Int32?
  private let owner: PartialUploads

  init(
    id: String, status: PartialUploads.Status, descriptor: Int32?, owner: PartialUploads
  ) {
    self.id = id
    (record, offset) = (status.record, status.offset)
    expires = status.offset > 0 ? status.expires : nil
    (self.descriptor, self.owner) = (descriptor, owner)
  }

  deinit { letGo() }

  var isWhole: Bool { offset == record.length }

  /// Whether the whole upload has arrived, but is not visible yet. False for a part of another upload, which never
  /// becomes visible.
  var isUnpublished: Bool { isWhole && descriptor != nil && !isPart }

  var isPart: Bool { record.concat == Concatenation.partial }

  /// Releases the upload, so that others can open it.
  func letGo() {
    guard let descriptor else { return }
    owner.ended(id)
    close(descriptor)
    self.descriptor = nil
  }

  /// Cuts off bytes that may be wrong, before more are appended.
  /// - Parameter awaitingSum: whether the next content will be checked against a checksum once it has arrived.
  func begin(awaitingSum: Bool) throws {
    guard let descriptor else { return }
    if record.trusted != nil, ftruncate(descriptor, off_t(offset)) != 0 {
      throw Inbox.Failure(doing: "shorten the upload", code: errno)
    }
    try trust(awaitingSum ? offset : nil)
  }

  /// Records the offset from which the content may be wrong; nil if all of it is right. Called before and after a
  /// request with a checksum.
  private func trust(_ trusted: Int64?) throws {
    if record.trusted != trusted { try update { $0.trusted = trusted } }
  }

  /// Appends bytes. When this returns, the kernel has the bytes, so they are kept even if the receiver is killed.
  func append(_ bytes: UnsafeRawBufferPointer) throws(Inbox.Failure) {
    guard let descriptor else { throw Inbox.Failure(doing: "write the upload", code: EBADF) }
    try Inbox.write(bytes, to: descriptor, at: &offset, doing: "write the upload")
  }

  /// Removes all bytes from `start` on, for example because their checksum is wrong.
  func cut(to start: Int64) throws {
    guard let descriptor else { return }
    try Inbox.check(ftruncate(descriptor, off_t(start)), "shorten the upload")
    offset = start
    try trust(nil)
  }

  /// Records that all bytes so far are correct.
  func settle(syncing: Bool) throws {
    if syncing, let descriptor { try Inbox.check(fsync(descriptor), "flush the upload") }
    try trust(nil)
    if offset > 0 { expires = owner.expiry(offset, changed: Date()) }
  }

  /// Reads the whole content from disk, a piece at a time. Yields the thread between two pieces.
  func read(_ take: (UnsafeRawBufferPointer) throws -> Void) async throws {
    guard let descriptor else { throw Inbox.Failure(doing: "read the upload", code: EBADF) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var position: Int64 = 0
    while position < offset {
      await Task.yield()
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(position))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw Inbox.Failure(doing: "read the upload", code: count == 0 ? EIO : errno)
      }
      try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      position += Int64(count)
    }
  }

  /// Whether the content is gone because it was published, processed, or joined to another upload.
  var isElsewhere: Bool { descriptor == nil }

  /// Changes and saves the record.
  func update(_ change: (inout PartialUploads.Record) -> Void) throws {
    change(&record)
    try owner.write(record, of: id)
  }

  /// Saves the reply to the whole upload, and removes its content.
  func finish(with answer: PartialUploads.Record.Answer) throws {
    try update { ($0.named, $0.reply, $0.length) = (nil, answer, offset) }
    owner.removeContent(id)
  }

  /// Gives the complete file its final name, and returns the name.
  func publish() throws -> EntryName {
    let name = try owner.publish(id, as: record.name)
    try update { $0.stored = name.text }
    return name
  }
}
