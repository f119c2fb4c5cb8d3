import Foundation
import ScalarText

/// What a client says about a file in `Upload-Metadata` (tus 1.0.0, "Creation"): keys, each with a value in
/// Base64.
struct UploadMetadata {
  private var values: [String: String] = [:]

  init(_ header: String?) throws(Refusal) {
    guard let header, !header.trimming(\.isBlank).isEmpty else { return }
    for pair in header.split(scalar: ",") {
      let words = pair.trimming(\.isBlank).split(scalar: " ", maxSplits: 1)
      guard !words[0].isEmpty, values[words[0]] == nil else {
        throw Refusal(.badRequest, "Upload-Metadata has an empty key, or the same key twice.")
      }
      let sent = words.count == 2 ? words[1].trimming(\.isBlank) : ""
      guard let value = Data(base64Encoded: sent) else {
        throw Refusal(.badRequest, "The value of \(words[0]) in Upload-Metadata is not Base64.")
      }
      values[words[0]] = String(decoding: value, as: UTF8.self)
    }
  }

  /// The first nonempty value among those of the given keys, in the order of the keys.
  func first(of keys: String...) -> String? {
    keys.lazy.compactMap { values[$0] }.first { !$0.isEmpty }
  }
}
