/// Names of HTML character references (HTML §13.5) for ASCII and Latin-1. Programs that escape text use these names,
/// and write other characters as numbers.
enum HTMLNames {
  /// The length of the longest name.
  static let longest = 18

  /// The character that a name stands for. A name that is not in the table as it is written is looked up in lower case.
  static func scalar(_ name: String) -> UInt32? { names[name] ?? names[name.lowercased()] }

  private static let names: [String: UInt32] = {
    var names: [String: UInt32] = [
      "Tab": 0x09, "NewLine": 0x0A, "excl": 0x21, "quot": 0x22, "num": 0x23, "dollar": 0x24,
      "percnt": 0x25, "amp": 0x26, "apos": 0x27, "lpar": 0x28, "rpar": 0x29, "ast": 0x2A,
      "midast": 0x2A, "plus": 0x2B, "comma": 0x2C, "hyphen": 0x2D, "period": 0x2E, "sol": 0x2F,
      "colon": 0x3A, "semi": 0x3B, "lt": 0x3C, "equals": 0x3D, "gt": 0x3E, "quest": 0x3F,
      "commat": 0x40, "lsqb": 0x5B, "lbrack": 0x5B, "bsol": 0x5C, "rsqb": 0x5D, "rbrack": 0x5D,
      "Hat": 0x5E, "lowbar": 0x5F, "UnderBar": 0x5F, "grave": 0x60, "DiacriticalGrave": 0x60,
      "lcub": 0x7B, "lbrace": 0x7B, "verbar": 0x7C, "vert": 0x7C, "VerticalLine": 0x7C,
      "rcub": 0x7D, "rbrace": 0x7D,
    ]
    for (index, name) in latin1.utf8.split(separator: UInt8(ascii: " ")).enumerated() {
      names[String(decoding: name, as: UTF8.self)] = 0xA0 + UInt32(index)
    }
    return names
  }()

  /// The names of U+00A0 to U+00FF, in order.
  private static let latin1 = """
    nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 \
    sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc \
    Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve \
    Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute \
    acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde \
    ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
    """
}
