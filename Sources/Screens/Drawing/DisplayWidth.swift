/// How many columns a character takes in a terminal (Unicode Standard Annex #11, as `wcwidth` reads
/// it): 2 for East Asian wide and full-width characters and emoji, 0 for marks that sit on the
/// character before, 1 for all others, those of ambiguous width included.
enum DisplayWidth {
  /// The columns of one scalar that is not a control character.
  static func of(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    // A regional indicator alone is as wide as a letter.
    if value < 0x300 || isRegionalIndicator(scalar) { return 1 }
    if isWide(value) { return 2 }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    case _ where isHangulTail(scalar): return 0
    default: return value >= 0x231A && properties.isEmojiPresentation ? 2 : 1
    }
  }

  static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
    (0x1F1E6...0x1F1FF).contains(scalar.value)
  }

  /// Whether terminals disagree on the width: hexagrams and counting rods became wide in Unicode 16, and C
  /// libraries treat circled numbers and Hangul tone marks as wide although Unicode does not.
  static func isDisputed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x2630...0x2637, 0x268A...0x268F, 0x302E...0x302F, 0x3248...0x324F, 0x4DC0...0x4DFF,
      0x16FF0...0x16FF1, 0x1D300...0x1D376:
      true
    default: false
    }
  }

  /// Whether the scalar is a mark that takes space of its own, as the vowels of Indic scripts do. C libraries give it a
  /// column; newer terminals draw it together with its letter, in as many columns as both need.
  static func isSpacingMark(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x900 && scalar.properties.generalCategory == .spacingMark
  }

  /// The code points with East_Asian_Width W or F, except emoji, which the standard library knows. Unassigned code
  /// points between them are included, since they never get this far.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x3029, 0x3030...0x303E, 0x3041...0x3098,
    0x309B...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
    0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x16FE3, 0x16FF2...0x18DF2,
    0x1AFF0...0x1B2FB, 0x1F200...0x1F202, 0x1F210...0x1F23B, 0x1F240...0x1F248,
    0x1F250...0x1F251, 0x1F260...0x1F265, 0x20000...0x3FFFD,
  ]

  private static func isWide(_ value: UInt32) -> Bool {
    value >= 0x1100 && wide.first { $0.upperBound >= value }?.contains(value) == true
  }

  /// Whether the scalar is a vowel or a final of decomposed Hangul, drawn in one block with its first consonant.
  static func isHangulTail(_ scalar: Unicode.Scalar) -> Bool {
    (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FB).contains(scalar.value)
  }
}
