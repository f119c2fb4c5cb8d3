import JSONText
import TestSupport

extension RawClient.Reply {
  /// The body as JSON.
  func json() throws -> JSONValue { try JSONValue(bytes: body) }

  /// The ids of the records in the body.
  func ids() throws -> [String] {
    guard case .array(let rows) = try json() else { return [] }
    return rows.map { if case .object(let members) = $0 { members["id"]?.text ?? "" } else { "" } }
  }
}

extension Wire {
  static func json(_ target: String, _ body: String, extra: [String] = []) -> String {
    head(target, length: body.utf8.count, extra: extra, type: "application/json") + body
  }

  static func get(_ target: String, method: String = "GET") -> String {
    "\(method) \(target) HTTP/1.1\r\nHost: test\r\n\r\n"
  }

  static func part(
    _ name: String, _ content: String, file: String? = nil, type: String? = nil
  ) -> String {
    "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\(file.map { "; filename=\"\($0)\"" } ?? "")\r\n"
      + (type.map { "Content-Type: \($0)\r\n" } ?? "") + "\r\n\(content)\r\n"
  }
}
