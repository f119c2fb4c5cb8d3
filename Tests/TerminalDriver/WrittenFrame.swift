import Foundation
import Screens

/// A frame in a file: a line about it, then its rows. A test compares them with what the terminal shows.
enum WrittenFrame {
  /// What separates the cells of a row, and what separates the parts of a cell.
  static let separators = (cells: "\u{1F}", parts: "\u{1E}")

  static func write(_ frame: Frame, to file: String) {
    let cursor = frame.cursor.map { "\($0.row) \($0.column)" } ?? "none"
    var lines = ["\(frame.theme.name) \(cursor)"]
    for row in 0..<frame.size.height {
      lines.append(
        frame.line(row).map { cell in
          let style = cell.style
          let address = style.link > 0 ? frame.links[Int(style.link) - 1] : ""
          return [
            cell.glyph.width > 0 ? cell.glyph.text : "", "\(cell.glyph.width)",
            "\(style.role.rawValue)", "\(style.ground.rawValue)", "\(style.shade)", address,
          ].joined(separator: separators.parts)
        }.joined(separator: separators.cells))
    }
    try? lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
  }
}
