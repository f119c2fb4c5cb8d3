import Foundation
import TestSupport
import Testing

@testable import Screens

/// The table of widths against Python's wcwidth, for every character that may reach the grid.
@Suite(.needs("peers")) struct DisplayWidthTests {
  @Test func agreesWithWcwidth() throws {
    let widths = try Self.peer()
    var wrong: [String] = []
    var compared = 0
    for value in UInt32(0x20)..<0x40000 {
      guard let scalar = Unicode.Scalar(value), Self.isShown(scalar) else { continue }
      // Spacing marks are drawn so that their width does not matter.
      if DisplayWidth.isSpacingMark(scalar) { continue }
      compared += 1
      let expected = widths[Int(value)]
      if DisplayWidth.of(scalar) != expected {
        wrong.append("U+\(String(value, radix: 16)): \(DisplayWidth.of(scalar)), not \(expected)")
      }
    }
    #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(40))")
    #expect(compared > 150_000)
  }

  /// Whether the scalar reaches the grid as it is.
  static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    guard !DisplayWidth.isDisputed(scalar), !DisplayWidth.isRegionalIndicator(scalar) else {
      return false
    }
    let text = Glyphs.of("啊\(scalar)", ascii: false).map(\.text).joined()
    return text.unicodeScalars.elementsEqual(["啊", scalar])
  }

  /// The width of each scalar from 0 to 0x3FFFF; -1 for controls.
  private static func peer() throws -> [Int] {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let python = root.appendingPathComponent(".build/peers/bin/python3")
    let process = Process()
    process.executableURL = python
    process.arguments = [
      "-c",
      "import wcwidth; print(' '.join(str(wcwidth.wcwidth(chr(c))) for c in range(0x40000)))",
    ]
    let output = Pipe()
    process.standardOutput = output
    do { try process.run() } catch {
      Issue.record("\(python.path) cannot be run (\(error)): run `make setup`")
      throw error
    }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let widths = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    try #require(widths.count == 0x40000, "wcwidth is missing in .build/peers: run `make setup`")
    return widths
  }
}
