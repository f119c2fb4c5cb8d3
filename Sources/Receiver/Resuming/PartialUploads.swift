import Digests
import Foundation
import NIOCore
import Synchronization
import UploadDraft

/// Uploads that arrive in several requests. The content of each is in the folder under a hidden name, so that it is
/// kept even if the receiver is killed. Once complete, it gets its final name.
///
/// Each upload has two files: the content, and a record with everything else about the upload. The record is created
/// after the content and removed before it, so that every record stands for an upload. If the content is gone but the
/// record names no final file, the content was being published when the receiver was killed.
final class PartialUploads: Sendable {
  /// Everything about an upload except its content.
  struct Record: Codable, Sendable {
    /// The length of the whole upload, in bytes; `Int64.max` if the client has not given it yet.
    var length: Int64
    /// The file's name and type as the client sent them.
    var name: String
    var type: String
    /// The value of `Upload-Metadata`, verbatim.
    var metadata: String?
    /// The bytes from this offset on may be wrong: their checksum has not been verified.
    var trusted: Int64?
    /// The final name of the complete file.
    var stored: String?
    /// The value of `Upload-Concat`, verbatim (tus 1.0.0, "Concatenation"); nil if the upload stands alone.
    var concat: String?
    /// The upload that this one is a part of, once a client has asked to join the parts.
    var whole: String?
    /// The numbers of those files of a form that are about to get their names, in the form's order.
    var named: [FileNumber]?
    /// The purpose of the request that began the upload; nil for tus.
    var purpose: Purpose?
    /// The reply to the request that completed the upload; nil before that.
    var reply: Answer?

    /// What to do with an upload that began at an ordinary path, once it is complete.
    struct Purpose: Codable, Sendable {
      /// The form's content type; nil for a bare file.
      var form: String?
      /// The most files that the form may contain.
      var maxFiles: Int
      /// The version of the draft in which the upload began.
      var draft: DraftVersion
    }

    /// A reply that can be sent again.
    struct Answer: Codable, Sendable {
      var status: Int
      var location: String?
      var text: String
      /// The digest of the stored file, if the client asked for it.
      var digest: String?
    }
  }

  /// How far an upload has come.
  struct Status {
    var record: Record
    /// How many bytes have arrived.
    var offset: Int64
    /// When the upload last changed.
    var changed: Date
    /// When the upload is removed unless more of it arrives.
    var expires: Date
  }

  private struct State {
    var lastSweep = Date.distantPast
    /// How many unfinished uploads there were at the last sweep, plus those created since.
    var unfinished = 0
    /// The unfinished uploads that had few bytes at the last sweep, from the newest to the oldest.
    var little: [String] = []
    /// The uploads created since the last sweep, from the oldest to the newest.
    var new: [String] = []
    /// The connection on which each upload arrives, by the upload's identifier.
    var writers: [String: any Channel] = [:]

    /// Takes out the oldest upload whose loss would cost little; nil if there are no more.
    mutating func nextLittle() -> String? {
      if little.isEmpty { (little, new) = (new.reversed(), []) }
      return little.popLast()
    }
  }

  private static let prefix = Inbox.ownPrefix + "upload-"
  private static let mostRecord = 64 << 10
  /// If there are too many uploads, the oldest one with fewer bytes than this is removed, since it can be sent again
  /// quickly.
  private static let littleBytes: Int64 = 64 << 10
  private static let sweepInterval: TimeInterval = 60
  /// The least time between two sweeps while there is no room for more uploads. Each sweep examines all uploads.
  private static let shortestSweepInterval: TimeInterval = 5

  private let inbox: Inbox
  private let lifetime: TimeInterval
  private let emptyLifetime: TimeInterval
  private let mostUploads: Int
  private let state = Mutex(State())

  init(_ site: Site) {
    let configuration = site.configuration
    inbox = site.inbox
    mostUploads = configuration.maxUnfinishedUploads
    lifetime = TimeInterval(configuration.uploadLifetime.components.seconds)
    emptyLifetime = min(
      lifetime, TimeInterval(configuration.emptyUploadLifetime.components.seconds))
    sweep()
  }

  /// Creates an upload and returns its identifier, which nobody can guess.
  func create(_ record: Record) throws -> String {
    sweep()
    guard makeRoom() else {
      throw Refusal.busy("Too many uploads are unfinished. Try again later.", seconds: 60)
    }
    let id = randomBytes(16).hexadecimal
    let content = Self.content(id)
    let file = try Inbox.check(inbox.open(content, O_WRONLY | O_CREAT | O_EXCL), "make a file")
    close(file)
    do { try write(record, of: id) } catch {
      inbox.remove(content)
      throw error
    }
    state.withLock { state in
      state.unfinished += 1
      state.new.append(id)
    }
    return id
  }

  private var hasRoom: Bool { state.withLock { $0.unfinished < mostUploads } }

  /// If there are too many uploads, removes the oldest whose loss costs little, so that nobody can keep others out by
  /// beginning uploads. Returns whether there is room for another one.
  private func makeRoom() -> Bool {
    for isSwept in [false, true] {
      if isSwept { sweep(every: Self.shortestSweepInterval) }
      while !hasRoom, let id = state.withLock({ $0.nextLittle() }) {
        if discard(id) { state.withLock { $0.unfinished -= 1 } }
      }
      if hasRoom { return true }
    }
    return false
  }

  /// Removes an upload of which little has arrived, if nobody is appending to it. Returns whether the upload is gone or
  /// finished.
  private func discard(_ id: String) -> Bool {
    guard let status = try? status(of: id), Self.isUnfinished(status) else { return true }
    let file = inbox.open(Self.content(id), O_RDWR)
    guard file >= 0 else { return false }
    defer { close(file) }
    guard flock(file, LOCK_EX | LOCK_NB) == 0, let now = try? self.status(of: id),
      Self.isLittle(now)
    else { return false }
    remove(id)
    return true
  }

