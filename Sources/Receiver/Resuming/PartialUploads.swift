import Digests
import Foundation
import NIOCore
import Synchronization

/// Uploads that come in several requests: what has arrived of each lies in the folder under a hidden name,
/// so that it outlives the receiver, and gets its own name when all of it is there.
///
/// Each has two files: the content, and a record of what is known of it. The record is written after the
/// content was made, and removed before it, so that a record always stands for an upload. A content that is
/// gone while its record says nothing of a name was published in the moment in which the receiver was
/// killed.
final class PartialUploads: Sendable {
  /// What is known of an upload besides its content.
  struct Record: Codable, Sendable {
    /// The length of the whole, in bytes; `Int64.max` where the client has not said it yet.
    var length: Int64
    /// Its name and type as the client sent them.
    var name: String
    var type: String
    /// What the client said of it, to the letter.
    var metadata: String?
    /// The bytes from here on are not known to be what was sent: a checksum was to follow.
    var trusted: Int64?
    /// Where all of it is now.
    var stored: String?
    /// The files of a form that are about to get their names, in its order.
    var named: [FileNumber]?
    /// What the request that began it was for; nil for tus.
    var purpose: Purpose?
    /// The reply to that, once all of it was taken.
    var reply: Answer?

    /// What becomes of an upload that was begun at an ordinary endpoint.
    struct Purpose: Codable, Sendable {
      /// The content type of the form that it is; nil for a file by itself.
      var form: String?
      /// The most files in the form.
      var maxFiles: Int
    }

    /// A reply that can be given again.
    struct Answer: Codable, Sendable {
      var status: Int
      var location: String?
      var text: String
    }
  }

  /// How far an upload is.
  struct Status {
    var record: Record
    /// How many of its bytes are there.
    var offset: Int64
    /// When something was last done about it.
    var changed: Date
    /// When it is removed, unless more of it comes.
    var expires: Date
  }

  private struct State {
    var lastSweep = Date.distantPast
    /// How many unfinished uploads there were then, and those that were made since.
    var unfinished = 0
    /// Those of them of which little was there, the oldest last.
    var little: [String] = []
    /// Those that were made since, the oldest first.
    var new: [String] = []

    /// The oldest upload that little is lost with.
    mutating func nextLittle() -> String? {
      if little.isEmpty { (little, new) = (new.reversed(), []) }
      return little.popLast()
    }
  }

  private static let prefix = Inbox.ownPrefix + "upload-"
  /// The most bytes of a record.
  private static let mostRecord = 64 << 10
  /// The most unfinished uploads: more are no accident.
  private static let mostUploads = 10_000
  /// Where so many are unfinished, those go of which less than this is there: it is quickly sent again.
  private static let littleBytes: Int64 = 64 << 10
  private static let sweepInterval: TimeInterval = 60
  /// The same where there is no room: each sweep looks at all that is there.
  private static let shortestSweepInterval: TimeInterval = 5

  private let inbox: Inbox
  private let lifetime: TimeInterval
  private let emptyLifetime: TimeInterval
  private let state = Mutex(State())
  /// On which connection an upload comes in.
  private let writers = Mutex<[String: any Channel]>([:])

  /// - Parameters:
  ///   - lifetime: how long an upload is kept of which no more comes.
  ///   - emptyLifetime: the same for one of which nothing has come.
  init(inbox: Inbox, lifetime: Duration, emptyLifetime: Duration) {
    self.inbox = inbox
    self.lifetime = TimeInterval(lifetime.components.seconds)
    self.emptyLifetime = TimeInterval(min(lifetime, emptyLifetime).components.seconds)
    sweep()
  }

