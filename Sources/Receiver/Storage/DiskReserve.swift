/// Keeps a part of the disk free while files are written. Checking a request's length first is not enough: a
/// chunked body does not say how long it is, and several bodies share one disk.
struct DiskReserve {
  /// How many bytes are written between two checks. The free space may fall below the reserve by up to that many.
  static let interval: Int64 = 8 << 20

  /// How many bytes to keep free; 0 for no check.
  let bytes: Int64
  /// How many bytes are free on the disk; nil if unknown.
  let freeBytes: () -> Int64?
  private(set) var untilLook: Int64 = 0

  /// Call this before writing a number of bytes. Throws if there is no room for them.
  mutating func reserve(_ count: Int) throws(Refusal) {
    guard bytes > 0 else { return }
    untilLook -= Int64(count)
    guard untilLook < 0 else { return }
    untilLook = Self.interval
    guard let free = freeBytes(), free - Int64(count) < bytes else { return }
    throw Refusal(.insufficientStorage, "The disk has no room for the rest of the request.")
  }
}
