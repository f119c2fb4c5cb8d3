import Foundation
import MultipartForm
import UploadDraft

/// Where an upload can resume. It is saved in the queue before the first byte of the file leaves.
package struct ResumePoint: Hashable, Sendable, Codable {
  /// The address that the server gave this one upload.
  package var url: URL
  /// The name of the target that the upload began with.
  package var target: String
  /// The file that the upload began with.
  package var identity: FileIdentity
  /// When the file contained the bytes that were sent, as far as is known.
  package var moment: FileMoment?
  /// How many bytes the server had when it last said so.
  package var offset: Int64 = 0
  /// How many of the file's bytes had been acknowledged when the last attempt broke off; nil once the server has said
  /// what it has of them.
  package var reached: Int64?
  /// The offset of the first of the file's bytes that the last attempt sent.
  package var start: Int64 = 0
  /// When the server forgets the upload, if it says when.
  package var expires: Date?
  /// Why an earlier upload of the same file could not resume.
  package var loss: Loss?
  /// The protocol; nil for tus.
  package var mode: ResumeRules.Mode?
  /// The version of the draft that the upload began with; nil for other protocols.
  package var draft: DraftVersion?
  /// The form around the file; the offsets then count the form's bytes. Nil if the file goes without one.
  package var form: Form?
  /// The progress of an upload in pieces; nil for any other upload.
  package var pieces: PieceProgress?

  package init(
    url: URL, target: String, identity: FileIdentity, moment: FileMoment? = nil, offset: Int64 = 0,
    start: Int64 = 0, expires: Date? = nil, loss: Loss? = nil, mode: ResumeRules.Mode? = nil,
    draft: DraftVersion? = nil, form: Form? = nil, pieces: PieceProgress? = nil
  ) {
    (self.url, self.target, self.identity, self.moment) = (url, target, identity, moment)
    (self.offset, self.start, self.expires, self.loss) = (offset, start, expires, loss)
    (self.mode, self.draft, self.form, self.pieces) = (mode, draft, form, pieces)
  }

  /// What is needed to make the same form again.
  package struct Form: Hashable, Sendable, Codable {
    /// The text that separates the parts of the form.
    package var boundary: String
    /// When the form was made, for `{now}`.
    package var made: Date
    /// A hash of everything in it except the file and secrets, in hexadecimal digits.
    package var seal: String
    /// How many of its bytes come before the file's.
    package var lead: Int64

    package init(boundary: String, made: Date, seal: String, lead: Int64 = 0) {
      (self.boundary, self.made, self.seal, self.lead) = (boundary, made, seal, lead)
    }
  }

  /// Why an upload must start over.
  package enum Loss: String, Hashable, Sendable, Codable {
    case fileChanged
    /// Nothing shows that the file still contains the bytes that were sent.
    case fileUncertain
    case formChanged
    case forgotten
    case expired
    /// A piece may have arrived, and the server must not get it twice.
    case pieceUncertain
  }

  /// All texts in the point that come from servers or the configuration.
  package var texts: [String] {
    [url.absoluteString] + (pieces.map { Array($0.begun.values) + $0.kept.joined() } ?? [])
  }

  /// Which of the file's bytes the server has; nil if those are always the first ones.
  package var taken: [Range<Int64>]? {
    pieces.flatMap { $0.done?.ranges(of: $0.size, in: identity.size) }
  }

  /// Whether the next attempt finds out what became of a request that may have finished the upload.
  package var settlesItself: Bool { pieces != nil }

  /// The version of the draft in which to resume.
  package var version: DraftVersion { draft ?? .newest }

  /// How many of the file's bytes the server had when it last said so.
  private var confirmedBytes: Int64 { min(max(0, offset - (form?.lead ?? 0)), identity.size) }

  /// How many of the file's bytes the server has, as far as is known.
  package var keptBytes: Int64 { max(confirmedBytes, reached ?? 0) }

  /// Whether the attempt that recorded the point had not yet sent any part of the file.
  package var isAtStart: Bool { moment?.isOver != true && confirmedBytes == start }

  /// Whether an item for this target can resume here. The name is empty if there is only one target.
  package func holds(for target: String) -> Bool { target.isEmpty || target == self.target }

  /// What the user should know about the upload while the file is sent; nil if there is nothing to say.
  package var words: String? {
    if start > 0 { return "resumed at \(HumanReadable.percent(start, of: identity.size))%" }
    switch loss {
    case .fileChanged: return "starts over: the file has changed"
    case .fileUncertain: return "starts over: the file may have changed"
    case .formChanged: return "starts over: the target's fields have changed"
    case .forgotten: return "starts over: the server had forgotten it"
    case .expired: return "starts over: the upload has expired"
    case .pieceUncertain: return "starts over: the reply to a piece was lost"
    case nil: return nil
    }
  }
}