  /// Makes an upload and returns its identifier, which nobody can guess.
  func create(_ record: Record) throws -> String {
    sweep()
    guard hasRoom || makeRoom() else {
      throw Refusal(
        .serviceUnavailable, "Too many uploads are unfinished. Try again later.",
        headers: [("Retry-After", "60")])
    }
    let id = randomBytes(16).hexadecimal
    let content = Self.content(id)
    let file = inbox.open(content, O_WRONLY | O_CREAT | O_EXCL)
    guard file >= 0 else { throw Inbox.Failure(doing: "make a file", code: errno) }
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

  private var hasRoom: Bool { state.withLock { $0.unfinished < Self.mostUploads } }

  /// Removes the oldest upload that little is lost with, so that nobody can keep others out by beginning uploads.
  private func makeRoom() -> Bool {
    for isSwept in [false, true] {
      if isSwept { sweep(every: Self.shortestSweepInterval) }
      if hasRoom { return true }
      while let id = state.withLock({ $0.nextLittle() }) {
        guard discard(id) else { continue }
        state.withLock { $0.unfinished -= 1 }
        if hasRoom { return true }
      }
    }
    return false
  }

  /// Removes an upload of which little is there and to which nobody adds.
  /// - Returns: whether it is no unfinished upload now.
  private func discard(_ id: String) -> Bool {
    guard let status = (try? status(of: id)) ?? nil, Self.isUnfinished(status) else { return true }
    let file = inbox.open(Self.content(id), O_RDWR)
    guard file >= 0 else { return false }
    defer { close(file) }
    guard flock(file, LOCK_EX | LOCK_NB) == 0, let now = (try? self.status(of: id)) ?? nil,
      Self.isLittle(now)
    else { return false }
    remove(id)
    return true
  }

  private static func isUnfinished(_ status: Status) -> Bool {
    status.record.stored == nil && status.record.reply == nil
  }

  private static func isLittle(_ status: Status) -> Bool {
    isUnfinished(status) && status.offset < min(littleBytes, status.record.length)
  }

  /// When an upload is removed to which this much was added last.
  func expiry(_ offset: Int64, changed: Date) -> Date {
    changed.addingTimeInterval(offset > 0 ? lifetime : emptyLifetime)
  }

  /// How far an upload is; nil where there is none.
  func status(of id: String) throws -> Status? {
    guard Self.isIdentifier(id), let record = try record(of: id) else { return nil }
    let (found, size, changed) = inbox.look(at: Self.content(id))
    let written = inbox.look(at: Self.record(id)).changed
    let last = max(changed, written)
    let offset = found ? min(size, record.trusted ?? size, record.length) : record.length
    let expires = expiry(offset, changed: last)
    if expires <= Date() {
      remove(id)
      return nil
    }
    return Status(record: record, offset: offset, changed: last, expires: expires)
  }

  /// Opens an upload to add to it. Whoever adds to it on another connection is broken off: a client that
  /// comes back knows better than the receiver that its old connection is dead.
  ///
  /// - Returns: nil where there is none.
  /// - Throws: 423 where somebody else does not let go of it.
  func open(_ id: String, for channel: any Channel) async throws -> PartialFile? {
    for _ in 0..<500 {
      guard let status = try status(of: id) else { return nil }
      let file = inbox.open(Self.content(id), O_RDWR)
      guard file >= 0 else {
        // All of it is where it belongs.
        if errno == ENOENT, status.offset == status.record.length {
          return PartialFile(id: id, status: status, descriptor: nil, owner: self)
        }
        throw Inbox.Failure(doing: "open the upload", code: errno)
      }
      if flock(file, LOCK_EX | LOCK_NB) == 0 {
        writers.withLock { $0[id] = channel }
        // Another one may have added to it before it let go.
        guard let now = try self.status(of: id) else {
          close(file)
          return nil
        }
        return PartialFile(id: id, status: now, descriptor: file, owner: self)
      }
      close(file)
      interrupt(id)
      try await Task.sleep(for: .milliseconds(10))
    }
    throw Refusal(.locked, "Another request is adding to this upload. Try again.")
  }

  /// Breaks off whoever is adding to an upload.
  func interrupt(_ id: String) {
    guard let channel = writers.withLock({ $0[id] }) else { return }
    channel.triggerUserOutboundEvent(LingeringClose.Abort(), promise: nil)
    channel.close(promise: nil)
  }

  func ended(_ id: String) { writers.withLock { _ = $0.removeValue(forKey: id) } }

  /// Removes the content of an upload of which something else was made.
  func removeContent(_ id: String) { inbox.remove(Self.content(id)) }

  /// Removes what is there of an upload.
  func remove(_ id: String) {
    inbox.remove(Self.record(id))
    inbox.remove(Self.content(id))
  }

  func write(_ record: Record, of id: String) throws {
    guard let data = try? JSONEncoder().encode(record), data.count <= Self.mostRecord else {
      throw Refusal(.requestHeaderFieldsTooLarge, "What is said of the upload is too long.")
    }
    try inbox.replace(Self.record(id), with: Array(data))
  }

  func publish(_ id: String, as name: String) throws -> EntryName {
    try inbox.publish(Self.content(id), as: SafeFileName(name))
  }

  private func record(of id: String) throws -> Record? {
    let bytes = try inbox.contents(of: Self.record(id), atMost: Self.mostRecord)
    guard let bytes else { return nil }
    return try? JSONDecoder().decode(Record.self, from: Data(bytes))
  }

  /// Removes what nobody came back for, and contents whose record was never written; now and then.
  private func sweep(every interval: TimeInterval = sweepInterval) {
    let isDue = state.withLock { state in
      guard Date().timeIntervalSince(state.lastSweep) >= interval else { return false }
      state.lastSweep = Date()
      return true
    }
    guard isDue, let names = try? inbox.ownNames(withPrefix: Self.prefix) else { return }
    let ids = Set(names.compactMap { Self.identifier($0.text) })
    var unfinished = 0
    var little: [(id: String, changed: Date)] = []
    for id in ids {
      if let status = (try? status(of: id)) ?? nil {
        if Self.isUnfinished(status) { unfinished += 1 }
        if Self.isLittle(status) { little.append((id, status.changed)) }
        continue
      }
      // One that is being made has no record yet.
      let (found, _, changed) = inbox.look(at: Self.content(id))
      if !found || Date().timeIntervalSince(changed) > emptyLifetime { remove(id) }
    }
    little.sort { $1.changed < $0.changed }
    state.withLock { [unfinished, little] state in
      state.unfinished = unfinished
      (state.little, state.new) = (little.map(\.id), [])
    }
  }

  // MARK: Names

  private static func isIdentifier(_ text: String) -> Bool {
    text.utf8.count == 32
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  private static func identifier(_ name: String) -> String? {
    let text = String(decoding: name.utf8.dropFirst(prefix.utf8.count).prefix(32), as: UTF8.self)
    return isIdentifier(text) ? text : nil
  }

  private static func record(_ id: String) -> EntryName { EntryName(own: "upload-\(id).json") }
  private static func content(_ id: String) -> EntryName { EntryName(own: "upload-\(id).data") }
}
