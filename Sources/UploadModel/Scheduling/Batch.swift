/// Decides which files share a request.
package enum Batch {
  /// The files of one batch: the first file and those of the same kind behind it, in the order of the line. A file that
  /// does not fit ends the batch. Otherwise, files behind it could overtake it forever. Files of other kinds are
  /// skipped.
  static func plan(
    _ first: Scheduler.File, before line: some Sequence<Scheduler.File>, by rule: BatchRule
  ) -> [ItemID] {
    var (batch, bytes) = ([first.id], first.bytes)
    guard rule.maxFiles > 1 else { return batch }
    for file in line
    where file.isKnownMissing == first.isKnownMissing && file.goes(with: first) {
      let (sum, isTooMuch) = bytes.addingReportingOverflow(file.bytes)
      guard !isTooMuch, sum <= rule.maxBytes else { break }
      batch.append(file.id)
      bytes = sum
      if batch.count >= rule.maxFiles { break }
    }
    return batch
  }

  /// The files grouped into requests, as if all of them were waiting.
  package static func groups(of items: [UploadItem], to target: Target) -> [[UploadItem]] {
    guard let rule = target.batch else { return items.map { [$0] } }
    let destination = SendPlan(target)
    var (groups, rest) = ([[UploadItem]](), items)
    while !rest.isEmpty {
      let line = rest.map {
        Scheduler.File(id: $0.id, bytes: $0.size, field: $0.field, plan: destination)
      }
      let ids = Set(plan(line[0], before: line.dropFirst(), by: rule))
      groups.append(rest.filter { ids.contains($0.id) })
      rest.removeAll { ids.contains($0.id) }
    }
    return groups
  }
}

extension Scheduler.File {
  /// The field that the user chose for the file, or else the target's.
  private var chosenField: Template { field.map(Template.init(literal:)) ?? plan.target.fileField }

  /// Whether both files may be in one request: they go to the same field of the same target, and have had the same
  /// number of attempts.
  func goes(with other: Self) -> Bool {
    plan == other.plan && attempts == other.attempts
      && (field == other.field || chosenField == other.chosenField)
  }
}

extension Target {
  /// Why the target cannot batch files, as a sentence without its full stop; nil if the target can batch files. A
  /// request has only one place for a value that differs from file to file.
  package var batchConflict: String? {
    guard batch != nil else { return nil }
    if body == .binary { return "a binary body carries one file, but a batch has several" }
    if address?.placeholders.contains(where: \.belongsToFile) == true {
      return
        "the URL differs from file to file, but a batch has several files; remove one or the other"
    }
    if ticket?.templates.flatMap(\.placeholders).contains(where: \.belongsToFile) == true {
      return "a ticket is for one file, but a batch has several files; remove one or the other"
    }
    if response.failures.contains(where: { $0.template?.isLiteral == false }) {
      return
        "fail_when compares with the checksum of one file, but a batch has several files; remove one or the other"
    }
    for (kind, fields) in [("field", fields), ("query item", query), ("header", headers)] {
      for field in fields {
        guard let slot = field.value.placeholders.first(where: \.belongsToFile) else { continue }
        return
          "the \(kind) \"\(field.name)\" contains {\(slot.rawValue)}, which differs from file to "
          + "file, but a batch sends several files in one request; remove one or the other"
      }
    }
    return nil
  }
}

extension Template.Placeholder {
  /// Whether the placeholder's value differs from file to file.
  package var belongsToFile: Bool {
    !(Self.always + Self.ofReplies + [.id, .opened]).contains(self)
  }
}
