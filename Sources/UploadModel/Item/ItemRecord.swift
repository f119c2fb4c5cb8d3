import Foundation
import MultipartForm
import ScalarText

/// What makes an item: everything that its requests depend on, except what the target says and what the file contains.
///
/// Whatever sends an item again needs all of this, so the queue, the history and reports keep whole records. An item
/// that is made anew from a part of itself, such as its path, is another item: it can go to another address and
/// overwrite what is there.
package struct ItemRecord: Hashable, Sendable {
  /// The value of `{uuid}`. It is the same in every attempt, so that it can serve as an idempotency key.
  package var uuid: UUID
  /// Where the file lies on this machine.
  package var location: FileLocation
  /// The file name to give the server, unless the target derives another name from it.
  package var fileName: String
  private var kind: Boxed<Kind>

  /// What many files of a queue have in common. Their records can share it; see `Pool`.
  private struct Kind: Hashable, Sendable {
    var target: String
    var folder = ""
    var field: String?
    var mediaType: String
    var typeSource: String
    var typeIsCertain: Bool
    var contentType: String?
    var nameIsChosen = false
    var clash: Clash?
    var ifThere: IfThere?
    var mayHaveLeftRemnant = false

    /// Compares bytes: the names of two folders can be the same characters in other bytes.
    static func == (one: Kind, other: Kind) -> Bool {
      one.typeIsCertain == other.typeIsCertain && one.nameIsChosen == other.nameIsChosen
        && one.clash == other.clash && one.ifThere == other.ifThere
        && one.mayHaveLeftRemnant == other.mayHaveLeftRemnant
        && one.target.hasSameScalars(as: other.target)
        && one.folder.hasSameScalars(as: other.folder)
        && areSame(one.field, other.field)
        && one.mediaType.hasSameScalars(as: other.mediaType)
        && one.typeSource.hasSameScalars(as: other.typeSource)
        && areSame(one.contentType, other.contentType)
    }

    private static func areSame(_ one: String?, _ other: String?) -> Bool {
      guard let one, let other else { return one == other }
      return one.hasSameScalars(as: other)
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(folder)
      hasher.combine(mediaType)
    }
  }

  /// The `typeSource` of a type that the user has chosen. Such a type stays when the file is examined again.
  package static let chosenByHand = "chosen by hand"

  package init(
    uuid: UUID = .random(), target: String = "", location: FileLocation, fileName: String? = nil,
    field: String? = nil, mediaType: String = "application/octet-stream", typeSource: String = "",
    typeIsCertain: Bool = true
  ) {
    (self.uuid, self.location) = (uuid, location)
    self.fileName = fileName ?? location.name
    kind = Boxed(
      Kind(
        target: target, field: field, mediaType: mediaType, typeSource: typeSource,
        typeIsCertain: typeIsCertain))
  }
}

extension ItemRecord {
  /// The target that the file goes to, as a `TargetName`; empty if there is only one target.
  package var target: String {
    _read { yield kind.value.target }
    _modify { yield &kind.value.target }
  }
  /// The folders between the added folder and the file, each followed by a slash.
  package var folder: String {
    _read { yield kind.value.folder }
    _modify { yield &kind.value.folder }
  }
  /// The form field that carries the file; `nil` leaves it to the target.
  package var field: String? {
    _read { yield kind.value.field }
    _modify { yield &kind.value.field }
  }
  /// The media type to give the server, as `type/subtype`.
  package var mediaType: String {
    _read { yield kind.value.mediaType }
    _modify { yield &kind.value.mediaType }
  }
  /// Where the media type came from, in words: "by extension .jpg (shared-mime-info)".
  package var typeSource: String {
    _read { yield kind.value.typeSource }
    _modify { yield &kind.value.typeSource }
  }
  /// Whether the media type is certain enough to be shown without a question mark.
  package var typeIsCertain: Bool {
    _read { yield kind.value.typeIsCertain }
    _modify { yield &kind.value.typeIsCertain }
  }
  /// Sets the type, and what is known about it, in one step: each file's type is set when the file is examined.
  package mutating func setType(
    _ type: String, source: String, isCertain: Bool, contentType content: String?
  ) {
    func set(_ kind: inout Kind) {
      (kind.mediaType, kind.typeSource) = (type, source)
      (kind.typeIsCertain, kind.contentType) = (isCertain, content)
    }
    set(&kind.value)
  }
  /// The type that the file's first bytes show, if they contradict its name.
  package var contentType: String? {
    _read { yield kind.value.contentType }
    _modify { yield &kind.value.contentType }
  }

