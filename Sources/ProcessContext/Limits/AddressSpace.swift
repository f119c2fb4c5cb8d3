import Foundation
import UploadModel

/// How much address space the system lets this process have (RLIMIT_AS).
package enum AddressSpace {
  /// The fewest bytes that hoist needs. Threads and the allocator reserve far more than they use, and without room for
  /// that they crash or hang.
  private static let fewest: Int64 = 1 << 30

  /// Throws if the limit is too low.
  package static func check() throws(UserError) {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < fewest else { return }
    throw UserError(
      "the system limits hoist to \(HumanReadable.bytes(Int64(limit.rlim_cur))) of address space, but it needs "
        + "\(HumanReadable.bytes(fewest)); raise the limit (ulimit -v)", status: .someFailed)
  }
}
