import Foundation
import UploadModel

/// How many files and connections the system lets this process have open at once (RLIMIT_NOFILE).
package enum OpenFiles {
  /// With fewer descriptors, those of the queue, the screen and Dispatch would leave none for sending a file.
  private static let fewest = 32
  /// The number of descriptors needed by everything except uploads.
  private static let own = 24
  /// The most descriptors that an upload needs: its file, another file that waits to resume, its
  /// connection, the folder of a prepared file, and a name lookup.
  private static let perLane = 5
  /// More descriptors than are ever needed.
  private static let enough = perLane * 64 + own + 64

  /// Raises the limit as far as is allowed and useful. Throws if it is still too low.
  package static func raiseLimit() throws(UserError) {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return }
    if limit.rlim_cur < enough {
      limit.rlim_cur = min(limit.rlim_max, rlim_t(enough))
      setrlimit(resource, &limit)
    }
    let left = self.left
    guard left < fewest else { return }
    throw UserError(
      "the system lets hoist open only \(HumanReadable.count(max(0, left), "file")), and it needs \(fewest); "
        + "raise the limit (ulimit -n)", status: .someFailed)
  }

  /// The number of lanes that the limit allows, at least one.
  package static func lanes(atMost wanted: Int) -> Int {
    min(wanted, max(1, (left - own) / perLane))
  }

  /// How many descriptors the limit allows in addition to those that were open when the program started.
  private static var left: Int {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < enough else { return enough }
    let most = Int32(limit.rlim_cur)
    return Int(most) - inherited.count { $0 < most }
  }

  /// Must be called before the program opens anything that stays open. Counts only if the limit cannot be raised so far
  /// that the number does not matter.
  package static func countInherited() {
    var limit = rlimit()
    if getrlimit(resource, &limit) == 0, limit.rlim_max < enough { _ = inherited }
  }

  private static let inherited = (0..<Int32(enough)).filter { fcntl($0, F_GETFD) >= 0 }

  private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
}
