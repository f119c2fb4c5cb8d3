import Foundation

/// A file's number in the file system, independent of its name (inode).
typealias FileNumber = UInt64

/// How files get their final names.
extension Inbox {
  /// Gives a temporary file its final name, without ever replacing another file, and returns it.
  ///
  /// A name that is taken gets ` (2)`, ` (3)` and so on. The file system decides who comes first.
  func publish(_ temporary: EntryName, as name: SafeFileName) throws(Failure) -> EntryName {
    var number = 1
    for _ in 1...10_000 {
      guard let candidate = Self.candidate(name, number) else {
        throw Failure(doing: "name the file", code: EINVAL)
      }
      let code = move(temporary, to: candidate)
      if code == 0 { return candidate }
      guard code == EEXIST else { throw Failure(doing: "name the file", code: code) }
      // Each round means that another upload got a name, so this ends.
      number = nextFree(name, after: number)
    }
    throw Failure(doing: "name the file", code: EEXIST)
  }

  /// The name of a file that was published as `name`, found by its number; nil if it has none.
  func find(_ number: FileNumber, named name: SafeFileName) -> EntryName? {
    for count in 1...10_000 {
      guard let candidate = Self.candidate(name, count) else { return nil }
      var status = stat()
      guard fstatat(descriptor, candidate.text, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
        return nil
      }
      if FileNumber(status.st_ino) == number { return candidate }
    }
    return nil
  }

  /// A number whose name was free a moment ago, found in as many steps as the number has bits, so that the thousandth
  /// file of one name does not look at the 999 before it.
  private func nextFree(_ name: SafeFileName, after number: Int) -> Int {
    var taken = number
    var free = taken * 2
    while exists(Self.candidate(name, free)), free < Int.max / 2 {
      (taken, free) = (free, free * 2)
    }
    while free - taken > 1 {
      let middle = taken + (free - taken) / 2
      if exists(Self.candidate(name, middle)) { taken = middle } else { free = middle }
    }
    return free
  }

  private static func candidate(_ name: SafeFileName, _ number: Int) -> EntryName? {
    EntryName(name.candidate(number == 1 ? nil : String(number)))
  }

  private func exists(_ name: EntryName?) -> Bool {
    guard let name else { return false }
    var status = stat()
    return fstatat(descriptor, name.text, &status, AT_SYMLINK_NOFOLLOW) == 0
  }

  /// Zero, or the value of `errno`: EEXIST if the name is taken.
  private func move(_ temporary: EntryName, to name: EntryName) -> Int32 {
    if linkat(descriptor, temporary.text, descriptor, name.text, 0) == 0 {
      remove(temporary)
      return 0
    }
    guard [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else { return errno }
    // A file system without hard links (FAT): take the name with an empty file, then replace that.
    let claim = open(name, O_WRONLY | O_CREAT | O_EXCL)
    guard claim >= 0 else { return errno }
    Foundation.close(claim)
    guard renameat(descriptor, temporary.text, descriptor, name.text) == 0 else {
      let code = errno
      remove(name)
      return code
    }
    return 0
  }
}
