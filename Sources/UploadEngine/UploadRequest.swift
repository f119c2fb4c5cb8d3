import Foundation
import FoundationNetworking
import MultipartForm
import UploadModel

/// One file and where it goes.
public struct UploadJob: Sendable {
  /// The file.
  public var item: UploadItem
  /// Its destination.
  public var target: Target

  /// What `{uuid}` stands for: the same in every attempt, so that it can serve as a key by which the
  /// server knows a repetition.
  var uuid = UUID()

  /// An upload of `item` to `target`.
  public init(item: UploadItem, target: Target) {
    self.item = item
    self.target = target
  }
}

/// The request that carries a job: its head for URLSession and its body, made from the file as it
/// is now.
struct UploadRequest {
  let head: URLRequest
  let body: FormBody
  /// Where in the body the file's own bytes lie.
  let content: Range<Int64>
  /// Whether the server is asked before the body is sent.
  let expectsContinue: Bool

  /// Bodies above this many bytes are worth the question, as for curl.
  private static let expectThreshold: Int64 = 1 << 20

  /// - Throws: `Failure.Cause`, in words for the person, where the file cannot be sent.
  init(
    _ job: UploadJob, to url: URL, keepsCredentials: Bool, mayExpect: Bool, now: Date
  ) throws(Failure.Cause) {
    let (item, target) = (job.item, job.target)
    let values = Template.Values(
      fileName: item.location.lastComponent, fileSize: item.size, fileType: item.mediaType,
      now: now, uuid: job.uuid)

    var parts = target.fields.map { field in
      Part.text(name: field.name, value: field.value.filled(with: values), contentType: field.type)
    }
    let file = Part.file(
      name: item.field ?? target.fileField, at: item.location, fileName: item.fileName,
      contentType: item.mediaType, expecting: item.identity)
    parts.append(file)
    do {
      body = try FormBody(Form(parts: parts))
    } catch {
      throw Failure.Cause(error, wasSeen: item.identity != nil)
    }
    content = body.contentRanges.last ?? 0..<0

    var head = URLRequest(url: Self.url(url, adding: url == target.url ? target.query : [], values))
    head.httpMethod = target.method
    head.cachePolicy = .reloadIgnoringLocalCacheData
    // The engine watches for stalls itself: this clock counts in whole seconds and ends without a
    // reason. It is set well behind.
    head.timeoutInterval = target.stallTimeout + 60
    head.setValue("hoist/\(UploadEngine.version)", forHTTPHeaderField: "User-Agent")
    head.setValue("*/*", forHTTPHeaderField: "Accept")
    // Another origin is given the form and no header field: that is where credentials are.
    if keepsCredentials {
      for field in target.headers {
        let value = field.value.filled(with: values)
        // A file's name may hold a line break, and so begin a header field of its own.
        guard !value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
          throw .unsendable("the header field \(field.name) would hold a control character")
        }
        head.setValue(value, forHTTPHeaderField: field.name)
      }
    }
    head.setValue(body.contentType, forHTTPHeaderField: "Content-Type")
    head.setValue(String(body.contentLength), forHTTPHeaderField: "Content-Length")
    // libcurl drops a header field whose value is blank, and with it the behaviour: no chunks, and
    // no waiting for a 100.
    head.setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
    // Over HTTP/2 servers such as nginx leave the question open, and a reply can come at any time.
    expectsContinue =
      mayExpect && target.http != .http2 && body.contentLength > Self.expectThreshold
    head.setValue(expectsContinue ? "100-continue" : " ", forHTTPHeaderField: "Expect")
    self.head = head
  }

  private static func url(
    _ url: URL, adding query: [Target.Field], _ values: Template.Values
  ) -> URL {
    guard !query.isEmpty,
      var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return url }
    // What is in the URL stays as it is: a signature may cover it to the letter.
    let own = components.percentEncodedQuery.map { $0.isEmpty ? [] : [$0] } ?? []
    let added = query.map { "\(encoded($0.name))=\(encoded($0.value.filled(with: values)))" }
    components.percentEncodedQuery = (own + added).joined(separator: "&")
    return components.url ?? url
  }

  /// Everything but the unreserved characters of RFC 3986 §2.3: a plus sign too, which many servers
  /// take for a space.
  private static func encoded(_ text: String) -> String {
    let unreserved = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }
}
