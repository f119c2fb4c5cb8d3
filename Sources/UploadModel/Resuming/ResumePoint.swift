import Foundation
import MultipartForm

/// Where an upload can go on: kept in the queue before the first byte of the file leaves.
public struct ResumePoint: Hashable, Sendable, Codable {
  /// The address that the server gave this one upload.
  public var url: URL
  /// The name of the target that it was begun for.
  public var target: String
  /// The file that it was begun with.
  public var identity: FileIdentity
  /// What is known of the moment at which the file held what was sent; nil in points of earlier versions.
  public var moment: FileMoment?
  /// How many bytes the server had when it said so last.
  public var offset: Int64 = 0
  /// The first of the file's bytes that the last attempt sent.
  public var start: Int64 = 0
  /// When the server forgets it, where it says so.
  public var expires: Date?
  /// Why an upload of the same file that was begun before it could not go on.
  public var loss: Loss?
  /// The protocol; nil for tus.
  public var mode: ResumeRules.Mode?
  /// The form around the file; nil where it goes by itself. Offsets count the form's bytes then.
  public var form: Form?

  /// What makes the bytes of a form the same again.
  public struct Form: Hashable, Sendable, Codable {
    /// What separates its parts.
    public var boundary: String
    /// When it was made, for `{now}`.
    public var made: Date
    /// A sum of all that is in it beside the file and secrets, in hexadecimal digits.
    var seal: String
    /// How many of its bytes come before the file's.
    var lead: Int64

    /// A form with these parts.
    public init(boundary: String, made: Date, seal: String, lead: Int64 = 0) {
      (self.boundary, self.made, self.seal, self.lead) = (boundary, made, seal, lead)
    }
  }

  /// Why an upload has to start over.
  public enum Loss: String, Hashable, Sendable, Codable {
    /// The file is not the one that the upload was begun with.
    case fileChanged
    /// Nothing shows that the file still holds what was sent of it.
    case fileUncertain
    /// The target says something else in the form around the file.
    case formChanged
    /// The server does not know it any more.
    case forgotten
    /// The server has said until when it would keep it, and that time is over.
    case expired
  }

  /// Whether the attempt that it was written down by had not sent anything of the file yet.
  public var isAtStart: Bool {
    moment?.isOver != true && min(max(0, offset - (form?.lead ?? 0)), identity.size) == start
  }

  /// Whether an item goes on there whose target has this name; it is empty where there is one target only.
  public func holds(for target: String) -> Bool { target.isEmpty || target == self.target }

  /// What a person should know of it while the file is sent; nil where nothing is worth a word.
  public var words: String? {
    if start > 0 { return "resumed at \(HumanReadable.percent(start, of: identity.size)) %" }
    switch loss {
    case .fileChanged: return "starts over: the file has changed"
    case .fileUncertain: return "starts over: the file may have changed"
    case .formChanged: return "starts over: the target's fields have changed"
    case .forgotten: return "starts over: the server had forgotten it"
    case .expired: return "starts over: the server kept it too short"
    case nil: return nil
    }
  }
}
