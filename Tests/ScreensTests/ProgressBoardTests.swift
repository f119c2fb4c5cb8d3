import MultipartForm
import Scheduling
import Testing
import UploadModel

@testable import Screens

@Suite("The bars of push")
struct ProgressBoardTests {
  private func item(_ id: Int64, _ name: String, _ state: ItemState) -> UploadItem {
    UploadItem(id: ItemID(id), location: FileLocation(name), size: 1_000_000, state: state)
  }

  /// What is known of files, and the bars that show it.
  private struct Shown {
    var progress = SendingProgress()
    var states: [ItemID: UploadItem] = [:]

    mutating func add(_ item: UploadItem) {
      progress.add(item)
      states[item.id] = item
    }

    mutating func record(_ item: UploadItem, at now: Instant) {
      progress.record(item, from: states[item.id] ?? item, at: now)
      states[item.id] = item
    }

    func frame(ascii: Bool = false, size: Size, at now: Instant) -> Frame {
      ProgressBoard(ascii: ascii).frame(of: progress, size: size, at: now)
    }
  }

  private func shown(files: Int64 = 3) -> Shown {
    var shown = Shown()
    for id in 1...files { shown.add(item(id, "\(id)", .waiting)) }
    for step in 0...10 {
      let now = Instant(seconds: Double(step))
      let sent = Int64(step) * 50_000
      for id in 1..<files {
        let name = id == 1 ? "漢字-of-a-long-name-\(id).jpeg" : "photo-\(id).jpeg"
        shown.record(item(id, name, .sending(attempt: 1, sent: sent, total: 1_000_000)), at: now)
      }
      shown.progress.settle(at: now)
    }
    return shown
  }

  @Test("with everything sent it says that replies are awaited, and neither a speed nor a time")
  func replies() {
    var shown = shown()
    let now = Instant(seconds: 11)
    shown.record(item(3, "3", .done(Fixture.receipt)), at: now)
    shown.record(item(1, "1", .awaitingReply(attempt: 1, since: now)), at: now)
    shown.progress.settle(at: now)
    shown.progress.isComplete = true
    let size = Size(width: 80, height: 24)
    #expect(text(shown.frame(size: size, at: now)).last?.contains("B/s") == true)
    shown.record(item(2, "2", .awaitingReply(attempt: 1, since: now)), at: now)
    shown.progress.settle(at: now)
    let last = text(shown.frame(size: size, at: Instant(seconds: 12))).last
    #expect(last?.contains("awaiting replies") == true)
    #expect(last?.contains("B/s") == false)
  }

  private func text(_ frame: Frame) -> [String] {
    (0..<frame.size.height).map { row in
      frame.line(row).map(\.glyph).filter { $0.width > 0 }.map(\.text).joined()
    }
  }

  @Test("show each file under way and all of them together")
  func usual() {
    let lines = text(shown().frame(size: Size(width: 79, height: 24), at: Instant(seconds: 10)))
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("漢字-of-a") && lines[0].contains(".jpeg"))
    #expect(lines[0].contains("50%") && lines[0].contains("1.0 MB") && lines[0].contains("kB/s"))
    #expect(lines[2].hasPrefix("0 of 3+ files") && lines[2].contains("3.0 MB+"))
  }

  @Test("count up, and know the time that is left when everything is counted")
  func counting() {
    var shown = shown()
    shown.progress.isComplete = true
    shown.record(item(1, "1", .done(Receipt(status: 200))), at: Instant(seconds: 10))
    shown.record(item(2, "2", .failed(Failure(.missing))), at: Instant(seconds: 10))
    shown.progress.settle(at: Instant(seconds: 10))
    let lines = text(shown.frame(size: Size(width: 100, height: 24), at: Instant(seconds: 10)))
    #expect(lines.count == 1)
    #expect(lines[0].contains("2 of 3 files") && lines[0].contains("66%"))
    #expect(lines[0].contains("1 failed"))
  }

  @Test(
    "fit into any terminal", arguments: [1, 5, 11, 20, 31, 40, 59, 60, 80, 132, 300], [1, 2, 5, 24])
  func sizes(width: Int, height: Int) {
    for ascii in [true, false] {
      let frame = shown(files: 40).frame(
        ascii: ascii, size: Size(width: width, height: height), at: Instant(seconds: 10))
      #expect(frame.size.width == width)
      #expect(frame.size.height <= max(2, height / 2 + 1))
      if ascii { #expect(text(frame).allSatisfy { $0.utf8.allSatisfy { $0 < 0x7F } }) }
      if width >= 20, height >= 5 { #expect(text(frame).joined().contains("more")) }
    }
  }
}
