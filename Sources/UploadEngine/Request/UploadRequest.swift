import Foundation
import HTTPTransport
import MultipartForm
import UploadModel

/// The request that carries one upload or several, with its body made from the files as they are now.
struct UploadRequest {
  let target: Target
  /// What the transport is given.
  let exchange: ExchangeRequest
  let body: FormBody
  /// The files in it, and where in the body the bytes of each lie.
  let files: [(item: UploadItem, content: Range<Int64>)]
  /// Whether the server is asked before the body is sent.
  let expectsContinue: Bool

  /// Bodies above this many bytes are worth the question, as for curl.
  private static let expectThreshold: Int64 = 1 << 20

  /// What the server is told about who we are.
  enum Credentials {
    /// The target's own header fields, and the token that a command gave.
    case all(BearerToken?)
    /// Nothing: it is another origin.
    case none
  }

  /// What keeps a request from being made, and which of its files it lies with: all where it is none
  /// in particular.
  struct Fault: Error {
    let cause: Failure.Cause
    let items: [ItemID]
  }

  /// The request for those of the uploads that can be sent, and why the others cannot. They go to the
  /// same target.
  ///
  /// - Parameter key: what `{uuid}` stands for.
  static func make(
    _ jobs: [UploadJob], key: UUID, to url: URL, credentials: Credentials, mayExpect: Bool,
    now: Date
  ) -> (request: UploadRequest?, faults: [Fault]) {
    var (jobs, faults) = (jobs, [Fault]())
    while !jobs.isEmpty {
      do throws(Fault) {
        let request = try UploadRequest(
          jobs, key: key, to: url, credentials: credentials, mayExpect: mayExpect,
          now: now)
        return (request, faults)
      } catch {
        faults.append(error)
        jobs.removeAll { error.items.contains($0.item.id) }
      }
    }
    return (nil, faults)
  }

  private init(
    _ jobs: [UploadJob], key: UUID, to url: URL, credentials: Credentials, mayExpect: Bool,
    now: Date
  ) throws(Fault) {
    let first = jobs[0].item
    target = jobs[0].target
    let values = Template.Values(of: first, now: now, uuid: key)
    if let same = target.sameName(in: jobs.map(\.item), now: now) {
      throw Fault(cause: same.cause, items: [same.item.id])
    }

    do {
      body = try Self.body(of: jobs, key: key, now: now)
    } catch {
      throw Self.fault(error, jobs)
    }
    files = zip(jobs, body.contentRanges.suffix(jobs.count)).map { ($0.item, $1) }

    var address = url
    if url == target.url {
      do throws(Failure.Cause) { address = try Self.url(of: target, values) } catch {
        throw Fault(cause: error, items: jobs.map(\.item.id))
      }
    }
    var fields = [("User-Agent", "hoist/\(UploadEngine.version)"), ("Accept", "*/*")]
    func set(_ name: String, _ value: String) {
      fields.removeAll { $0.0.lowercased() == name.lowercased() }
      fields.append((name, value))
    }
    // Another origin is given the form and no header field: that is where credentials are.
    if case .all(let token) = credentials {
      for field in target.headers {
        let value = field.value.filled(with: values)
        // A file's name may hold a line break, and so begin a header field of its own.
        guard !value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
          throw Fault(
            cause: .unsendable("the header field \(field.name) would hold a control character"),
            items: jobs.map(\.item.id))
        }
        set(field.name, value)
      }
      if let token { set("Authorization", token.headerValue) }
    }
    set("Content-Type", body.contentType)
    // The transport's to write, whatever a target says.
    fields.removeAll {
      ["content-length", "transfer-encoding", "expect"].contains($0.0.lowercased())
    }
    // Over HTTP/2 servers such as nginx leave the question open, and a reply can come at any time.
    expectsContinue =
      mayExpect && target.http != .http2 && body.contentLength > Self.expectThreshold
    var exchange = ExchangeRequest(
      url: address, method: target.method, headers: fields, body: UploadBody(form: body))
    exchange.expectsContinue = expectsContinue
    exchange.mayRepeat = target.isIdempotent(at: url)
    do throws(Failure.Cause) { try exchange.obey(target) } catch {
      throw Fault(cause: error, items: jobs.map(\.item.id))
    }
    self.exchange = exchange
  }

  /// The file by itself, or the form with all of them.
  private static func body(
    of jobs: [UploadJob], key: UUID, now: Date
  ) throws(BodyError) -> FormBody {
    let (first, target) = (jobs[0].item, jobs[0].target)
    let values = Template.Values(of: first, now: now, uuid: key)
    guard target.body == .multipart else {
      return try FormBody(
        rawFile: first.location, contentType: first.mediaType, expecting: first.identity)
    }
    var parts = target.fields.map { field in
      Part.text(name: field.name, value: field.value.filled(with: values), contentType: field.type)
    }
    for (position, item) in jobs.lazy.map(\.item).enumerated() {
      parts.append(
        Part.file(
          name: item.field ?? target.fileField, at: item.location,
          fileName: target.sentName(of: item, at: position, now: now),
          contentType: item.mediaType, expecting: item.identity))
    }
    return try FormBody(Form(parts: parts))
  }

  /// Whose fault it is that there is no body.
  private static func fault(_ error: BodyError, _ jobs: [UploadJob]) -> Fault {
    let culprits =
      switch error {
      case .file(let error): jobs.filter { $0.item.location == error.file }
      case .form(let error):
        error.part.map { $0 - jobs[0].target.fields.count }
          .flatMap { jobs.indices.contains($0) ? [jobs[$0]] : nil } ?? jobs
      }
    return Fault(
      cause: Failure.Cause(error, wasSeen: culprits.first?.item.identity != nil),
      items: culprits.map(\.item.id))
  }

  /// The target's own address with its placeholders filled in and its query added.
  private static func url(
    of target: Target, _ values: Template.Values
  ) throws(Failure.Cause) -> URL {
    var url = target.url
    if let address = target.address?.filled(with: values) {
      // The values are percent-encoded; dots alone would still lead to another place.
      guard let whole = URL(string: address), Origin(whole) == Origin(target.url),
        !whole.pathComponents.contains(where: { $0 == ".." || $0 == "." })
      else { throw .unsendable("its name makes no address that the target has") }
      url = whole
    }
    guard !target.query.isEmpty,
      var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return url }
    // What is in the URL stays as it is: a signature may cover it to the letter.
    let own = components.percentEncodedQuery.map { $0.isEmpty ? [] : [$0] } ?? []
    let added = target.query.map {
      let value = $0.value.filled(with: values)
      return "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode(value))"
    }
    components.percentEncodedQuery = (own + added).joined(separator: "&")
    return components.url ?? url
  }
}
