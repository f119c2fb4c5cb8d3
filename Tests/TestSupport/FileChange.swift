import Foundation

/// Changes of files that their size and the time of their content do not show.
public enum FileChange {
  /// Returns once the last change of a file lies so far back that its times can be trusted.
  public static func waitUntilOld(_ path: String) async throws {
    try await wait(for: "the file to be old") { () -> Bool? in
      var (status, now) = (stat(), timespec())
      stat(path, &status)
      clock_gettime(CLOCK_REALTIME, &now)
      let changed = status.st_ctim
      let age = Double(now.tv_sec - changed.tv_sec) + Double(now.tv_nsec - changed.tv_nsec) / 1e9
      // Times of whole seconds say less.
      return age > (changed.tv_nsec == 0 ? 2.5 : 0.5) ? true : nil
    }
  }

  /// Makes a file look as if it had been written this many seconds ago.
  ///
  /// Foundation's `setAttributes` has failed here on a busy machine, with an error number that it does not give.
  public static func age(_ path: String, seconds: Double) throws {
    let moment = Date(timeIntervalSinceNow: -seconds).timeIntervalSince1970
    let time = timespec(
      tv_sec: Int(moment), tv_nsec: Int(moment.truncatingRemainder(dividingBy: 1) * 1e9))
    var times = [time, time]
    guard utimensat(AT_FDCWD, path, &times, 0) == 0 else {
      throw POSIXError(.init(rawValue: errno) ?? .EIO)
    }
  }

  /// Does something to a file, and sets its times back.
  public static func keepingTimes(of path: String, _ work: () throws -> Void) throws {
    var status = stat()
    guard stat(path, &status) == 0 else { throw CocoaError(.fileReadNoSuchFile) }
    try work()
    var times = [status.st_atim, status.st_mtim]
    guard utimensat(AT_FDCWD, path, &times, 0) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
  }

  /// Writes other bytes over those of a file, and sets its times back.
  public static func rewrite(_ path: String, _ bytes: [UInt8]) throws {
    try keepingTimes(of: path) {
      let file = try FileHandle(forWritingTo: URL(filePath: path))
      try file.write(contentsOf: Data(bytes))
      try file.close()
    }
  }
}