  /// Whether the user chose the name, which then takes precedence over the target's.
  package var nameIsChosen: Bool {
    _read { yield kind.value.nameIsChosen }
    _modify { yield &kind.value.nameIsChosen }
  }
  /// What keeps the file from being sent, since another file would be overwritten.
  package var clash: Clash? {
    _read { yield kind.value.clash }
    _modify { yield &kind.value.clash }
  }
  /// What to do if its name is taken on the server, as the user has chosen; nil leaves it to the target.
  package var ifThere: IfThere? {
    _read { yield kind.value.ifThere }
    _modify { yield &kind.value.ifThere }
  }
  /// Whether an attempt broke off after the server had got some of the file, so that it may have kept that under the
  /// file's name.
  package var mayHaveLeftRemnant: Bool {
    _read { yield kind.value.mayHaveLeftRemnant }
    _modify { yield &kind.value.mayHaveLeftRemnant }
  }

  /// Lets records share what they have in common: there can be hundreds of thousands of them.
  package struct Pool {
    private var known: Set<Boxed<Kind>> = []

    package init() {}

    package mutating func share(_ record: inout ItemRecord) {
      record.kind = known.insert(record.kind).memberAfterInsert
    }
  }
}

extension ItemRecord: Codable {
  private enum CodingKeys: String, CodingKey {
    case uuid, target, folder, field, typeSource, contentType, clash, ifThere
    case mayHaveLeftRemnant = "remnant"
    case location = "path"
    case fileName = "name"
    case nameIsChosen
    case mediaType = "type"
    case typeIsCertain
  }

  /// Reads a record as `encode` writes it. What every record has must be there: nothing is guessed.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      uuid: try values.decode(UUID.self, forKey: .uuid),
      target: try values.decode(String.self, forKey: .target),
      location: try values.decode(FileLocation.self, forKey: .location),
      fileName: try values.decode(String.self, forKey: .fileName),
      field: try values.decodeIfPresent(String.self, forKey: .field),
      mediaType: try values.decode(String.self, forKey: .mediaType),
      typeSource: try values.decode(String.self, forKey: .typeSource),
      typeIsCertain: try values.decodeIfPresent(Bool.self, forKey: .typeIsCertain) ?? true)
    nameIsChosen = try values.decodeIfPresent(Bool.self, forKey: .nameIsChosen) ?? false
    folder = try values.decodeIfPresent(String.self, forKey: .folder) ?? ""
    contentType = try values.decodeIfPresent(String.self, forKey: .contentType)
    clash = try values.decodeIfPresent(Clash.self, forKey: .clash)
    ifThere = try values.decodeIfPresent(IfThere.self, forKey: .ifThere)
    mayHaveLeftRemnant =
      try values.decodeIfPresent(Bool.self, forKey: .mayHaveLeftRemnant) ?? false
  }

  /// Leaves out what is as it is for most files, since there can be very many records.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(uuid, forKey: .uuid)
    try values.encode(target, forKey: .target)
    try values.encode(location, forKey: .location)
    try values.encode(fileName, forKey: .fileName)
    try values.encode(mediaType, forKey: .mediaType)
    try values.encode(typeSource, forKey: .typeSource)
    if !typeIsCertain { try values.encode(false, forKey: .typeIsCertain) }
    if nameIsChosen { try values.encode(true, forKey: .nameIsChosen) }
    if !folder.isEmpty { try values.encode(folder, forKey: .folder) }
    try values.encodeIfPresent(field, forKey: .field)
    try values.encodeIfPresent(contentType, forKey: .contentType)
    try values.encodeIfPresent(clash, forKey: .clash)
    try values.encodeIfPresent(ifThere, forKey: .ifThere)
    if mayHaveLeftRemnant { try values.encode(true, forKey: .mayHaveLeftRemnant) }
  }
}
