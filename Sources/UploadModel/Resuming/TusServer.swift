import ScalarText

/// What a tus server can do, according to its reply to OPTIONS.
package struct TusServer: Hashable, Sendable, Codable {
  /// The size in bytes of the largest file that the server takes.
  package var maxSize: Int64?
  /// The extensions that it supports, such as `creation` and `termination`.
  package var extensions: Set<String> = []
  /// The strongest kind of checksum that both the server and hoist know: SHA-256 or SHA-1.
  package var checksum: ContentDigests.Algorithm?
  /// Whether the server says that it speaks only other versions of tus.
  package var isOfOtherVersion = false

  /// Whether the request that creates an upload may carry the beginning of its content.
  package var takesContentAtOnce: Bool { extensions.contains { $0 == "creation-with-upload" } }
}

extension TusServer {
  /// The version that hoist speaks.
  package static let version = "1.0.0"

  /// Reads the header fields of a server's reply, whose names are in lower case.
  package init(headers: [String: String]) {
    maxSize = headers["tus-max-size"].flatMap { Self.number($0) }
    extensions = Set(Self.list(headers["tus-extension"]))
    if extensions.contains(where: { $0 == "checksum" }) {
      let offered = Self.list(headers["tus-checksum-algorithm"])
      let known: [ContentDigests.Algorithm] = [.sha256, .sha1]
      checksum = known.first { offered.contains($0.rawValue) }
    }
    let versions = Self.list(headers["tus-version"])
    isOfOtherVersion = !versions.isEmpty && versions.allSatisfy { $0 != Self.version }
  }

  private static func list(_ text: String?) -> [String] {
    (text ?? "").split(scalar: ",").map { $0.trimming(\.isWhiteSpace).lowercased() }
      .filter { !$0.isEmpty }
  }

  /// A count of bytes: digits and nothing else.
  package static func number(_ text: String) -> Int64? {
    let digits = text.trimming(\.isWhiteSpace)
    guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { return nil }
    return Int64(digits)
  }
}
