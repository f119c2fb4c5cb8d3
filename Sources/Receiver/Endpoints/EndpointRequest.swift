import Foundation
import NIOCore
import NIOHTTP1
import ScalarText

/// A request for a ``ReceiverEndpoint``. Its body is read as it arrives.
public struct EndpointRequest {
  private let request: Request
  private let site: Site
  private var hasToContinue: Bool

  /// The path as in the request, percent-encoded and without the query.
  public let path: String

  init(_ request: Request, site: Site) throws(Refusal) {
    self.request = request
    self.site = site
    path = Route.path(of: request.head.uri)
    hasToContinue = try Admission.awaitsContinue(request.head)
  }

  /// The method, such as `POST`.
  public var method: String { request.head.method.rawValue }

  /// The query parameters, percent-decoded, in order.
  public var query: [URLQueryItem] { URLComponents(string: request.head.uri)?.queryItems ?? [] }

  /// The values of a header field, in order. The case of the name does not matter.
  public func header(_ name: String) -> [String] { request.head.headers[name] }

  /// The receiver's configuration.
  public var configuration: UploadReceiver.Configuration { site.configuration }

  /// The receiver's folder.
  public var folder: ReceiverFolder { ReceiverFolder(inbox: site.inbox) }

  /// The receiver's address, without a slash at its end: ``UploadReceiver/Configuration/publicURL``, or else the
  /// request's host over plain HTTP. Behind a proxy that terminates TLS, configure the public URL. For `Location`, use
  /// ``location(_:)``.
  public var baseURL: String { site.baseURL(request) }

  /// The value of `Location` for one of the receiver's paths. It is relative unless the receiver has a public URL, so
  /// that it is also valid behind a proxy.
  /// - Parameter path: starts with a slash.
  public func location(_ path: String) -> String { site.location(path) }

  /// The value of `Location` for a stored file, relative like ``location(_:)``.
  /// - Parameter name: the file's ``StoredFile/stored``.
  public func fileLocation(_ name: String) -> String { site.location(ofStored: name) }

  /// The URL of a stored file.
  /// - Parameter name: the file's ``StoredFile/stored``.
  public func url(ofStored name: String) -> String { FileURL.make(baseURL, name) }

  /// The next bytes of the body, at most 256 KiB; nil at its end. If the client waits for permission to continue
  /// (`Expect: 100-continue`), it gets that before the first bytes are read.
  /// - Throws: an error if the connection fails or the client is too slow.
  public mutating func nextBytes() async throws -> [UInt8]? {
    if hasToContinue {
      hasToContinue = false
      try await request.sendContinue()
    }
    return try await request.body.next().map { Array($0.readableBytesView) }
  }

  /// The whole body.
  /// - Throws: ``Refusal`` (413) if it is longer than `limit` bytes, and what ``nextBytes()`` throws.
  public mutating func bytes(atMost limit: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let piece = try await nextBytes() {
      guard piece.count <= limit - bytes.count else {
        throw Refusal(.payloadTooLarge, "At most \(limit) bytes are accepted here.")
      }
      bytes += piece
    }
    return bytes
  }

  /// Reads a form (`multipart/form-data`) and stores all of its files or none.
  ///
  /// - Parameters:
  ///   - minFiles: how many files the form must have; 0 if they are optional.
  ///   - maxFiles: how many files the form may have; ``UploadReceiver/Configuration/maxFiles`` if nil.
  ///   - check: examines the whole form before any of its files becomes visible. If it throws, none of the files is
  ///     kept.
  /// - Throws: ``Refusal`` if the body is not a form, has too few or too many files, or is too long, or if the disk has
  ///   no room for it; what `check` throws; what ``nextBytes()`` throws.
  public mutating func storeForm(
    minFiles: Int = 1, maxFiles: Int? = nil,
    checking check: (ReceivedForm) throws -> Void = { _ in }
  ) async throws -> StoredForm {
    // The site sends `100 Continue` itself, once the length of the form is known to fit.
    hasToContinue = false
    return try await site.store(
      request, minFiles: minFiles, maxFiles: maxFiles ?? configuration.maxFiles, checking: check)
  }

  /// Reads the end of a request without a body, so that another request can follow.
  mutating func finishWithoutBody() async throws {
    let head = request.head
    let hasLength = head.headers["content-length"].contains { Int($0.trimming(\.isBlank)) != 0 }
    guard !hasLength, head.headers["transfer-encoding"].isEmpty else { return }
    hasToContinue = false
    try await request.body.skip(atMost: 0)
  }
}
