import Foundation
import MultipartForm

/// A file to upload, and how to send it. Copies share the details until one of them changes: an item passes through
/// many places, and there can be a hundred thousand items.
package struct UploadItem: Hashable, Sendable, Identifiable {
  package var id: ItemID
  package var state: ItemState { didSet { noteSize() } }
  /// The size in bytes of the content that the target's command made of the file, if known and different from the
  /// file's own.
  package private(set) var preparedSize: Int64?
  private var details: Boxed<Details>

  /// Everything except its number and its state.
  private struct Details: Hashable, Sendable {
    let uuid: UUID
    var target: String
    var location: FileLocation
    var fileName: String
    var nameIsChosen = false
    var folder = ""
    var field: String?
    var mediaType: String
    var typeSource: String
    var typeIsCertain: Bool
    var contentType: String?
    var size: Int64
    var identity: FileIdentity?
    var wasInterrupted = false
    // Boxed, since hardly any item has a resume point.
    var resumePoint: Boxed<ResumePoint>?
    var sum: [UInt8]?
    var digests: ContentDigests?
    var digestMoment: Boxed<FileMoment>?
    var note: String?
  }

  /// The `typeSource` of a type that the user has chosen. Such a type stays when the file is examined again.
  package static let chosenByHand = "chosen by hand"

  /// Whether another attempt can resume the upload. It cannot if the upload began with another target.
  package var canGoOn: Bool { resumePoint?.holds(for: target) == true }

  /// Why the upload failed and what to do; nil if it has not failed.
  package var explanation: String? { state.failure?.explanation(goesOn: canGoOn) }

  /// The size in bytes of the content that is sent.
  package var sentSize: Int64 { preparedSize ?? size }

  package func with(_ state: ItemState) -> UploadItem {
    var item = self
    item.state = state
    return item
  }

  /// Notes that the file is at another path.
  package mutating func move(to path: String) { location = FileLocation(path) }

  private mutating func noteSize() {
    let sentSize: Int64? =
      switch state {
      case .sending(_, _, let total): total
      case .waiting, .preparing, .paused: size
      case .done(let receipt): receipt.sent?.size
      case .processing(let processing): processing.receipt.sent?.size
      case .awaitingReply, .retrying, .failed: nil
      }
    if let sentSize { preparedSize = sentSize == size ? nil : sentSize }
  }

  package init(
    id: ItemID, uuid: UUID = .random(), target: String = "", location: FileLocation,
    fileName: String? = nil, field: String? = nil,
    mediaType: String = "application/octet-stream", typeSource: String = "",
    typeIsCertain: Bool = true, size: Int64 = 0, identity: FileIdentity? = nil,
    state: ItemState = .waiting
  ) {
    self.id = id
    details = Boxed(
      Details(
        uuid: uuid, target: target, location: location,
        fileName: fileName ?? location.name, field: field, mediaType: mediaType,
        typeSource: typeSource, typeIsCertain: typeIsCertain, size: size, identity: identity))
    self.state = state
  }
}

// MARK: The details

extension UploadItem {
  /// The value of `{uuid}`. It is the same in every attempt, so that it can serve as an idempotency key.
  package var uuid: UUID { details.value.uuid }
  /// The name of the target that the file goes to; empty if there is only one target.
  package var target: String {
    _read { yield details.value.target }
    _modify { yield &details.value.target }
  }
  /// Where the file lies on this machine.
  package var location: FileLocation {
    _read { yield details.value.location }
    _modify { yield &details.value.location }
  }
  /// The file name to give the server, unless the target derives another name from it.
  package var fileName: String {
    _read { yield details.value.fileName }
    _modify { yield &details.value.fileName }
  }
  /// Whether the user chose the name, which then takes precedence over the target's.
  package var nameIsChosen: Bool {
    _read { yield details.value.nameIsChosen }
    _modify { yield &details.value.nameIsChosen }
  }
  /// The folders between the added folder and the file, each followed by a slash.
  package var folder: String {
    _read { yield details.value.folder }
    _modify { yield &details.value.folder }
  }
  /// The form field that carries the file; `nil` leaves it to the target.
  package var field: String? {
    _read { yield details.value.field }
    _modify { yield &details.value.field }
  }
  /// The media type to give the server, as `type/subtype`.
  package var mediaType: String {
    _read { yield details.value.mediaType }
    _modify { yield &details.value.mediaType }
  }
  /// Where the media type came from, in words: "by extension .jpg (shared-mime-info)".
  package var typeSource: String {
    _read { yield details.value.typeSource }
    _modify { yield &details.value.typeSource }
  }
  /// Whether the media type is certain enough to be shown without a question mark.
  package var typeIsCertain: Bool {
    _read { yield details.value.typeIsCertain }
    _modify { yield &details.value.typeIsCertain }
  }
  /// The type that the file's first bytes show, if they contradict its name.
  package var contentType: String? {
    _read { yield details.value.contentType }
    _modify { yield &details.value.contentType }
  }
  /// "!" if the file's first bytes contradict its name, "?" if the type is not certain.
  package var typeMark: String { contentType != nil ? "!" : typeIsCertain ? "" : "?" }
  /// The media type with its mark, for people.
  package var markedType: String { mediaType + typeMark }
  /// The size in bytes when the file was queued.
  package var size: Int64 {
    _read { yield details.value.size }
    _modify { yield &details.value.size }
  }
  /// The file as it was when it was queued; `nil` if it could not be read.
  package var identity: FileIdentity? {
    _read { yield details.value.identity }
    _modify { yield &details.value.identity }
  }
  /// Whether the file was being sent when the program last ended, and so is sent again.
  package var wasInterrupted: Bool {
    _read { yield details.value.wasInterrupted }
    _modify { yield &details.value.wasInterrupted }
  }
  /// Where the upload can resume, if its target resumes uploads and the upload has begun.
  package var resumePoint: ResumePoint? {
    get { details.value.resumePoint?.value }
    set { details.value.resumePoint = newValue.map(Boxed.init(_:)) }
  }
  /// The SHA-256 of the content, if it was asked for.
  package var sum: [UInt8]? {
    _read { yield details.value.sum }
    _modify { yield &details.value.sum }
  }
  /// The digests of the content that is sent, if the target's placeholders ask for them.
  package var digests: ContentDigests? {
    _read { yield details.value.digests }
    _modify { yield &details.value.digests }
  }
  /// The moment whose content has these digests, if it was recorded.
  package var digestMoment: FileMoment? {
    get { details.value.digestMoment?.value }
    set { details.value.digestMoment = newValue.map(Boxed.init(_:)) }
  }
  /// A note about the item, such as that the same file has been sent before.
  package var note: String? {
    _read { yield details.value.note }
    _modify { yield &details.value.note }
  }
}
