import Foundation
import UploadModel

/// A request as it would go, made from the files as they are now, without anything being sent.
/// Secrets are shown as `$NAME`.
public struct RequestOutline: Hashable, Sendable {
  /// A part of the form.
  public struct Part: Hashable, Sendable {
    /// The form field.
    public var name: String
    /// The file name that the server is told; nil for a part that is not a file.
    public var fileName: String?
    /// The media type; nil where none is sent.
    public var type: String?
    /// The size of the content in bytes.
    public var bytes: Int64
  }

  /// The HTTP method.
  public var method: String
  /// Where it goes.
  public var url: String
  /// The header fields that hoist writes, sorted by name.
  public var headers: [Target.Header]
  /// The parts of the form; empty where the body is the file by itself.
  public var parts: [Part]
  /// The length of the body in bytes.
  public var length: Int64

  /// The request for uploads that go together, or why some of them cannot go.
  public static func of(
    _ uploads: [UploadJob], now: Date
  ) -> (preview: RequestOutline?, faults: [(item: ItemID, cause: Failure.Cause)]) {
    guard let first = uploads.first else { return (nil, []) }
    let key = RequestKey.of(uploads.map(\.item.uuid)) ?? first.item.uuid
    let (request, faults) = UploadRequest.make(
      uploads, key: key, to: first.target.url, credentials: .all(nil), mayExpect: true,
      now: now)
    let preview = request.map {
      RequestOutline($0, first.target, Template.Values(of: first.item, now: now, uuid: key), now)
    }
    return (preview, faults.flatMap { fault in fault.items.map { ($0, fault.cause) } })
  }

  private init(_ request: UploadRequest, _ target: Target, _ values: Template.Values, _ now: Date) {
    method = target.method
    url = target.addressStretches(with: values).shown
    length = request.body.contentLength
    let own = Dictionary(
      target.headers.map { ($0.name.lowercased(), $0.value.shown(with: values)) },
      uniquingKeysWith: { $1 })
    headers = request.exchange.headers
      .map { Target.Header(name: $0.name, value: own[$0.name.lowercased()] ?? $0.value) }
    headers.append(Target.Header(name: "Content-Length", value: "\(request.body.contentLength)"))
    if request.expectsContinue {
      headers.append(Target.Header(name: "Expect", value: "100-continue"))
    }
    if target.tokenCommand != nil {
      headers.append(Target.Header(name: "Authorization", value: "Bearer $TOKEN"))
    }
    headers.sort { $0.name < $1.name }
    let ranges = request.body.contentRanges
    guard target.body == .multipart else {
      parts = []
      return
    }
    parts = zip(target.fields, ranges).map { field, range in
      Part(name: field.name, type: field.type, bytes: range.upperBound - range.lowerBound)
    }
    for (position, (item, range)) in request.files.enumerated() {
      parts.append(
        Part(
          name: item.field ?? target.fileField,
          fileName: target.sentName(of: item, at: position, now: now), type: item.mediaType,
          bytes: range.upperBound - range.lowerBound))
    }
  }
}

extension Target {
  /// A header field with its value as it may be shown.
  public struct Header: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The value.
    public var value: String
  }
}
