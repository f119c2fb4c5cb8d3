import ScalarText

/// What `Upload-Concat` says about the parts of a file (tus 1.0.0, "Concatenation").
enum Concatenation {
  /// The value for an upload that is a part of a file.
  static let partial = "partial"

  /// The identifiers of the uploads that are the parts of this one, in order; nil if this one is a part.
  static func parts(_ value: String) throws(Refusal) -> [String]? {
    let value = value.trimming(\.isBlank)
    if value == partial { return nil }
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
    return ids
  }
}
