import NIOHTTP1
import Testing

@testable import Receiver

@Suite("Routes")
struct RouteTests {
  @Test(
    "the first line of a request says what it asks for",
    arguments: [
      (HTTPMethod.POST, "/upload", Route.upload(maxFiles: 1)),
      (.POST, "/upload?album=2026", .upload(maxFiles: 1)),
      (.POST, "/multiupload", .upload(maxFiles: 7)), (.OPTIONS, "/upload", .limits(maxFiles: 1)),
      (.OPTIONS, "/multiupload", .limits(maxFiles: 7)),
      (.POST, "http://host:1/multiupload?x", .upload(maxFiles: 7)),
      (.GET, "/", .index), (.HEAD, "/?sort=name", .index), (.GET, "http://host", .index),
      (.GET, "/files/a%20b%C3%A9.txt", .file("a bé.txt")), (.GET, "/files/%2e%2e", .file("..")),
      (.GET, "/files/..%2Fx", .file("../x")), (.GET, "/files/", .file("")),
      (.DELETE, "/files/a%20b", .deletion("a b")),
    ])
  func known(method: HTTPMethod, target: String, route: Route) throws {
    #expect(try Route(method: method, target: target, maxFiles: 7) == route)
  }

  @Test(
    "anything else is 404, or 405 with what is allowed",
    arguments: [
      (HTTPMethod.GET, "/upload", HTTPResponseStatus.methodNotAllowed, "POST, OPTIONS"),
      (.PUT, "/multiupload", .methodNotAllowed, "POST, OPTIONS"),
      (.POST, "/", .methodNotAllowed, "GET, HEAD"),
      (.POST, "/files/x", .methodNotAllowed, "GET, HEAD, DELETE"),
      (.POST, "/Upload", .notFound, ""), (.POST, "/upload/", .notFound, ""),
      (.GET, "", .notFound, ""), (.OPTIONS, "*", .notFound, ""),
      (.GET, "/files/%FF", .notFound, ""),
    ])
  func unknown(
    method: HTTPMethod, target: String, status: HTTPResponseStatus, allow: String
  ) throws {
    let refusal = try #require(throws: Refusal.self) {
      try Route(method: method, target: target, maxFiles: 7)
    }
    #expect(refusal.status == status)
    #expect((refusal.headers.first { $0.0 == "Allow" }?.1 ?? "") == allow)
  }
}
