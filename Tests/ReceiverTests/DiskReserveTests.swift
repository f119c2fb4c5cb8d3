import Testing

@testable import Receiver

struct DiskReserveTests {
  @Test("a disk is looked at first of all, then every 8 MiB")
  func looks() throws {
    var (looks, free) = (0, Int64(100 << 20))
    var reserve = DiskReserve(bytes: 50 << 20) {
      looks += 1
      return free
    }
    for _ in 0..<(20 << 4) { try reserve.reserve(64 << 10) }
    #expect(looks == 3)
    free = 50 << 20
    #expect(throws: Refusal.self) { for _ in 0..<(8 << 4) { try reserve.reserve(64 << 10) } }
  }

  @Test("nothing is kept free unless that is asked for, and nothing refused for what is unknown")
  func without() throws {
    var none = DiskReserve(bytes: 0) { 0 }
    try none.reserve(.max)
    var unknown = DiskReserve(bytes: .max) { nil }
    try unknown.reserve(1)
  }
}
