import JSONText
import Receiver

extension EndpointRequest {
  private static let mostJSON = 64 << 10
  /// The limits for JSON from a client.
  static let jsonLimits = JSONLimits(values: 10_000)

  mutating func json() async throws -> JSONValue {
    let bytes = try await bytes(atMost: Self.mostJSON)
    do throws(JSONError) {
      return try JSONValue(bytes: bytes, limits: Self.jsonLimits)
    } catch {
      throw Refusal(400, "The body cannot be read as JSON: \(error).")
    }
  }
}

extension Reply {
  static func json(_ value: JSONValue, status: Int = 200) -> Reply {
    Reply(
      status: status, headers: [("Content-Type", "application/json")],
      body: Array("\(value.source)\n".utf8))
  }
}
