import Testing
import UploadModel

@testable import UploadEngine

@Suite struct PaceTests {
  /// Asks for pieces on a line of so many bytes a second until the size settles.
  private func settled(bytesPerSecond: Double, limit: Int = 1 << 20) -> Int {
    var pace = Pace()
    var now = Moment(seconds: 100)
    var piece = 0
    for _ in 0..<40 {
      piece = pace.next(at: now, limit: limit)
      now = now + Double(piece) / bytesPerSecond
    }
    return piece
  }

  @Test(arguments: [
    (100e3, 64 << 10), (1e6, 64 << 10), (10e6, 500_000), (100e6, 1 << 20), (5e9, 1 << 20),
  ])
  func aPieceIsATwentiethOfASecond(speed: Double, piece: Int) {
    #expect(abs(settled(bytesPerSecond: speed) - piece) <= 2)
  }

  @Test func theFirstPieceIsSmall() {
    var pace = Pace()
    #expect(pace.next(at: Moment(seconds: 5), limit: 1 << 20) == 64 << 10)
  }

  @Test func noPieceIsLargerThanTheBuffer() {
    #expect(settled(bytesPerSecond: 1e9, limit: 16 << 10) == 16 << 10)
  }

  @Test func aPauseDoesNotThrowTheSizeAway() {
    var pace = Pace()
    var now = Moment(seconds: 0)
    for _ in 0..<40 {
      now = now + Double(pace.next(at: now, limit: 1 << 20)) / 100e6
    }
    #expect(pace.next(at: now + 30, limit: 1 << 20) == 1 << 19)
  }
}
