import Foundation
import MultipartForm
import ScalarText

/// A file to upload, and how to send it. Copies share the details until one of them changes: an item passes through
/// many places, and there can be a hundred thousand items.
package struct UploadItem: Hashable, Sendable, Identifiable {
  package var id: ItemID
  package var state: ItemState {
    didSet {
      noteSize()
      if case .failed(let failure) = state, case .clash(let clash) = failure.cause {
        record.clash = clash
      }
      if case .failed(let failure) = state, failure.mayMeetRemnant == true {
        record.mayHaveLeftRemnant = true
      }
      if failedAs != nil, state.failure == nil { failedAs = nil }
    }
  }
  private var details: Boxed<Details>

  /// Everything except its number and its state.
  private struct Details: Hashable, Sendable {
    var record: ItemRecord
    var size: Int64
    var identity: FileIdentity?
    /// Boxed, since hardly any item has any of this.
    var extras: Boxed<Extras>?
  }

  private struct Extras: Hashable, Sendable {
    var preparedSize: Int64?
    var wasInterrupted = false
    var resumePoint: ResumePoint?
    var sum: [UInt8]?
    var digests: ContentDigests?
    var digestMoment: FileMoment?
    var note: String?
    var failedAs: Boxed<ItemRecord>?
  }

  private var extras: Extras? { details.value.extras?.value }

  private mutating func changeExtras(_ change: (inout Extras) -> Void) {
    var extras = extras ?? Extras()
    change(&extras)
    details.value.extras = extras == Extras() ? nil : Boxed(extras)
  }

  /// What makes the item: whatever sends it again needs all of it.
  package var record: ItemRecord {
    _read { yield details.value.record }
    _modify { yield &details.value.record }
  }

  /// See `ItemRecord`.
  package static let chosenByHand = ItemRecord.chosenByHand

  /// Whether another attempt can resume the upload. It cannot if the upload began with another target.
  package var canGoOn: Bool { resumePoint?.holds(for: target) == true }

  /// How many of the file's bytes the server has, as far as is known; 0 if another attempt would not resume.
  package var keptBytes: Int64 { canGoOn ? resumePoint?.keptBytes ?? 0 : 0 }

  /// Why the upload failed and what to do; nil if it has not failed.
  package var explanation: String? { state.failure?.explanation(goesOn: canGoOn) }

  /// The size in bytes of the content that the target's command made of the file, if known and different from the
  /// file's own.
  package private(set) var preparedSize: Int64? {
    get { extras?.preparedSize }
    set { if newValue != preparedSize { changeExtras { $0.preparedSize = newValue } } }
  }

  /// The size in bytes of the content that is sent.
  package var sentSize: Int64 { preparedSize ?? size }

  /// Whether its file has been seen, so that its size is known.
  package var hasSize: Bool { identity != nil || sentSize > 0 }

  package func with(_ state: ItemState) -> UploadItem {
    var item = self
    item.state = state
    return item
  }

  /// Notes that the file is at another path. Its name follows, unless a person has chosen the name.
  package mutating func move(to path: String) {
    location = FileLocation(bytes: path.rawBytes)
    if !nameIsChosen, !location.name.isEmpty { fileName = location.name }
  }

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
        record: ItemRecord(
          uuid: uuid, target: target, location: location, fileName: fileName, field: field,
          mediaType: mediaType, typeSource: typeSource, typeIsCertain: typeIsCertain),
        size: size, identity: identity))
    self.state = state
  }

  /// The item that `record` describes, whose file has not been examined.
  package init(id: ItemID, _ record: ItemRecord, size: Int64 = 0, state: ItemState = .waiting) {
    self.id = id
    details = Boxed(Details(record: record, size: size))
    self.state = state
  }
}

// MARK: The parts of its record, which are described there

extension UploadItem {
  package var uuid: UUID { record.uuid }
  package var target: String {
    _read { yield details.value.record.target }
    _modify { yield &details.value.record.target }
  }
  package var location: FileLocation {
    _read { yield details.value.record.location }
    _modify { yield &details.value.record.location }
  }
  package var fileName: String {
    _read { yield details.value.record.fileName }
    _modify { yield &details.value.record.fileName }
  }
  package var nameIsChosen: Bool {
    _read { yield details.value.record.nameIsChosen }
    _modify { yield &details.value.record.nameIsChosen }
  }
  package var folder: String {
    _read { yield details.value.record.folder }
    _modify { yield &details.value.record.folder }
  }
  package var field: String? {
    _read { yield details.value.record.field }
    _modify { yield &details.value.record.field }
  }
  package var mediaType: String {
    _read { yield details.value.record.mediaType }
    _modify { yield &details.value.record.mediaType }
  }
  package var typeSource: String {
    _read { yield details.value.record.typeSource }
    _modify { yield &details.value.record.typeSource }
  }
  package var typeIsCertain: Bool {
    _read { yield details.value.record.typeIsCertain }
    _modify { yield &details.value.record.typeIsCertain }
  }
  package var contentType: String? {
    _read { yield details.value.record.contentType }
    _modify { yield &details.value.record.contentType }
  }
}

// MARK: The details

extension UploadItem {
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
  /// Whether the file was being sent when the program last ended, and so is sent again, or when a person paused it in
  /// another process.
  package var wasInterrupted: Bool {
    get { extras?.wasInterrupted ?? false }
    set { if newValue != wasInterrupted { changeExtras { $0.wasInterrupted = newValue } } }
  }
  /// Where the upload can resume, if its target resumes uploads and the upload has begun.
  package var resumePoint: ResumePoint? {
    get { extras?.resumePoint }
    set { if newValue != nil || resumePoint != nil { changeExtras { $0.resumePoint = newValue } } }
  }
  /// The SHA-256 of the content, if it was asked for.
  package var sum: [UInt8]? {
    get { extras?.sum }
    set { if newValue != nil || extras != nil { changeExtras { $0.sum = newValue } } }
  }
  /// The digests of the content that is sent, if the target's placeholders ask for them.
  package var digests: ContentDigests? {
    get { extras?.digests }
    set { if newValue != nil || extras != nil { changeExtras { $0.digests = newValue } } }
  }
  /// The moment whose content has these digests, if it was recorded.
  package var digestMoment: FileMoment? {
    get { extras?.digestMoment }
    set { if newValue != nil || extras != nil { changeExtras { $0.digestMoment = newValue } } }
  }
  /// A note about the item, such as that the same file has been sent before.
  package var note: String? {
    get { extras?.note }
    set { if newValue != nil || extras != nil { changeExtras { $0.note = newValue } } }
  }
  /// How it was to be sent when it failed, if that is known and it has been edited since.
  package var failedAs: ItemRecord? {
    get { extras?.failedAs?.value }
    set { if newValue != failedAs { changeExtras { $0.failedAs = newValue.map { Boxed($0) } } } }
  }
}
