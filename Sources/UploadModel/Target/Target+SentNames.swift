import Foundation

extension Template.Values {
  /// What the placeholders of a file's own name stand for.
  ///
  /// Each file of a request has values of its own: its UUID, and a moment that is a millisecond after that
  /// of the file before, as if they had been named one after the other.
  ///
  /// - Parameters:
  ///   - position: the file's place in its request, from 0.
  ///   - now: the moment of the request.
  public init(nameOf item: UploadItem, at position: Int, now: Date) {
    self.init(of: item, now: now.addingTimeInterval(Double(position) / 1000), uuid: item.uuid)
    index = position + 1
  }

  /// What the placeholders stand for in all that goes with a file.
  ///
  /// - Parameter uuid: what `{uuid}` stands for: that of the request, where several files go in it.
  public init(of item: UploadItem, now: Date, uuid: UUID) {
    self.init(
      fileName: item.fileName, fileSize: item.size, fileType: item.mediaType, now: now, uuid: uuid)
    folder = item.folder
  }
}

extension Target {
  /// The name that the server is told of a file.
  ///
  /// - Parameters:
  ///   - position: the file's place in its request, from 0.
  ///   - now: the moment of the request.
  public func sentName(of item: UploadItem, at position: Int, now: Date) -> String {
    guard let fileName, !item.nameIsChosen else { return item.fileName }
    return fileName.filled(with: Template.Values(nameOf: item, at: position, now: now))
  }

  /// The first file of a request whose name another one before it has, where the target does not take that.
  public func sameName(
    in items: [UploadItem], now: Date
  ) -> (item: UploadItem, cause: Failure.Cause)? {
    guard body == .multipart, !takesSameNames, items.count > 1 else { return nil }
    var names: Set<String> = []
    for (position, item) in items.enumerated() {
      let name = sentName(of: item, at: position, now: now)
      if !names.insert(name).inserted { return (item, .unsendable(Self.sameNameWords(name))) }
    }
    return nil
  }

  private static func sameNameWords(_ name: String) -> String {
    "another file of the same request is called \"\(name)\" as well, and the server may keep one of them "
      + "only; put {index} or {uuid} into file_name, or allow it with same_names = true"
  }
}
