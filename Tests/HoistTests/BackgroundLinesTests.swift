import Foundation
import Testing

@testable import hoist

struct BackgroundLinesTests {
  @Test("lines come in their order, and all of them where somebody reads")
  func order() throws {
    let pipe = Pipe()
    let lines = BackgroundLines(to: pipe.fileHandleForWriting.fileDescriptor)
    for number in 0..<500 { lines.add("line \(number)") }
    lines.finish(within: 60)
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(text == (0..<500).map { "line \($0)\n" }.joined())
  }

  @Test("if nobody reads, nobody waits, and a reader who comes learns what was left out")
  func full() throws {
    let pipe = Pipe()
    let lines = BackgroundLines(to: pipe.fileHandleForWriting.fileDescriptor)
    let long = String(repeating: "x", count: 1_000)
    // Ten times what a pipe and the list of lines hold.
    for _ in 0..<11_000 { lines.add(long) }
    lines.finish(within: 0.01)
    // A reader at last. Every line is accounted for, at once or in several goes.
    var text = ""
    var (kept, leftOut) = (0, 0)
    while kept + leftOut < 11_000 {
      let data = pipe.fileHandleForReading.availableData
      try #require(!data.isEmpty)
      text += String(decoding: data, as: UTF8.self)
      guard text.hasSuffix("\n") else { continue }
      let whole = text.split(separator: "\n")
      kept = whole.count { $0 == long }
      leftOut = whole.compactMap {
        $0.wholeMatch(of: /hoist: (\d+) lines were left out: they were not read in time/)
          .flatMap { Int($0.1) }
      }.reduce(0, +)
    }
    #expect(kept + leftOut == 11_000 && leftOut > 0 && kept >= 1_000)
  }
}
