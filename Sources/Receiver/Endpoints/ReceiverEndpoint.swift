/// Something that a receiver does in addition to taking uploads. Your program implements it and mounts it with
/// ``UploadReceiver/init(configuration:endpoints:onEvent:)``.
///
/// A request reaches an endpoint only after the receiver has checked its host, its origin and its token.
/// The receiver's own limits on headers, slow clients and connections also apply to it.
///
/// ```swift
/// struct Health: ReceiverEndpoint {
///   func methods(at path: String) -> [String]? { path == "/health" ? ["GET", "HEAD"] : nil }
///
///   func answer(_ request: inout EndpointRequest) async throws -> Reply {
///     .json(["status": "well"])
///   }
/// }
/// ```
public protocol ReceiverEndpoint: Sendable {
  /// The methods that may be used at a path, such as `["GET", "HEAD"]`; nil if the path is not this
  /// endpoint's. Other methods are answered with 405 and this list.
  ///
  /// The receiver's own paths come first: `/`, `/upload`, `/multiupload`, `/uploads/…` and `/files/…`, unless
  /// ``UploadReceiver/Configuration/servesUploads`` is false. If several endpoints serve the path, the first one
  /// answers.
  ///
  /// - Parameter path: the path as in the request, percent-encoded and without the query.
  func methods(at path: String) -> [String]?

  /// Answers a request. The receiver omits the body of a reply to `HEAD`.
  ///
  /// It runs on a thread that may wait for a disk. A connection whose request has a body that was not
  /// read to its end is closed after the reply.
  ///
  /// - Throws: ``Refusal`` to answer with an error. Rethrow errors from reading the body, from parsing a form with
  ///   `MultipartForm` and from decoding what the client sent (`DecodingError`): these errors are the client's fault and
  ///   are answered with 413, 415 or 400. Any other error is answered with 500. Its description is not sent to the
  ///   client, but reported as ``ReceiverEvent/failed(error:request:client:)``. The same happens with a reply that cannot
  ///   be sent.
  func answer(_ request: inout EndpointRequest) async throws -> Reply
}
