import Foundation
import MultipartForm

/// Reports files that become complete in a folder: closed after writing, or moved in.
///
/// A file that is still open for writing is not reported until it is closed. Each state of a file is reported once.
/// Source: inotify(7).
///
/// Unchecked: everything that changes is used only by `init`, before any other thread can see it, and by `run`, which
/// holds the lock.
package final class FolderWatch: @unchecked Sendable {
  package let root: FileLocation
  private let lock = NSLock()
  private let rules: FolderRules
  private let descriptor: Int32
  /// The watched folders, with a trailing slash, by their inotify watch descriptors.
  private var folders: [Int32: [UInt8]] = [:]
  /// The files that were already reported, or that existed at the start and must not be reported.
  private var known = KnownFiles()
  private let takesExisting: Bool
  /// Why the folder, or one inside it, could not be watched.
  private var trouble: String?

  private static let events = UInt32(
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF
      | IN_MOVE_SELF)

  /// Starts watching: every file completed from now on will be reported, and with `takesExisting` also those that are
  /// already there.
  package init(
    _ folder: FileLocation, rules: FolderRules, takesExisting: Bool
  ) throws(InputError) {
    root = folder
    self.rules = rules
    self.takesExisting = takesExisting
    descriptor = inotify_init1(Int32(IN_CLOEXEC))
    var status = stat()
    if root.withCString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT != S_IFDIR {
      throw InputError(description: "is not a folder; name the folder that files arrive in")
    }
    watch(root)
    // Done here rather than in `run`, since files completed from now on are new, and other inputs may delay the call of
    // `run` for long.
    if !takesExisting { lookThrough { _ in true } }
    if let trouble { throw InputError(description: trouble) }
  }

  deinit { close(descriptor) }

  /// Passes each complete file to `body` until that returns false or `stop` is cancelled. Returns why watching failed;
  /// nil if it ended as requested.
  package func run(until stop: CancellationToken, _ body: (FileLocation) -> Bool) -> String? {
    lock.lock()
    defer { lock.unlock() }
    if takesExisting, !lookThrough(body) { return nil }
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while trouble == nil {
      if stop.isCancelled(waitingFor: descriptor) { return nil }
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return "cannot keep watching: \(String(cString: strerror(errno)))" }
      var hasToLook = false
      for event in Self.parse(buffer[..<count]) {
        switch handle(event, body) {
        case .nothing: break
        case .stop: return nil
        case .look: hasToLook = true
        case .gone: return gone
        }
      }
      if hasToLook, !lookThrough(body) { return nil }
    }
    return trouble
  }

  private var gone: String { "the watched folder \(root) no longer exists" }

  private struct Event {
    var folder: Int32
    var mask: UInt32
    var name: [UInt8]

    func has(_ flags: Int32...) -> Bool {
      flags.contains { mask & UInt32(bitPattern: $0) != 0 }
    }
  }

  private enum Next { case nothing, look, stop, gone }

  private func handle(_ event: Event, _ body: (FileLocation) -> Bool) -> Next {
    // Events were lost, so look for new and vanished files instead.
    if event.has(Int32(IN_Q_OVERFLOW)) {
      known.forgetGone()
      return .look
    }
    guard let folder = folders[event.folder] else { return .nothing }
    if event.has(Int32(IN_IGNORED)) { folders[event.folder] = nil }
    if event.has(Int32(IN_DELETE_SELF), Int32(IN_MOVE_SELF), Int32(IN_UNMOUNT)) {
      return folder == root.beginning ? .gone : .nothing
    }
    let hasGone = event.has(Int32(IN_DELETE), Int32(IN_MOVED_FROM))
    if event.has(Int32(IN_ISDIR)) {
      // A moved folder takes its files along; a deleted one is already empty.
      if event.has(Int32(IN_MOVED_FROM)) { known.forgetGone() }
      return rules.isRecursive && !hasGone ? .look : .nothing
    }
    let file = FileLocation(bytes: folder + event.name)
    if hasGone { known.forgetIfGone(file) }
    guard event.has(Int32(IN_CLOSE_WRITE), Int32(IN_MOVED_TO)) else { return .nothing }
    let names = file.bytes.dropFirst(root.beginning.count).split(separator: .slash)
    guard rules.accepts(names.map { String(decoding: $0, as: UTF8.self) }), known.isNews(file)
    else { return .nothing }
    return body(file) ? .nothing : .stop
  }

  /// Reports complete files that have not been reported yet; returns false to stop.
  @discardableResult
  private func lookThrough(_ body: (FileLocation) -> Bool) -> Bool {
    // Each folder is watched before it is listed: files completed later cause an event, and those completed earlier are
    // in the list. A file also counts as complete if it is unknown whether somebody has it open for writing.
    for case .file(let file) in FolderScan(root, rules: rules, willEnter: watch)
    where FileIdentity.isOpenForWriting(file) != true && known.isNews(file) {
      if !body(file) { return false }
    }
    return true
  }

  private func watch(_ folder: FileLocation) {
    let number = folder.withCString { inotify_add_watch(descriptor, $0, Self.events) }
    if number >= 0 {
      folders[number] = folder.beginning
    } else if errno == ENOSPC {
      trouble =
        "cannot watch \(folder): the system's limit on watched folders has been reached; "
        + "raise fs.inotify.max_user_watches"
    } else if folder == root {
      trouble = folders.isEmpty ? "cannot watch it: \(String(cString: strerror(errno)))" : gone
    }
  }

  private static func parse(_ bytes: ArraySlice<UInt8>) -> [Event] {
    let headSize = MemoryLayout<inotify_event>.size
    var events: [Event] = []
    var rest = bytes
    while rest.count >= headSize {
      let head = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
      let name = rest.dropFirst(headSize).prefix(Int(head.len))
      events.append(Event(folder: head.wd, mask: head.mask, name: Array(name.prefix { $0 != 0 })))
      rest = rest.dropFirst(headSize + Int(head.len))
    }
    return events
  }
}