  private static func isUnfinished(_ status: Status) -> Bool {
    status.record.stored == nil && status.record.reply == nil && status.record.whole == nil
  }

  private static func isLittle(_ status: Status) -> Bool {
    // This includes a complete part that has not been joined to others.
    isUnfinished(status) && status.offset < littleBytes
      && (status.offset < status.record.length || status.record.concat != nil)
  }

  /// When to remove an upload that has this many bytes and last changed at this time.
  func expiry(_ offset: Int64, changed: Date) -> Date {
    changed.addingTimeInterval(offset > 0 ? lifetime : emptyLifetime)
  }

  /// How far an upload has come; nil if it does not exist.
  func status(of id: String) throws -> Status? {
    guard Self.isIdentifier(id), let record = try record(of: id) else { return nil }
    let (found, size, changed) = inbox.look(at: Self.content(id))
    let last = max(changed, inbox.look(at: Self.record(id)).changed)
    let offset = found ? min(size, record.trusted ?? size, record.length) : record.length
    let expires = expiry(offset, changed: last)
    if expires <= Date() {
      remove(id)
      return nil
    }
    return Status(record: record, offset: offset, changed: last, expires: expires)
  }

  /// Opens an upload to append to it. Aborts any other connection that is appending: a client that comes back knows
  /// better than the receiver that its old connection is dead. Returns nil if the upload does not exist, and throws 423
  /// if another connection does not release it.
  func open(_ id: String, for channel: any Channel) async throws -> PartialFile? {
    for _ in 0..<500 {
      guard let status = try status(of: id) else { return nil }
      let file = inbox.open(Self.content(id), O_RDWR)
      guard file >= 0 else {
        // The complete file is already in its final place.
        if errno == ENOENT, status.offset == status.record.length {
          return PartialFile(id: id, status: status, descriptor: nil, owner: self)
        }
        throw Inbox.Failure(doing: "open the upload", code: errno)
      }
      if flock(file, LOCK_EX | LOCK_NB) == 0 {
        state.withLock { $0.writers[id] = channel }
        // The other connection may have appended more before it released the upload.
        let now = Result { try self.status(of: id) }
        if case .success(let now?) = now {
          return PartialFile(id: id, status: now, descriptor: file, owner: self)
        }
        close(file)
        _ = try now.get()
        return nil
      }
      close(file)
      interrupt(id)
      try await Task.sleep(for: .milliseconds(10))
    }
    throw Refusal(.locked, "Another request is adding to this upload. Try again.")
  }

  /// Aborts the connection that is appending to an upload.
  func interrupt(_ id: String) {
    guard let channel = state.withLock({ $0.writers[id] }) else { return }
    channel.triggerUserOutboundEvent(LingeringClose.Abort(), promise: nil)
    channel.close(promise: nil)
  }

  func ended(_ id: String) { state.withLock { $0.writers[id] = nil } }

  /// Removes the content of an upload that has been consumed, but keeps its record.
  func removeContent(_ id: String) { inbox.remove(Self.content(id)) }

  func remove(_ id: String) {
    inbox.remove(Self.record(id))
    inbox.remove(Self.content(id))
  }

  func write(_ record: Record, of id: String) throws {
    guard let data = try? JSONEncoder().encode(record), data.count <= Self.mostRecord else {
      throw Refusal(.requestHeaderFieldsTooLarge, "The upload's metadata is too long.")
    }
    try inbox.replace(Self.record(id), with: Array(data))
  }

  func publish(_ id: String, as name: String) throws -> EntryName {
    try inbox.publish(Self.content(id), as: SafeFileName(name))
  }

  private func record(of id: String) throws -> Record? {
    try inbox.contents(of: Self.record(id), atMost: Self.mostRecord)
      .flatMap { try? JSONDecoder().decode(Record.self, from: Data($0)) }
  }

  /// Removes expired uploads, and content whose record was never written, unless the last sweep was too recent.
  private func sweep(every interval: TimeInterval = sweepInterval) {
    let isDue = state.withLock { state in
      guard Date().timeIntervalSince(state.lastSweep) >= interval else { return false }
      state.lastSweep = Date()
      return true
    }
    guard isDue, let names = try? inbox.ownNames(withPrefix: Self.prefix) else { return }
    var unfinished = 0
    var little: [(id: String, changed: Date)] = []
    for id in Set(names.compactMap({ Self.identifier($0.text) })) {
      if let status = try? status(of: id) {
        if Self.isUnfinished(status) { unfinished += 1 }
        if Self.isLittle(status) { little.append((id, status.changed)) }
        continue
      }
      // An upload that is being created has no record yet.
      let (found, _, changed) = inbox.look(at: Self.content(id))
      if !found || Date().timeIntervalSince(changed) > emptyLifetime { remove(id) }
    }
    little.sort { $1.changed < $0.changed }
    state.withLock { [unfinished, little] state in
      state.unfinished = unfinished
      (state.little, state.new) = (little.map(\.id), [])
    }
  }

  private static func isIdentifier(_ text: String) -> Bool {
    text.utf8.count == 32 && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }

  private static func identifier(_ name: String) -> String? {
    let text = String(decoding: name.utf8.dropFirst(prefix.utf8.count).prefix(32), as: UTF8.self)
    return isIdentifier(text) ? text : nil
  }

  private static func record(_ id: String) -> EntryName { EntryName(own: "upload-\(id).json") }
  private static func content(_ id: String) -> EntryName { EntryName(own: "upload-\(id).data") }
}
