/// Sees to it that a part of the disk stays free while files are written: a chunked body does not say
/// how long it is, and several bodies share one disk.
struct DiskReserve {
  /// How many bytes are written between two looks; by so much it can be missed.
  static let interval: Int64 = 8 << 20

  private let bytes: Int64
  private let freeBytes: () -> Int64?
  private var untilLook: Int64 = 0

  /// - Parameters:
  ///   - bytes: what is left free; 0 for nothing.
  ///   - freeBytes: what is free on the disk, nil if unknown.
  init(bytes: Int64, freeBytes: @escaping () -> Int64?) {
    self.bytes = bytes
    self.freeBytes = freeBytes
  }

  /// Says that so many bytes are about to be written.
  /// - Throws: `Refusal` where there is no room for them.
  mutating func reserve(_ count: Int) throws(Refusal) {
    guard bytes > 0 else { return }
    untilLook -= Int64(count)
    guard untilLook < 0 else { return }
    untilLook = Self.interval
    guard let free = freeBytes(), free - Int64(count) < bytes else { return }
    throw Refusal(.insufficientStorage, "The disk has no room for the rest of the request.")
  }
}
