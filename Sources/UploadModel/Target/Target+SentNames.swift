import Foundation

extension Target {
  /// The values of the placeholders in everything that is sent with a file. The UUID is the file's own, or the
  /// request's if it has several files.
  package func values(
    of item: UploadItem, on occasion: Occasion = Occasion(), now: Date, uuid: UUID
  ) -> Template.Values {
    var values = Template.Values(
      fileName: item.fileName, fileSize: item.size, fileType: sentType(of: item), now: now,
      uuid: uuid)
    values.folder = item.folder
    values.modified = item.identity?.modified ?? 0
    values.digests = item.digests
    occasion.fill(&values)
    return values
  }

  /// The media type that a file is sent with: the user's choice, else the target's own, else what the file seems to be.
  package func sentType(of item: UploadItem) -> String {
    guard let fileType, item.typeSource != UploadItem.chosenByHand else { return item.mediaType }
    return fileType
  }

  /// The name that a file has on the server if it is sent by itself, as far as hoist chooses it.
  package func nameOnServer(
    of item: UploadItem, on occasion: Occasion = Occasion(), now: Date
  ) -> String {
    body == .multipart ? sentName(of: item, on: occasion, at: 0, now: now) : item.fileName
  }

  /// The name that a file is sent with. `position` is its place in its request, from 0.
  ///
  /// Each file of a request has its own values: its UUID, and a time that is a millisecond later than the previous
  /// file's, as if the files had been named one after the other.
  package func sentName(
    of item: UploadItem, on occasion: Occasion = Occasion(), at position: Int, now: Date
  ) -> String {
    guard let fileName, !item.nameIsChosen else { return item.fileName }
    return fileName.filled(with: ownValues(of: item, on: occasion, at: position, now: now))
  }

  /// The form field that carries a file, filled in like the file's name.
  func sentField(
    of item: UploadItem, on occasion: Occasion, at position: Int, now: Date
  ) -> String {
    if let field = item.field { return field }
    if fileField.isLiteral { return fileField.fixedText }
    return fileField.filled(with: ownValues(of: item, on: occasion, at: position, now: now))
  }

  /// The form field that carries a companion, filled in like the name of the file that it goes with.
  func sentField(
    of companion: Companion, with item: UploadItem, on occasion: Occasion, at position: Int,
    now: Date
  ) -> String {
    companion.rule.field?.filled(
      with: ownValues(of: item, on: occasion, at: position, now: now))
      ?? sentField(of: item, on: occasion, at: position, now: now)
  }

  private func ownValues(
    of item: UploadItem, on occasion: Occasion, at position: Int, now: Date
  ) -> Template.Values {
    let own = now.addingTimeInterval(Double(position) / 1000)
    var values = values(of: item, on: occasion, now: own, uuid: item.uuid)
    values.index = position + 1
    return values
  }

  /// The first file of a request that has the same name as an earlier file in it, or had when it was to be sent with
  /// that one before; nil if there is no such file, or the target allows that.
  package func sameName(
    in items: [UploadItem], on occasion: Occasion = Occasion(), now: Date
  ) -> (item: UploadItem, cause: Failure.Cause)? {
    guard body == .multipart, !takesSameNames,
      items.count > 1 || items.contains(where: { $0.record.clash != nil })
    else { return nil }
    var names: Set<String> = []
    for (position, item) in items.enumerated() {
      let name = sentName(of: item, on: occasion, at: position, now: now)
      let clash = Clash.name(name)
      if item.record.clash != clash, names.insert(name).inserted { continue }
      return (item, .clash(clash))
    }
    return nil
  }
}
