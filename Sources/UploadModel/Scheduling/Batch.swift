/// Decides which files share a request.
public enum Batch {
  /// A file in line, as far as batching depends on it.
  struct Candidate: Hashable, Sendable {
    /// The file.
    var id: ItemID
    /// Its size.
    var bytes: Int64
    /// What all files of a request have in common.
    var kind: Kind
  }

  /// What all files of a request have in common.
  struct Kind: Hashable, Sendable {
    /// Where they go.
    var target: Boxed<Target>
    /// The form field that carries them, where it is not the target's.
    var field: String?
    /// The number of attempts so far: all members of a batch must have the same number left.
    var attempts: Int
    /// Whether the file belongs to an existing group.
    var isTaken: Bool

    /// A kind of file.
    init(
      target: Boxed<Target>, field: String? = nil, attempts: Int = 0, isTaken: Bool = false
    ) {
      self.target = target
      // The target's own field, whether it is named or not.
      self.field = field == target.value.fileField ? nil : field
      self.attempts = attempts
      self.isTaken = isTaken
    }
  }

  /// The files of one batch: the first one and those behind it of the same kind, in the order of the line. A
  /// file that does not fit ends the batch, since it could otherwise be overtaken forever. Files of other
  /// kinds are skipped.
  static func plan(
    _ first: Candidate, before line: some Sequence<Candidate>, by rule: BatchRule
  ) -> [ItemID] {
    var (batch, bytes) = ([first.id], first.bytes)
    guard !first.kind.isTaken, rule.maxFiles > 1 else { return batch }
    for candidate in line where candidate.kind == first.kind {
      let (sum, isTooMuch) = bytes.addingReportingOverflow(candidate.bytes)
      guard !isTooMuch, sum <= rule.maxBytes else { break }
      batch.append(candidate.id)
      bytes = sum
      if batch.count >= rule.maxFiles { break }
    }
    return batch
  }
}

extension Target {
  /// Why the target cannot batch files, as a sentence without its full stop: a value that differs from file
  /// to file can be written only once in a request.
  public var batchConflict: String? {
    guard batch != nil else { return nil }
    if body == .binary { return "a binary body is one file, and a batch has several" }
    if address?.placeholders.contains(where: \.belongsToFile) == true {
      return "the URL differs from file to file, and a batch has several; leave one of the two out"
    }
    if let call = ticket?.call,
      (call.url.placeholders + (call.json?.placeholders ?? [])).contains(where: \.belongsToFile)
    {
      return "the ticket is for one file, and a batch has several; leave one of the two out"
    }
    for (kind, fields) in [("field", fields), ("query item", query), ("header", headers)] {
      for field in fields {
        guard let slot = field.value.placeholders.first(where: \.belongsToFile) else { continue }
        return "the \(kind) \"\(field.name)\" holds {\(slot.rawValue)}, which differs from file to "
          + "file, and a batch has several; leave one of the two out"
      }
    }
    return nil
  }
}

extension Template.Placeholder {
  /// Whether its value differs from file to file.
  fileprivate var belongsToFile: Bool {
    switch self {
    case .fileName, .fileStem, .fileExtension, .filePath, .fileSize, .fileType, .fileModified,
      .fileModifiedSeconds, .fileModifiedMilliseconds, .fileSHA256, .fileMD5, .index,
      .resultURL, .input, .output:
      true
    case .ticket, .reply, .unixMilliseconds, .unixSeconds, .iso8601, .uuid, .id: false
    }
  }
}

extension Batch {
  /// The files grouped into requests, as if all of them were waiting.
  public static func groups(of items: [UploadItem], to target: Target) -> [[UploadItem]] {
    guard let rule = target.batch else { return items.map { [$0] } }
    let target = Boxed(target)
    var (groups, rest) = ([[UploadItem]](), items[...])
    while let first = rest.first {
      let line = rest.map {
        Candidate(id: $0.id, bytes: $0.size, kind: Kind(target: target, field: $0.field))
      }
      let ids = Set(plan(line[0], before: line.dropFirst(), by: rule))
      groups.append(rest.filter { $0.id == first.id || ids.contains($0.id) })
      rest = rest.filter { $0.id != first.id && !ids.contains($0.id) }[...]
    }
    return groups
  }
}
