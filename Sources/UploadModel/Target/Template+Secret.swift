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
    /// What is sent.
    package var value: String
    /// Where it comes from.
    package var source: Source

    package init(name: String, value: String, source: Source) {
      self.name = name
      self.value = value
      self.source = source
    }

    /// The secret's name as a valid name for a shell variable, such as `ALBUM_TOKEN`. Characters that a shell does not
    /// allow become underscores, since they could end the word that they are in. Only the name of an environment
    /// variable keeps its lower-case letters.
    var variable: String {
      let text = String(
        String.UnicodeScalarView(
          (source == .environment ? name : name.uppercased()).unicodeScalars.map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
              ? scalar : "_"
          }))
      guard let first = text.utf8.first else { return "_" }
      return (0x30...0x39).contains(first) ? "_\(text)" : text
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
