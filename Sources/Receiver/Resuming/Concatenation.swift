import ScalarText

/// What a request says about the parts of a file (tus 1.0.0, "Concatenation").
enum Concatenation: Hashable {
  /// The value of `Upload-Concat` for a part.
  static let partial = "partial"

  /// The upload is a part of a file.
  case part
  /// The upload consists of the parts with these identifiers, in order.
  case whole([String])

  /// Parses the value of `Upload-Concat`.
  init(_ value: String) throws(Refusal) {
    let value = value.trimming(\.isBlank)
    if value == Self.partial {
      self = .part
      return
    }
    guard let list = value.removingPrefix(scalars: "final;") else {
      throw Refusal(
        .badRequest, "Upload-Concat must be \"partial\", or \"final;\" followed by the parts.")
    }
    var ids: [String] = []
    for address in list.split(scalar: " ") where !address.isEmpty {
      // A proxy may have put something before the path.
      let path = Route.path(of: address).split(scalar: "/")
      guard path.count > 1, path[path.count - 2] == "uploads", let id = path.last else {
        throw Refusal(.badRequest, "Upload-Concat names something that is not an upload here.")
      }
      ids.append(id)
    }
    guard !ids.isEmpty, Set(ids).count == ids.count else {
      throw Refusal(.badRequest, "Upload-Concat names no parts, or the same part twice.")
    }
    self = .whole(ids)
  }
}
