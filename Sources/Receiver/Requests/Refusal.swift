import Foundation
import MultipartForm
import NIOHTTP1

/// Why a request is answered with an error.
public struct Refusal: Error {
  var status: HTTPResponseStatus
  /// What is wrong and what to do, for the user at the other end.
  public var message: String
  /// Header fields, as names and values.
  public var headers: [(String, String)] = []
  /// The registered problem type (RFC 9457), if any, and its members.
  var problem: (type: String, members: [String: Int64])?

  /// The status code.
  public var code: Int { Int(status.code) }

  /// Refuses a request.
  ///
  /// - Parameters:
  ///   - code: the status code, from 400 to 599.
  ///   - message: what is wrong and what to do, for the user at the other end.
  ///   - headers: header fields, as names and values.
  public init(_ code: Int, _ message: String, headers: [(String, String)] = []) {
    self.init(HTTPResponseStatus(statusCode: code), message, headers: headers)
  }

  /// - Parameter problem: the last component of the registered problem type, if any.
  init(
    _ status: HTTPResponseStatus, _ message: String, headers: [(String, String)] = [],
    problem: String? = nil, members: [String: Int64] = [:]
  ) {
    (self.status, self.message, self.headers) = (status, message, headers)
    self.problem = problem.map {
      ("https://iana.org/assignments/http-problem-types#\($0)", members)
    }
  }

  /// 503 for a client that is welcome again after some seconds.
  static func busy(_ message: String, seconds: Int = 1) -> Refusal {
    Refusal(.serviceUnavailable, message, headers: [("Retry-After", "\(seconds)")])
  }

  /// Why this refusal cannot be sent; nil if it can.
  var fault: String? {
    guard (400...599).contains(code) else {
      return "it refused with the status \(code), which is not from 400 to 599"
    }
    return Reply.fault(in: headers)
  }

  /// The refusal for an error in a request or in storing its files; nil for any other error, such as one of the
  /// connection.
  init?(of error: any Error) {
    switch error {
    case let refusal as Refusal: self = refusal
    case let failure as Inbox.Failure: self.init(failure)
    case let error as ParserError: self.init(error)
    case let error as FormReadError: self.init(of: error.cause)
    case FormError.notMultipartForm: self.init(.unsupportedMediaType, "\(error)")
    case is FormError: self.init(.badRequest, "\(error)")
    case let error as DecodingError: self.init(.badRequest, Self.words(error))
    default: return nil
    }
  }

  /// What is wrong with a value that the client sent, without the names of Swift's types.
  private static func words(_ error: DecodingError) -> String {
    let (path, fault): ([any CodingKey], String) =
      switch error {
      case .keyNotFound(let key, let context): (context.codingPath + [key], "is missing")
      case .valueNotFound(_, let context): (context.codingPath, "is null or empty")
      case .typeMismatch(_, let context): (context.codingPath, "has a value of the wrong kind")
      case .dataCorrupted(let context): (context.codingPath, "has an invalid value")
      @unknown default: ([], "")
      }
    guard !path.isEmpty else { return "The body cannot be decoded." }
    let name = path.reduce("") { name, key in
      if let index = key.intValue { return "\(name)[\(index)]" }
      return name.isEmpty ? key.stringValue : "\(name).\(key.stringValue)"
    }
    return "\(name) \(fault)."
  }

  /// The error with a header field, unless it is no refusal or already has a field of that name.
  static func adding(_ field: (String, String), to error: any Error) -> any Error {
    guard var refusal = Refusal(of: error) else { return error }
    if !refusal.headers.contains(where: { $0.0 == field.0 }) { refusal.headers.append(field) }
    return refusal
  }

  /// 413 for a body that is too long, 400 for one that is malformed.
  init(_ error: ParserError) {
    switch error {
    case .tooManyParts, .fieldTooLong, .fieldsTooLong, .fileTooLong, .bodyTooLong:
      self.init(.payloadTooLarge, error.description)
    case .headerTooLong, .truncated, .header, .bareLineFeed, .malformedDelimiter,
      .delimiterAfterEnd, .stopped, .partPassed:
      self.init(.badRequest, error.description)
    }
  }

  /// The refusal for a client that did not send valid HTTP: 431 if the head is too long, otherwise 400.
  init(_ error: HTTPParserError) {
    if error == .headerOverflow {
      self.init(.requestHeaderFieldsTooLarge, "The head of the request is too long.")
    } else {
      self.init(.badRequest, "This is not HTTP: \(error).")
    }
  }

  /// The refusal for an error of the file system, such as 507 for a full disk (RFC 4918, section 11.5).
  init(_ failure: Inbox.Failure) {
    let words = errorText(failure.code)
    switch failure.code {
    case ENOSPC, EDQUOT:
      self.init(.insufficientStorage, "The disk of the receiver is full: \(words).")
    case EFBIG:
      self.init(.payloadTooLarge, "The file is too long for the disk of the receiver: \(words).")
    case EMFILE, ENFILE:
      self = .busy("The receiver has too many files open. Try again.")
    case EACCES, EPERM, EROFS:
      // 507 here too: unlike 500, it does not suggest that another attempt may help.
      self.init(
        .insufficientStorage,
        "The receiver could not \(failure.doing) in its folder: \(words).")
    case EAGAIN:
      self = .busy("The receiver could not \(failure.doing): the file is in use. Try again.")
    default:
      self.init(.internalServerError, "The receiver could not \(failure.doing): \(words).")
    }
  }
}
