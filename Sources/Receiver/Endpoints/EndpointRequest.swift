import Foundation
import NIOCore
import NIOHTTP1
import ScalarText

/// A request for a ``ReceiverEndpoint``. Its body is read while it comes.
public struct EndpointRequest {
  private let request: Request
  private let service: Service
  private var hasToContinue: Bool

  /// The path as the request has it, with percent-encoding and without the query.
  public let path: String

  /// - Throws: ``Refusal``: 417 for an expectation other than `100-continue`.
  init(_ request: Request, service: Service) throws(Refusal) {
    self.request = request
    self.service = service
    path = Route.path(of: request.head.uri)
    hasToContinue = try Admission.awaitsContinue(request.head)
  }

  /// The method, such as `POST`.
  public var method: String { request.head.method.rawValue }

  /// The parameters behind the question mark, without percent-encoding, in their order.
  public var query: [URLQueryItem] { URLComponents(string: request.head.uri)?.queryItems ?? [] }

  /// The values of a header field, whose name may be in any case, in their order.
  public func header(_ name: String) -> [String] { request.head.headers[name] }

  /// What the receiver was made with.
  public var configuration: Receiver.Configuration { service.configuration }

  /// The receiver's folder.
  public var folder: ReceiverFolder { ReceiverFolder(inbox: service.inbox) }

  /// The receiver's address, without a slash at its end: ``Receiver/Configuration/publicURL``, or else what the request
  /// has as its host, over plain HTTP. Behind a proxy that ends TLS, the receiver has to be given its
  /// public URL; for `Location` there is ``location(_:)``.
  public var baseURL: String { service.baseURL(request) }

  /// What `Location` says for a path of the receiver's. It is relative unless the receiver has a public URL, so that it
  /// holds behind a proxy, too.
  /// - Parameter path: begins with a slash.
  public func location(_ path: String) -> String { service.location(path) }

  /// Where a stored file can be fetched.
  /// - Parameter name: its ``StoredFile/stored``.
  public func url(ofStored name: String) -> String { FileURL.make(baseURL, name) }

  /// The next bytes of the body, 256 KiB at the most; nil at its end. A client that asked whether to go on
  /// (`Expect: 100-continue`) is told so before the first.
  /// - Throws: what went wrong with the connection, or that the client was too slow.
  public mutating func nextBytes() async throws -> [UInt8]? {
    if hasToContinue {
      hasToContinue = false
      try await request.sendContinue()
    }
    return try await request.body.next().map { Array($0.readableBytesView) }
  }

  /// All of the body.
  /// - Throws: ``Refusal`` (413) if it is longer than `limit` bytes, and what ``nextBytes()`` throws.
  public mutating func bytes(atMost limit: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let piece = try await nextBytes() {
      guard piece.count <= limit - bytes.count else {
        throw Refusal(.payloadTooLarge, "At most \(limit) bytes are taken here.")
      }
      bytes += piece
    }
    return bytes
  }

  /// Takes in a form (`multipart/form-data`) and stores its files, all or none.
  ///
  /// - Parameters:
  ///   - maxFiles: how many files the form may have; ``Receiver/Configuration/maxFiles`` if nil.
  ///   - check: looks at the whole form before any of its files can be seen; throw to keep none of them.
  /// - Throws: ``Refusal`` for a form that is none, too long, or that the disk has no room for; what `check`
  ///   throws; what ``nextBytes()`` throws.
  public mutating func storeForm(
    maxFiles: Int? = nil, checking check: (ReceivedForm) throws -> Void = { _ in }
  ) async throws -> StoredForm {
    // It sends its own `100 Continue`, once the length of the form is known to fit.
    hasToContinue = false
    return try await service.store(
      request, maxFiles: maxFiles ?? configuration.maxFiles, checking: check)
  }

  /// Reads the end of a request that has no body, so that another one can follow.
  mutating func finishWithoutBody() async throws {
    let head = request.head
    let hasLength = head.headers["content-length"].contains { Int($0.trimming(\.isBlank)) != 0 }
    guard !hasLength, head.headers["transfer-encoding"].isEmpty else { return }
    hasToContinue = false
    try await request.body.skip(atMost: 0)
  }
}
