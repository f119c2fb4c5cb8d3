import ScalarText

// All text in here is Unicode scalars.

extension Template {
  /// A value that is sent but never shown.
  package struct Secret: Hashable, Sendable {
    /// Where it comes from.
    package enum Source: Hashable, Sendable {
      /// An environment variable.
      case environment
      /// The configuration's table of secrets.
      case table
      /// It is written in the configuration itself.
      case literal
      /// It was computed from other secrets.
      case derived
    }

    /// The name of the variable or of the secret.
    package var name: String
    package var value: String
    package var source: Source

    package init(name: String, value: String, source: Source) {
      (self.name, self.value, self.source) = (name, value, source)
    }

    /// The secret's name as a valid name for a shell variable, such as `ALBUM_TOKEN`. Characters that a shell does not
    /// allow become underscores, since they could end the word that they are in. Only the name of an environment
    /// variable keeps its lower-case letters.
    var variable: String {
      let scalars = (source == .environment ? name : name.uppercased()).unicodeScalars
        .map { $0.isASCII && UInt8(ascii: $0).isAlphanumeric ? $0 : "_" }
      let text = String(String.UnicodeScalarView(scalars))
      guard let first = text.utf8.first else { return "_" }
      return first.isDigit ? "_\(text)" : text
    }

    /// How the secret is written in the configuration; "…" if it has no placeholder there.
    func placeholder(written filter: String) -> String {
      switch source {
      case .environment: "{env.\(name)\(filter)}"
      case .table: "{secret.\(name)\(filter)}"
      case .literal, .derived: "…"
      }
    }
  }
}
