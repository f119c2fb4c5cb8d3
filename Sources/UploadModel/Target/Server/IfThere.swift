/// What is done with a file whose name is taken on the server.
package enum IfThere: String, Hashable, Sendable, Codable, CaseIterable {
  /// It is sent all the same, and takes the place of what is there.
  case replace
  /// It is not sent.
  case skip
  /// It is sent under the next free name, such as "photo (2).jpg".
  case rename
  /// It fails.
  case fail
  /// It fails, and the screen asks what is to be done.
  case ask

  /// What becomes of a file, in words that follow "the file".
  package var words: String {
    switch self {
    case .replace: "takes its place"
    case .skip: "is not sent"
    case .rename: "gets the next free name, such as \"name (2).ext\""
    case .fail: "fails"
    case .ask: "waits for an answer on the screen, and fails elsewhere"
    }
  }

  /// Whether nothing may be replaced, so that the server is asked what it has.
  package var keepsOthers: Bool { self != .replace }
}

extension Target {
  /// How to tell whether a name is taken.
  package enum NameCheck: Sendable {
    /// By the target's own question (`exists`).
    case exists
    /// By the address that the file is PUT to: a HEAD request before it, and a condition in the PUT itself.
    case address
    /// By the list of what is on the server.
    case list
    /// Only by the reply to the upload.
    case reply
  }

  /// How the server tells whether a name is taken; nil if it does not.
  package var nameCheck: NameCheck? {
    // A question about content says nothing about names.
    if exists != nil, exists?.asksForContent == false { return .exists }
    if method == "PUT", body == .binary, ticket == nil, !resume.isOn { return .address }
    if server.list != nil { return .list }
    let isTold = response.duplicates.contains { $0.status.map { !response.isOK($0) } == true }
    return isTold || hasOwnCondition ? .reply : nil
  }

  /// Whether the target's own header fields make its requests conditional.
  package var hasOwnCondition: Bool {
    (headers + publicHeaders).contains { $0.name.lowercased() == "if-none-match" }
  }

  /// Whether names that are taken must be left alone, so that files are checked by their names before they are sent.
  package var checksNames: Bool { ifThere?.keepsOthers == true }

  /// Whether files can be sent under another name than their own: what the server gets contains the name.
  package var sendsNames: Bool {
    if body == .multipart, fileName == nil { return true }
    let templates =
      nameCheck == .address
      ? [address].compactMap(\.self) + query.map(\.value)
      : [address, body == .multipart ? fileName : nil].compactMap(\.self) + query.map(\.value)
        + (ticket?.templates ?? [])
    return templates.contains { $0.placeholders.contains(where: \.isName) }
  }

  /// Whether the server keeps each file where its name or path says, so that a content that was sent under another name
  /// is somewhere else. A form's file name and most of its fields only describe a file.
  package var placesFiles: Bool {
    let places =
      [address].compactMap(\.self) + (query + headers + publicHeaders).map(\.value)
      + (ticket?.templates ?? []) + fields.filter { $0.name == "key" }.map(\.value)
    return places.contains { $0.placeholders.contains(where: \.isName) }
      || fields.contains { $0.value.placeholders.contains(.filePath) }
  }
}

extension Template.Placeholder {
  /// Whether it stands for the file's name or a part of it that distinguishes files.
  fileprivate var isName: Bool { [.fileName, .fileStem, .filePath].contains(self) }

  /// A name with a number, such as "photo (2).jpg".
  package static func numbered(_ name: String, _ number: Int) -> String {
    guard number > 1 else { return name }
    let (stem, ext) = split(name)
    return "\(stem) (\(number))\(ext.isEmpty ? "" : ".\(ext)")"
  }
}

extension Target {
  /// A request about what is at a file's own address.
  package func look(_ method: String) -> Call {
    var call = Call(url: address ?? Template(literal: url.absoluteString), method: method)
    call.query = query
    if let asks = response.sum?.request {
      call.headers = [Field(name: asks.name, value: Template(literal: asks.value))]
    }
    return call
  }
}
