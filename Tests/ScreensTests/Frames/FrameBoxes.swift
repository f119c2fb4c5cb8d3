@testable import Screens

/// The boxes in a frame that nothing dims, found by their corners.
struct FrameBoxes {
  private(set) var boxes: [Layout.Box] = []
  /// What is wrong with the lines round them, in words.
  private(set) var faults: [String] = []

  private let frame: Frame
  private let isASCII: Bool

  init(_ frame: Frame, isASCII: Bool) {
    (self.frame, self.isASCII) = (frame, isASCII)
    let size = frame.size
    let signs = Self.corners.map { Glyph(sign: $0, ascii: isASCII).base }
    var corners = 0
    for row in 0..<size.height {
      for column in 0..<size.width where frame.at(row, column).style.role == .rule {
        guard signs.contains(frame.at(row, column).glyph.base) else { continue }
        corners += 1
        if isRule("╭", row, column), isRule("─", row, column + 1) { follow(row, column) }
      }
    }
    if corners != 4 * boxes.count { faults.append("\(corners) corners of \(boxes.count) boxes") }
  }

  private static let corners: [Unicode.Scalar] = ["╭", "╮", "╰", "╯"]

  /// Follows the line round the box whose upper left corner is here. In ASCII all corners are alike, so this may also be
  /// the lower left corner of a box.
  private mutating func follow(_ top: Int, _ left: Int) {
    guard isRule("│", top + 1, left) else { return }
    let right = (left + 1..<frame.size.width).first { isRule("╮", top, $0) }
    let bottom = (top + 1..<frame.size.height).first { isRule("╰", $0, left) }
    guard let right, let bottom else {
      return faults.append("\(top),\(left): no other corner")
    }
    if !isRule("╯", bottom, right) { faults.append("\(bottom),\(right): no corner") }
    for row in top + 1..<bottom {
      for column in [left, right] where !isRule("│", row, column) {
        faults.append("\(row),\(column): a gap in the edge")
      }
    }
    boxes.append(Layout.Box(rows: top..<bottom + 1, columns: left..<right + 1))
  }

  private func isRule(_ sign: Unicode.Scalar, _ row: Int, _ column: Int) -> Bool {
    guard (0..<frame.size.height).contains(row), (0..<frame.size.width).contains(column) else {
      return false
    }
    let cell = frame.at(row, column)
    return cell.style.role == .rule && cell.glyph == Glyph(sign: sign, ascii: isASCII)
  }
}

extension Frame {
  func at(_ row: Int, _ column: Int) -> Cell { cells[row * size.width + column] }

  /// The text in these columns of a line.
  func text(_ row: Int, _ columns: Range<Int>) -> String {
    var scalars = String.UnicodeScalarView()
    for column in columns.clamped(to: 0..<size.width) {
      let glyph = at(row, column).glyph
      for scalar in [glyph.base, glyph.mark, glyph.secondMark] where scalar != "\0" {
        scalars.append(scalar)
      }
    }
    return String(scalars)
  }

  func text(_ row: Int) -> String { text(row, 0..<size.width) }
}
