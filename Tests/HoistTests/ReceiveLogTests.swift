import Foundation
import Testing

@testable import Receiver
@testable import hoist

@Suite("What a receiver says")
struct ReceiveLogTests {
  private static func stored(_ name: String, _ size: Int64) -> ReceiverEvent {
    .stored(
      StoredFile(
        field: "file", name: name, stored: name, size: size, type: "image/jpeg",
        sha256: String(repeating: "ab", count: 32), url: ""), client: "192.168.1.7")
  }

  @Test("time, name and size of a file; the sum and the sender only on request; a total at the end")
  func lines() {
    let (plain, verbose) = (
      ReceiveLog(isVerbose: false, hasColours: false),
      ReceiveLog(isVerbose: true, hasColours: false)
    )
    let date = Date(timeIntervalSince1970: 1_000_000)
    let clock = date.localClock
    #expect(plain.sum == "nothing was received")
    #expect(plain.line(for: Self.stored("a.jpg", 3_200_000), at: date) == "\(clock)  a.jpg  3.2 MB")
    _ = plain.line(for: Self.stored("b.jpg", 1_000_000), at: date)
    _ = plain.line(for: .deleted("b.jpg", client: "::1"), at: date)
    #expect(plain.sum == "2 files, 4.2 MB received")
    let line = verbose.line(for: Self.stored("a.jpg", 3_200_000), at: date)
    #expect(
      line.hasSuffix("  image/jpeg  sha256 \(String(repeating: "ab", count: 32))  from 192.168.1.7")
    )
  }

  @Test("colours on a terminal only, and none that a name brings along")
  func colours() {
    let event = Self.stored("\u{1B}[31mred.jpg", 1)
    let date = Date(timeIntervalSince1970: 0)
    #expect(
      !ReceiveLog(isVerbose: true, hasColours: false).line(for: event, at: date).contains("\u{1B}"))
    let line = ReceiveLog(isVerbose: false, hasColours: true).line(for: event, at: date)
    #expect(line.hasPrefix("\u{1B}[2m") && !line.contains("\u{1B}[31m"))
  }
}
