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

  @Test("where nobody reads, nobody waits, and what was left out is said once somebody does")
  func full() throws {
    let pipe = Pipe()
    let lines = BackgroundLines(to: pipe.fileHandleForWriting.fileDescriptor)
    let long = String(repeating: "x", count: 1_000)
    // Ten times what a pipe and the list of lines hold.
    for _ in 0..<11_000 { lines.add(long) }
    lines.finish(within: 0.01)
    // A reader at last.
    var text = ""
    while !text.contains("left out") {
      let data = pipe.fileHandleForReading.availableData
      #expect(!data.isEmpty)
      text += String(decoding: data, as: UTF8.self)
    }
    let kept = text.split(separator: "\n").filter { $0.hasPrefix("x") }.count
    #expect(
      text.contains("hoist: \(11_000 - kept) lines were left out: they were not read in time"))
    #expect(kept >= 1_000)
  }
}
