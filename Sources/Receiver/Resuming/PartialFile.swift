import Foundation

/// An upload that is open for adding to it, exclusively.
final class PartialFile {
  let id: String
  private(set) var record: PartialUploads.Record
  /// How many of its bytes have arrived.
  private(set) var offset: Int64
  /// When it is removed if no more arrives; nil while it is empty, since more bytes would make it stay for
  /// longer.
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

  /// Whether all of it has arrived.
  var isWhole: Bool { offset == record.length }

  /// Whether all of it has arrived, but is not visible yet. A part of another upload never is.
  var isUnpublished: Bool { isWhole && descriptor != nil && !isPart }

  /// Whether it is a part of another upload.
  var isPart: Bool { record.concat == Concatenation.partial }

  /// Releases it, so that others can open it.
  func letGo() {
    guard let descriptor else { return }
    owner.ended(id)
    close(descriptor)
    self.descriptor = nil
  }

  /// Truncates what may be wrong.
  /// - Parameter awaitingSum: whether the next content will be checked against a checksum at its end.
  func begin(awaitingSum: Bool) throws {
    guard let descriptor else { return }
    if record.trusted != nil, ftruncate(descriptor, off_t(offset)) != 0 {
      throw Inbox.Failure(doing: "shorten the upload", code: errno)
    }
    try trust(awaitingSum ? offset : nil)
  }

  /// Records from where on the content may be wrong, before and after a request with a checksum.
  private func trust(_ trusted: Int64?) throws {
    guard record.trusted != trusted else { return }
    record.trusted = trusted
    try owner.write(record, of: id)
  }

  /// Appends bytes. The system has them when this returns, so they survive the receiver's end.
  func append(_ bytes: UnsafeRawBufferPointer) throws(Inbox.Failure) {
    guard let descriptor else { throw Inbox.Failure(doing: "write the upload", code: EBADF) }
    try Inbox.write(bytes, to: descriptor, at: &offset, doing: "write the upload")
  }

  /// Removes what was added since, because its checksum is wrong.
  func cut(to start: Int64) throws {
    guard let descriptor else { return }
    guard ftruncate(descriptor, off_t(start)) == 0 else {
      throw Inbox.Failure(doing: "shorten the upload", code: errno)
    }
    offset = start
    try trust(nil)
  }

  /// Records that what was added is correct.
  func settle(syncing: Bool) throws {
    if syncing, let descriptor, fsync(descriptor) != 0 {
      throw Inbox.Failure(doing: "flush the upload", code: errno)
    }
    try trust(nil)
    if offset > 0 { expires = owner.expiry(offset, changed: Date()) }
  }

  /// Reads all of it from the disk, a piece at a time. Between two pieces, the thread works for others.
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

  /// Whether its content is already elsewhere.
  var isElsewhere: Bool { descriptor == nil }

  /// Changes what is known of it.
  func update(_ change: (inout PartialUploads.Record) -> Void) throws {
    change(&record)
    try owner.write(record, of: id)
  }

  /// Keeps the reply to the whole upload, but not its content.
  func finish(with answer: PartialUploads.Record.Answer) throws {
    try update { record in
      record.named = nil
      record.reply = answer
      record.length = offset
    }
    owner.removeContent(id)
  }

  /// Gives the complete file its final name, and returns that.
  func publish() throws -> EntryName {
    let name = try owner.publish(id, as: record.name)
    record.stored = name.text
    try owner.write(record, of: id)
    return name
  }
}
