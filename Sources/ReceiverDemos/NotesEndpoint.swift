import JSONText
import Receiver
import ScalarText

/// `/notes`: takes a form with a JSON part `request`, then photos in parts `file`. Requires a bearer token, but accepts
/// any.
struct NotesEndpoint: ReceiverEndpoint {
  /// How many photos a note may have, even if the receiver's own limit is lower.
  private static let mostPhotos = 100

  func methods(at path: String) -> [String]? { path == "/notes" ? ["POST"] : nil }

  func answer(_ request: inout EndpointRequest) async throws -> Reply {
    let words = request.header("authorization").first?.split(scalar: " ", maxSplits: 1) ?? []
    guard words.count == 2, words[0].lowercasedASCII == "bearer",
      !words[1].trimming(\.isBlank).isEmpty
    else {
      throw Refusal(
        401, "Notes need a token: send Authorization: Bearer TOKEN.",
        headers: [("WWW-Authenticate", "Bearer realm=\"hoist\"")])
    }
    let maxFiles = max(request.configuration.maxFiles, Self.mostPhotos)
    return .json(try await request.storeForm(maxFiles: maxFiles, checking: Self.check))
  }

  private static func check(_ form: ReceivedForm) throws(Refusal) {
    if let wrong = form.files.first(where: { $0.field != "file" }) {
      throw Refusal(400, "Photos go into \"file\", not into \"\(wrong.field)\".")
    }
    guard form.order.first == "request",  // not text
      form.types["request"] == "application/json", let text = form.fields["request"]?.first,
      case .object(let note)? = JSONValue(text: text, limits: EndpointRequest.jsonLimits),
      case .string? = note["rawMemo"]
    else {
      throw Refusal(
        400,
        "The first part has to be \"request\", application/json, with a rawMemo that is a string.")
    }
  }
}
