import UploadModel

/// The lines of a summary that say why files failed.
enum ReasonLines {
  /// The most lines. A server that names each request has as many reasons as there are files.
  private static let most = 10

  /// A line for each of the most frequent reasons, and how many others there are.
  static func cut<Member>(
    _ groups: [FailureGroup<Member>], _ line: (FailureGroup<Member>) -> String
  ) -> [String] {
    let more = groups.count - most
    return groups.prefix(most).map { "  \(line($0))" }
      + (more > 0 ? ["  … and \(HumanReadable.count(more, "reason")) more"] : [])
  }
}
