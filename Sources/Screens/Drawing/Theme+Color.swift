import ScalarText

extension Theme {
  /// A colour: one of the 256 that terminals number (8 usual ones, 8 bright ones, a cube of 216, and 24 greys, as in
  /// xterm), or any RGB colour.
  package enum Color: Hashable, Sendable {
    case index(UInt8)
    case rgb(UInt8, UInt8, UInt8)

    private static let usual = [
      "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
    ]
    private static let names = usual + usual.map { "bright-\($0)" }

    /// A colour by its name, its number, or as `#rrggbb`; `nil` if `text` is not a colour.
    init?(_ text: String) {
      if let index = UInt8(text) {
        self = .index(index)
      } else if let index = Self.names.firstIndex(of: text) {
        self = .index(UInt8(index))
      } else if text.hasPrefix(scalars: "#"), text.utf8.count == 7,
        let rgb = UInt32(text.dropFirst(), radix: 16)
      {
        self = .rgb(UInt8(rgb >> 16), UInt8(rgb >> 8 & 0xFF), UInt8(rgb & 0xFF))
      } else {
        return nil
      }
    }

    /// The closest of the first `count` of a terminal's numbered colours.
    package func among(_ count: Int) -> UInt8 {
      if case .index(let index) = self {
        if Int(index) < count { return index }
        // A terminal with eight colours has the usual one in place of the bright one.
        if (8..<16).contains(index), count >= 8 { return index - 8 }
      }
      // The first 16 of 256 colours look different in every terminal, so they are not used.
      let candidates = count >= 256 ? 16..<256 : 0..<max(1, min(count, 16))
      let wanted = components
      func distance(_ index: Int) -> Double {
        let difference = Self.components(UInt8(index)) - wanted
        return (difference * difference).sum()
      }
      return UInt8(candidates.min { distance($0) < distance($1) } ?? 0)
    }

    /// The colour `share` of the way, from 0 to 1, to another one.
    package func mixed(with other: Color, _ share: Double) -> Color {
      let mix = components + (other.components - components) * share
      return .rgb(UInt8(mix.x), UInt8(mix.y), UInt8(mix.z))
    }

    private var components: SIMD3<Double> {
      switch self {
      case .index(let index): Self.components(index)
      case .rgb(let r, let g, let b): SIMD3(Double(r), Double(g), Double(b))
      }
    }

    /// Red, green and blue, as in xterm.
    private static func components(_ index: UInt8) -> SIMD3<Double> {
      let number = Int(index)
      switch number {
      case 0..<16:
        let full = number < 8 ? 205.0 : 255.0
        return full * SIMD3(Double(number & 1), Double(number >> 1 & 1), Double(number >> 2 & 1))
      case 16..<232:
        let steps = [0.0, 95, 135, 175, 215, 255]
        let cube = number - 16
        return SIMD3(steps[cube / 36], steps[cube / 6 % 6], steps[cube % 6])
      default: return SIMD3(repeating: Double(8 + (number - 232) * 10))
      }
    }
  }
}
