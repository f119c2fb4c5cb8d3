/// How much is to be sent, or was sent: in bytes, and in work, which also counts what a request costs beside its
/// content. Of many small files, nearly all of the work is requests.
package struct Workload: Hashable, Sendable {
  /// The work of a request beside its content: as many bytes as could be sent meanwhile, if nothing better is known.
  /// It is about what a new connection takes before the first acknowledgement.
  package static let ofRequest: Int64 = 16_384

  package private(set) var bytes: Int64 = 0
  package private(set) var work: Int64 = 0

  package init() {}

  /// A whole file of `size` bytes.
  package init(file size: Int64) { (bytes, work) = (size, size &+ Self.ofRequest) }

  /// The first `count` of the `size` bytes of a file, with their share of its request.
  package init(first count: Int64, of size: Int64) {
    let count = max(0, count)
    guard count < size else {
      self = size > 0 ? Workload(file: size) : Workload()
      return
    }
    bytes = count
    let share = Double(count) / Double(size)
    work = bytes &+ Int64((share * Double(Self.ofRequest)).rounded(.up))
  }

  // The sizes of sparse files can add up to more than fits in 64 bits; sums that wrap around are right again once the
  // files are taken out.

  package static func + (a: Workload, b: Workload) -> Workload { a.adding(b, 1) }
  package static func - (a: Workload, b: Workload) -> Workload { a.adding(b, -1) }

  /// With another one added or, if `sign` is -1, taken out.
  func adding(_ other: Workload, _ sign: Int) -> Workload {
    var sum = self
    sum.bytes &+= Int64(sign) &* other.bytes
    sum.work &+= Int64(sign) &* other.work
    return sum
  }
}
