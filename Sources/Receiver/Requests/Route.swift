import Foundation
import NIOHTTP1
import ScalarText

/// What a request asks for, according to its first line alone.
enum Route: Hashable {
  /// Store files, at most this many from one request.
  case upload(maxFiles: Int)
  /// List the files that have arrived.
  case index
  /// Fetch one file.
  case file(String)
  /// Delete one file.
  case deletion(String)
  /// Create a tus upload, which arrives in several requests.
  case uploads
  /// Continue, query or delete a tus upload, or a resumable one that began at another path.
  case partial(id: String)
  /// Show the limits of resumable uploads with at most this many files.
  case limits(maxFiles: Int)
  /// Pass the request to a mounted endpoint, given by its index.
  case endpoint(Int)

  /// Finds the route of a request, or throws 404 or 405.
  init(
    method: HTTPMethod, target: String, maxFiles: Int, servesUploads: Bool = true,
    endpoints: [any ReceiverEndpoint] = []
  ) throws(Refusal) {
    let path = Self.path(of: target)
    let allowed: [String]
    switch path {
    case _ where !servesUploads:
      (self, allowed) = try Self.endpoint(at: path, endpoints, otherwise: "")
    case "/upload", "/multiupload":
      let maxFiles = path == "/upload" ? 1 : maxFiles
      self = method == .OPTIONS ? .limits(maxFiles: maxFiles) : .upload(maxFiles: maxFiles)
      allowed = ["POST", "OPTIONS"]
    case "/":
      (self, allowed) = (.index, ["GET", "HEAD"])
    case "/files":
      (self, allowed) = (.uploads, ["POST", "OPTIONS"])
    case _ where path.hasPrefix(scalars: "/uploads/"):
      // Clients use POST if something on the way forbids PATCH.
      let id = path.removingPrefix(scalars: "/uploads/") ?? ""
      (self, allowed) = (.partial(id: id), ["HEAD", "GET", "PATCH", "DELETE", "POST", "OPTIONS"])
    case _ where path.hasPrefix(scalars: "/files/"):
      guard let name = path.removingPrefix(scalars: "/files/")?.removingPercentEncoding else {
        throw Refusal(.notFound, "The address is not percent-encoded UTF-8.")
      }
      self = method == .DELETE ? .deletion(name) : .file(name)
      allowed = ["GET", "HEAD", "DELETE"]
    default:
      (self, allowed) = try Self.endpoint(
        at: path, endpoints,
        otherwise: Self.advice(maxFiles: maxFiles))
    }
    guard allowed.contains(method.rawValue) else {
      let list = allowed.joined(separator: ", ")
      // A client that knows only the receiver's address sends files there.
      let advice = servesUploads && path == "/" ? Self.advice(maxFiles: maxFiles) : ""
      throw Refusal(
        .methodNotAllowed, "Use \(list) here, not \(method.rawValue).\(advice)",
        headers: [("Allow", list)])
    }
  }

  /// Where files go, for someone who sends to another path.
  private static func advice(maxFiles: Int) -> String {
    " Send one file to /upload, up to \(maxFiles) to /multiupload."
  }

  /// The endpoint that serves a path, and its methods; throws 404 with this advice if no endpoint serves it.
  private static func endpoint(
    at path: String, _ endpoints: [any ReceiverEndpoint], otherwise advice: String
  ) throws(Refusal) -> (Route, methods: [String]) {
    for (number, endpoint) in endpoints.enumerated() {
      if let methods = endpoint.methods(at: path) { return (.endpoint(number), methods) }
    }
    throw Refusal(.notFound, "There is nothing here." + advice)
  }

  /// The path of a request target, which may be an absolute URL (RFC 9112, section 3.2.2).
  static func path(of target: String) -> String {
    guard let (_, rest) = RequestHost.split(target) else { return beforeQuery(target) }
    let path = beforeQuery(rest)
    return path.isEmpty ? "/" : path
  }

  private static func beforeQuery(_ target: String) -> String {
    String(
      decoding: target.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") },
      as: UTF8.self)
  }
}

/// The URLs of stored files.
enum FileURL {
  /// Characters that need no encoding in a path segment (RFC 3986, section 2.3).
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  static func make(_ base: String, _ name: String) -> String {
    base + "/files/" + (name.addingPercentEncoding(withAllowedCharacters: unreserved) ?? name)
  }
}
