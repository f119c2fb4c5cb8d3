import UploadModel

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
