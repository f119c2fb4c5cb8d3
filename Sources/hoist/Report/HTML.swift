import ScalarText
import UploadModel

/// A piece of a page. The program's own literals are markup. All other text can enter only by interpolation, which
/// makes it safe and escapes it.
struct HTML: ExpressibleByStringInterpolation {
  private(set) var source: String

  init(stringLiteral source: String) { self.source = source }

  init(stringInterpolation pieces: StringInterpolation) { source = pieces.source }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var source = ""

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) { source += literal }

    mutating func appendInterpolation(_ text: String) {
      source += SafeText.line(text).markup(apostrophe: "&#39;")
    }

    mutating func appendInterpolation(_ number: some BinaryInteger) { source += "\(number)" }

    mutating func appendInterpolation(_ piece: HTML) { source += piece.source }

    mutating func appendInterpolation(_ pieces: [HTML]) {
      for piece in pieces { source += piece.source }
    }
  }
}
