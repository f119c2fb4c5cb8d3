import Foundation
import UploadModel

/// How many files and connections the system lets this process have open at once (RLIMIT_NOFILE).
enum OpenFiles {
  /// With fewer than this, not even one file could be sent beside the queue, the screen and Dispatch.
  private static let fewest = 32
  /// What everything but the uploads needs.
  private static let own = 24
  /// The most that an upload has open: its file, its connection, the folder of a prepared file, and what
  /// looks a name up.
  private static let perLane = 4
  /// More than is ever needed.
  private static let enough = perLane * 64 + own + 64

  /// Raises the limit as far as it may be and is of use.
  /// - Throws: `UserError` where it is too low all the same.
  static func raiseLimit() throws(UserError) {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return }
    if limit.rlim_cur < enough {
      limit.rlim_cur = min(limit.rlim_max, rlim_t(enough))
      setrlimit(resource, &limit)
    }
    let left = self.left
    guard left < fewest else { return }
    throw UserError(
      "the system lets hoist open \(HumanReadable.count(max(0, left), "file")) only, and it needs \(fewest); "
        + "raise the limit (ulimit -n)", status: .someFailed)
  }

  /// As many lanes as there are files for, at least one.
  static func lanes(atMost wanted: Int) -> Int {
    min(wanted, max(1, (left - own) / perLane))
  }

  /// How many there may be besides those that were there when the program began.
  private static var left: Int {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < enough else { return enough }
    let most = Int32(limit.rlim_cur)
    return Int(most) - inherited.count { $0 < most }
  }

  private static let inherited = (0..<Int32(enough)).filter { fcntl($0, F_GETFD) >= 0 }

  #if os(Linux)
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    private static let resource = RLIMIT_NOFILE
  #endif
}
