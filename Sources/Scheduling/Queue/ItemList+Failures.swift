import UploadModel

extension ItemList {
  /// The items that have failed, may have arrived or are doubtful, grouped by reason.
  package var problemGroups: [FailureGroup<ItemID>] { groups { _ in true } }

  /// The same without those that became doubtful in earlier sessions.
  package var sessionProblemGroups: [FailureGroup<ItemID>] { groups { !isFromBefore($0) } }

  private func groups(where isWanted: (UploadItem) -> Bool) -> [FailureGroup<ItemID>] {
    FailureGroup.gathered(
      rows.compactMap { row in
        guard let reason = Self.reason(of: row), isWanted(row.item) else { return nil }
        return (reason, row.item.id)
      })
  }

  private static func reason(of row: Row) -> FailureReason? {
    switch row.item.state {
    case .failed(let failure): FailureReason(failure, said: row.said, of: row.item.fileName)
    case .done(let receipt): FailureReason(receipt, of: row.item.fileName)
    default: nil
    }
  }
}
