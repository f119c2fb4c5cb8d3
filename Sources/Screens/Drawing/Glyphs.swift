import UploadModel

/// Text as a row of glyphs whose widths all terminals agree on.
///
/// A cluster whose width terminals disagree on would shift everything to its right. So:
/// - Emoji joined by a zero-width joiner are shown one by one; without the joiner, no terminal draws them
///   as one. A joiner anywhere else becomes U+FFFD, since it would be invisible.
/// - Variation selectors and skin tones are left out: they choose the look, and in some terminals the width, of the
///   preceding character.
/// - Regional indicators, of which two make a flag, become circled letters: 🇩🇪 is shown as ⒹⒺ.
/// - Decomposed Hangul is composed; a vowel or final left over becomes U+FFFD.
/// - Characters whose width changed between versions of Unicode become U+FFFD.
/// - An Indic vowel that takes space makes one flexible glyph with its letter, in as many columns as the two
///   can take.
/// - A mark without a base gets a dotted circle. At most two marks on a character are shown.
enum Glyphs {
  /// `text` from outside, made safe and laid out on one line.
  static func of(_ text: some StringProtocol, ascii: Bool) -> [Glyph] {
    if text.utf8.count > longest { return of(shortened(text), ascii: ascii) }
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
      return text.utf8.map { Glyph(base: Unicode.Scalar($0)) }
    }
    if ascii {
      let plain = String.UnicodeScalarView(text.unicodeScalars.map { plainer[$0] ?? $0 })
      return SafeText.line(String(plain), ascii: true).utf8.map { Glyph(base: Unicode.Scalar($0)) }
    }
    return arrange(Array(SafeText.line(text).unicodeScalars))
  }

  /// ASCII in place of the typographic signs that have a counterpart in ASCII.
  private static let plainer: [Unicode.Scalar: Unicode.Scalar] = [
    "·": "-", "—": "-", "–": "-", "→": ">", "▲": "^", "…": "~", "‘": "'", "’": "'", "“": "\"",
    "”": "\"", "×": "x",
  ]

  /// The columns that `glyphs` take.
  static func width(_ glyphs: some Sequence<Glyph>) -> Int {
    glyphs.reduce(0) { $0 + Int($1.width) }
  }

  /// How long a text may be without being shortened, in bytes: longer than any line on a screen. Only malicious text is
  /// longer still.
  private static let longest = 8192

  private static func shortened(_ text: some StringProtocol) -> String {
    let scalars = text.unicodeScalars
    return String(String.UnicodeScalarView(scalars.prefix(1000)))
      + "…" + String(String.UnicodeScalarView(scalars.suffix(200)))
  }

  private static func arrange(_ scalars: [Unicode.Scalar]) -> [Glyph] {
    var glyphs: [Glyph] = []
    glyphs.reserveCapacity(scalars.count)
    for (index, scalar) in scalars.enumerated() {
      if scalar.value < 0x7F {
        glyphs.append(Glyph(base: scalar))
      } else if scalar.value == zeroWidthJoiner {
        if !joins(scalars, at: index) { glyphs.append(Glyph(base: replacement)) }
      } else if scalar.properties.isVariationSelector || scalar.properties.isEmojiModifier {
        continue
      } else if DisplayWidth.isRegionalIndicator(scalar) {
        let circled = Unicode.Scalar(scalar.value - 0x1F1E6 + 0x24B6)
        glyphs.append(Glyph(base: circled ?? replacement))
      } else if DisplayWidth.isDisputed(scalar) {
        glyphs.append(Glyph(base: replacement))
      } else {
        place(scalar, on: &glyphs)
      }
    }
    return glyphs
  }

  private static func place(_ scalar: Unicode.Scalar, on glyphs: inout [Glyph]) {
    let width = DisplayWidth.of(scalar)
    if DisplayWidth.isSpacingMark(scalar) {
      addSpacing(scalar, to: &glyphs)
    } else if width > 0 {
      glyphs.append(Glyph(base: scalar, width: UInt8(width)))
    } else if DisplayWidth.isHangulTail(scalar) {
      if let last = glyphs.last, let syllable = hangul(last.base, scalar) {
        glyphs[glyphs.count - 1].base = syllable
      } else {
        glyphs.append(Glyph(base: replacement))
      }
    } else if glyphs.isEmpty {
      glyphs.append(Glyph(base: dottedCircle, mark: scalar))
    } else if glyphs[glyphs.count - 1].mark == "\0" {
      glyphs[glyphs.count - 1].mark = scalar
    } else if glyphs[glyphs.count - 1].secondMark == "\0" {
      glyphs[glyphs.count - 1].secondMark = scalar
    }
  }

  private static func addSpacing(_ mark: Unicode.Scalar, to glyphs: inout [Glyph]) {
    guard var last = glyphs.popLast() else {
      return glyphs.append(Glyph(base: dottedCircle, mark: mark, width: 2, isFlexible: true))
    }
    guard last.width == 1, !last.isFlexible, last.secondMark == "\0", last.base.value >= 0x900
    else {
      glyphs += [last, Glyph(base: replacement)]
      return
    }
    if last.mark == "\0" { last.mark = mark } else { last.secondMark = mark }
    (last.width, last.isFlexible) = (2, true)
    glyphs.append(last)
  }

  /// Whether the joiner at `index` stands between two characters that can be joined.
  private static func joins(_ scalars: [Unicode.Scalar], at index: Int) -> Bool {
    guard index > 0, index + 1 < scalars.count else { return false }
    return scalars[index - 1].value > 0x2FF && scalars[index + 1].value > 0x2FF
  }

  /// The syllable that a Hangul consonant and vowel, or syllable and final, make (Unicode §3.12).
  private static func hangul(_ first: Unicode.Scalar, _ next: Unicode.Scalar) -> Unicode.Scalar? {
    let (a, b) = (first.value, next.value)
    if (0x1100...0x1112).contains(a), (0x1161...0x1175).contains(b) {
      return Unicode.Scalar(0xAC00 + ((a - 0x1100) * 21 + (b - 0x1161)) * 28)
    }
    if (0xAC00...0xD7A3).contains(a), (a - 0xAC00) % 28 == 0, (0x11A8...0x11C2).contains(b) {
      return Unicode.Scalar(a + b - 0x11A7)
    }
    return nil
  }

  private static let zeroWidthJoiner: UInt32 = 0x200D
  private static let replacement: Unicode.Scalar = "\u{FFFD}"
  private static let dottedCircle: Unicode.Scalar = "\u{25CC}"
}
