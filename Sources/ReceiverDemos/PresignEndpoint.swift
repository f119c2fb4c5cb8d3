import Digests
import Foundation
import JSONText
import Receiver

/// `/presign` issues a ticket for one upload, `/bucket` accepts the upload: presigned POST as in S3.
struct PresignEndpoint: ReceiverEndpoint {
  /// How long a ticket is valid, in seconds.
  private static let ticketSeconds = 300.0

  /// Signs tickets with a secret that lives as long as the endpoint.
  private let signer = PostPolicy.Signer(secretKey: randomBytes(32).hexadecimal)

  func methods(at path: String) -> [String]? {
    ["/presign", "/bucket"].contains(path) ? ["POST"] : nil
  }

  func answer(_ request: inout EndpointRequest) async throws -> Reply {
    request.path == "/presign" ? try await ticket(&request) : try await upload(&request)
  }

  private func ticket(_ request: inout EndpointRequest) async throws -> Reply {
    guard case .object(let members) = try await request.json(),
      case .string(let name)? = members["name"], !name.isEmpty
    else { throw Refusal(400, "Ask for a ticket with { \"name\": …, \"type\": … }.") }
    var type: String?
    if case .string(let text)? = members["type"], !text.isEmpty { type = text }
    let fields = PostPolicy.fields(
      key: "uploads/\(name)", contentType: type, mostBytes: request.configuration.limits.fileBytes,
      seconds: Self.ticketSeconds, now: Date(), signer: signer)
    return .json(
      .object([
        "url": .string("\(request.baseURL)/bucket"),
        "fields": .object(fields.mapValues { .string($0) }),
      ]))
  }

  private func upload(_ request: inout EndpointRequest) async throws -> Reply {
    let form = try await request.storeForm(maxFiles: 1) { form in
      try PostPolicy.check(form, signer: signer, now: Date())
    }
    return Reply(
      status: 204,
      headers: [
        ("Location", request.fileLocation(form.files[0].stored)),
        ("ETag", "\"\(form.files[0].sha256)\""),
      ])
  }
}
