/// Something that a receiver does beside taking uploads. Your program writes it and mounts it with
/// ``Receiver/init(configuration:endpoints:onEvent:)``.
///
/// A request reaches an endpoint only after the receiver has checked its host, its origin and its token.
/// The receiver's own limits on headers, slow clients and connections hold for it, too.
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
  /// The receiver's own paths come first: `/`, `/upload`, `/multiupload` and `/files/…`. Of several
  /// endpoints the first that has the path answers.
  ///
  /// - Parameter path: the path as the request has it, with percent-encoding and without the query.
  func methods(at path: String) -> [String]?

  /// Answers a request. The body of a reply to `HEAD` is left out by the receiver.
  ///
  /// It runs on a thread that may wait for a disk. A connection whose request has a body that was not
  /// read to its end is closed after the reply.
  ///
  /// - Throws: ``Refusal`` to answer with an error. What reading the body throws should be passed on, and so should
  ///   what `MultipartForm` says of a form: these errors are the client's and are answered with 413, 415 or 400. Any other
  ///   error is answered with 500, and its description is not sent.
  func answer(_ request: inout EndpointRequest) async throws -> Reply
}
