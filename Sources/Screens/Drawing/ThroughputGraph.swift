/// Bytes per second as an area graph: in braille, with two columns of four dots per cell, or in ASCII, with three
/// levels per cell.
struct ThroughputGraph {
  /// How many seconds a cell stands for.
  static let seconds = 2

  /// The bytes of each second, the newest last.
  let values: [Int64]
  /// The value that the full height stands for: 1, 2 or 5 times a power of ten, so that the axis is easy to read.
  let scale: Int64

  init(_ values: [Int64]) {
    self.values = values
    let most = values.max() ?? 0
    var (scale, factors) = (1000.0, [2.0, 2.5, 2.0][...])
    while scale < Double(most), let factor = factors.popFirst() {
      scale *= factor
      factors.append(factor)
    }
    self.scale = Int64(exactly: scale) ?? .max
  }

  /// The lines of the graph from top to bottom, `width` cells each. The newest second is at the right.
  func rows(width: Int, height: Int, ascii: Bool) -> [[Glyph]] {
    let missing = max(0, width * Self.seconds - values.count)
    let shown = Array(repeating: 0, count: missing) + values.suffix(width * Self.seconds)
    let steps = ascii ? 3 : 4
    let levels = shown.map { level($0, of: height * steps) }
    return (0..<height).map { row in
      let below = (height - 1 - row) * steps
      return (0..<width).map { cell in
        let (left, right) = (levels[cell * 2] - below, levels[cell * 2 + 1] - below)
        return ascii ? Self.ascii(max(left, right)) : Self.braille(left, right)
      }
    }
  }

  /// How many of `steps` a value reaches; at least one if anything moved.
  private func level(_ value: Int64, of steps: Int) -> Int {
    guard value > 0 else { return 0 }
    return max(1, Int((Double(min(value, scale)) / Double(scale) * Double(steps)).rounded()))
  }

  private static func braille(_ left: Int, _ right: Int) -> Glyph {
    let dots = column(left, [0x40, 0x04, 0x02, 0x01]) | column(right, [0x80, 0x20, 0x10, 0x08])
    return Unicode.Scalar(0x2800 + dots).map { dots == 0 ? .space : Glyph(base: $0) } ?? .space
  }

  /// The dots of one column of a cell, from the bottom up to `level` (Unicode §21.1).
  private static func column(_ level: Int, _ dots: [UInt32]) -> UInt32 {
    dots.prefix(max(0, level)).reduce(0, |)
  }

  private static func ascii(_ level: Int) -> Glyph {
    switch level {
    case ...0: .space
    case 1: Glyph(base: ".")
    case 2: Glyph(base: ":")
    default: Glyph(base: "#")
    }
  }
}
