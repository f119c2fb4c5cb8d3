import UploadModel

extension ItemList {
  /// The failed items, and those that may have arrived, grouped by reason.
  package var failureGroups: [FailureGroup<ItemID>] {
    FailureGroup.gathered(
      rows.lazy.compactMap { row in
        guard case .failed(let failure) = row.item.state else { return nil }
        let reason = FailureReason(failure, said: row.said, of: row.item.fileName)
        return (reason, row.item.id)
      })
  }
}
