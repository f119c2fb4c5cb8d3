import Foundation
import MultipartForm

/// Reports files that become complete in a folder: closed after writing, moved in, or linked in.
///
/// A file that is still open for writing is not reported until it is closed. Each state of a file is reported once, and
/// so is each folder whose files are missed because it cannot be listed. Source: inotify(7).
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
  /// The names of files that other programs have open for writing, by their inotify watch descriptors. Their writers
  /// may know them by other names, in folders that are not watched, or by none (O_TMPFILE).
  private var unfinished: [Int32: Set<FileLocation>] = [:]
  /// The files that were already reported, or that existed at the start and must not be reported.
  private var known = KnownFiles()
  private let takesExisting: Bool
  /// What could not be looked at the last time that the folder was looked through.
  private var unreadable: Set<FileLocation> = []
  /// What is still to be reported of that.
  private var pending: [FolderScan.Entry] = []
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
    root = folder.withoutTrailingSlashes
    self.rules = rules
    self.takesExisting = takesExisting
    descriptor = inotify_init1(Int32(IN_CLOEXEC))
    let code = errno
    var status = stat()
    if root.withCString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT != S_IFDIR {
      throw InputError(description: "is not a folder; name the folder that files arrive in")
    }
    do throws(InputError) {
      let open = try OpenFolder(root)
      // The folder could be opened, so it is not that this process has too many files open.
      guard descriptor >= 0 else {
        throw code == EMFILE
          ? InputError(
            description:
              "all inotify instances of this user are in use; end other programs that watch files, or raise "
              + "fs.inotify.max_user_instances") : InputError(code)
      }
      withExtendedLifetime(open) { watch(root, $0.descriptor) }
    } catch {
      throw InputError(description: "cannot watch it: \(error)")
    }
    // Done here rather than in `run`, since files completed from now on are new, and other inputs may delay the call of
    // `run` for long.
    if !takesExisting {
      lookThrough { entry in
        if case .unreadable = entry { pending.append(entry) }
        return true
      }
    }
    if let trouble { throw InputError(description: trouble) }
  }

  deinit { close(descriptor) }

  /// Passes each complete file, and each folder that cannot be listed, to `body` until that returns false or `stop` is
  /// cancelled. Returns why watching failed; nil if it ended as requested.
  package func run(until stop: CancellationToken, _ body: (FolderScan.Entry) -> Bool) -> String? {
    lock.lock()
    defer { lock.unlock() }
    guard pending.allSatisfy(body) else { return nil }
    pending = []
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

  private func handle(_ event: Event, _ body: (FolderScan.Entry) -> Bool) -> Next {
    // Events were lost, so look for new and vanished files instead.
    if event.has(Int32(IN_Q_OVERFLOW)) {
      known.forgetGone()
      return .look
    }
    if event.has(Int32(IN_CLOSE_WRITE)), let files = unfinished.removeValue(forKey: event.folder) {
      return files.allSatisfy { take($0, mayBeNew: false, body) } ? .nothing : .stop
    }
    if event.has(Int32(IN_IGNORED)) { unfinished[event.folder] = nil }
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
    if event.has(Int32(IN_CLOSE_WRITE), Int32(IN_MOVED_TO)) {
      return report(file, body) ? .nothing : .stop
    }
    return event.has(Int32(IN_CREATE)) && !take(file, mayBeNew: true, body) ? .stop : .nothing
  }

  /// Reports a file that has got a name here, once it is complete. `mayBeNew` says whether it may just have been created,
  /// empty and about to be written. Returns false to stop.
  private func take(
    _ file: FileLocation, mayBeNew: Bool, _ body: (FolderScan.Entry) -> Bool
  ) -> Bool {
    guard accepts(file), isComplete(file) ?? !(mayBeNew && Self.isNew(file)) else {
      return true
    }
    return report(file, body)
  }

  /// Whether nobody has the file open for writing; nil if that is unknown. If somebody has, the file is taken up again
  /// once it is closed.
  private func isComplete(_ file: FileLocation) -> Bool? {
    switch FileIdentity.isOpenForWriting(file) {
    case nil: return nil
    case false?: return true
    case true?: break
    }
    let number = file.withCString {
      inotify_add_watch(descriptor, $0, UInt32(IN_CLOSE_WRITE) | UInt32(IN_ONESHOT))
    }
    // Without a watch, only a close under this very name is noticed.
    if number >= 0 { unfinished[number, default: []].insert(file) }
    // It may have been closed before it was watched.
    return FileIdentity.isOpenForWriting(file) == false
  }

  /// Whether nothing about a name that has just appeared shows that its file was there before: it is no link to a file,
  /// and the file has no other name.
  private static func isNew(_ file: FileLocation) -> Bool {
    var (name, target) = (stat(), stat())
    guard file.withCString({ lstat($0, &name) == 0 && stat($0, &target) == 0 }) else { return true }
    return name.st_mode & S_IFMT != S_IFLNK && target.st_nlink == 1
  }

  private func accepts(_ file: FileLocation) -> Bool {
    let names = file.bytes.dropFirst(root.beginning.count).split(separator: .slash)
    return rules.accepts(names.map { String(decoding: $0, as: UTF8.self) })
  }

  /// Reports a complete file unless it has been reported already. Returns false to stop.
  private func report(_ file: FileLocation, _ body: (FolderScan.Entry) -> Bool) -> Bool {
    !accepts(file) || !known.isNews(file) || body(.file(file))
  }

  /// Reports complete files, and folders that cannot be listed, that have not been reported yet; returns false to stop.
  @discardableResult
  private func lookThrough(_ body: (FolderScan.Entry) -> Bool) -> Bool {
    var unreadable: Set<FileLocation> = []
    defer { self.unreadable = unreadable }
    // Each folder is watched before it is listed: files completed later cause an event, and those completed earlier are
    // in the list. A file also counts as complete if it is unknown whether somebody has it open for writing.
    for entry in FolderScan(root, rules: rules, willList: watch) {
      switch entry {
      case .file(let file):
        if isComplete(file) ?? true, !report(file, body) { return false }
      case .unreadable(root, let reason):
        trouble = Directory.isFolder(root) ? "cannot keep watching: \(reason)" : gone
      case .unreadable(let place, _):
        unreadable.insert(place)
        if !self.unreadable.contains(place), !body(entry) { return false }
      }
    }
    return true
  }

  private func watch(_ folder: FileLocation, _ open: Int32) {
    // Its path may be longer than the system takes.
    let number = inotify_add_watch(descriptor, "/proc/self/fd/\(open)", Self.events)
    if number >= 0 {
      folders[number] = folder.beginning
      return
    }
    let code = errno
    let why =
      code == ENOSPC
      ? "the system's limit on watched folders has been reached; raise fs.inotify.max_user_watches"
      : String(cString: strerror(code))
    trouble = "cannot watch \(folder): \(why)"
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
