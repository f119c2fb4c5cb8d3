import Foundation
import JSONText
import MultipartForm
import NIOCore
import NIOHTTP1

/// What the receiver does at its endpoints.
extension Service {
  /// The most bytes of a body that is JSON.
  private static let mostJSON = 64 << 10
  /// The most photos of a note.
  private static let mostPhotos = 100
  private static let limits = JSONLimits(values: 10_000)
  /// How long a ticket is good, in seconds.
  private static let ticketSeconds = 300.0

  func answer(
    _ endpoint: Endpoint, _ head: HTTPRequestHead, _ body: inout RequestBody,
    on channel: any Channel
  ) async throws -> Reply {
    let base = baseURL(head, on: channel)
    let query = URLComponents(string: head.uri)?.queryItems ?? []
    let bookmarks = Bookmarks(records: records)
    switch endpoint {
    case .notes: return try await record(head, &body, on: channel)
    case .addCatch: return try await addCatch(head, &body, on: channel)
    case .listCatches:
      try await body.skip(atMost: configuration.maxHeaderBytes)
      return try catches { try $0.list(query, baseURL: base) }
    case .deleteCatch:
      try await body.skip(atMost: configuration.maxHeaderBytes)
      return try catches { log in
        if let image = EntryName(try log.delete(query)), !image.isHidden { inbox.remove(image) }
        return CatchLog.answer()
      }
    case .bookmarks where head.method == .POST:
      return try bookmarks.create(try await json(head, &body), baseURL: base)
    case .bookmarks:
      try await body.skip(atMost: configuration.maxHeaderBytes)
      return try bookmarks.list(query)
    case .bookmark(let id):
      try await body.skip(atMost: configuration.maxHeaderBytes)
      guard head.method == .DELETE else { return try bookmarks.show(id) }
      return try bookmarks.delete(id)
    case .presign: return try presign(try await json(head, &body), baseURL: base)
    case .bucket: return try await bucket(head, &body, on: channel)
    }
  }

  // MARK: JSON

  private func json(_ head: HTTPRequestHead, _ body: inout RequestBody) async throws -> JSONValue {
    var bytes: [UInt8] = []
    while let buffer = try await body.next() {
      bytes += buffer.readableBytesView
      guard bytes.count <= Self.mostJSON else {
        throw Refusal(.payloadTooLarge, "At most \(Self.mostJSON) bytes of JSON are taken.")
      }
    }
    do throws(JSONError) {
      return try JSONValue(bytes: bytes, limits: Self.limits)
    } catch {
      throw Refusal(.badRequest, "The body is not JSON that is taken: \(error).")
    }
  }

  // MARK: Notes

  private func record(
    _ head: HTTPRequestHead, _ body: inout RequestBody, on channel: any Channel
  ) async throws -> Reply {
    let words = head.headers["authorization"].first?.pieces(at: " ", atMost: 2) ?? []
    guard words.count == 2, words[0].inLowerASCII == "bearer", !words[1].withoutBlanks.isEmpty
    else {
      throw Refusal(
        .unauthorized, "Notes need a token: send Authorization: Bearer TOKEN.",
        headers: [("WWW-Authenticate", "Bearer realm=\"hoist\"")])
    }
    let receipt = try await store(
      head, &body, maxFiles: max(configuration.maxFiles, Self.mostPhotos), on: channel
    ) { form in
      let wrong = form.files.first { $0.field != "file" }
      if let wrong {
        throw Refusal(.badRequest, "Photos go into \"file\", not into \"\(wrong.field)\".")
      }
      guard form.order.first == "request",  // not text
        form.types["request"] == "application/json",
        let text = form.single["request"],
        case .object(let note)? = JSONValue(text: text, limits: Self.limits),
        case .string? = note["rawMemo"]
      else {
        throw Refusal(
          .badRequest,
          "The first part has to be \"request\", application/json, with a rawMemo that is a string."
        )
      }
    }
    return .json(receipt)
  }

  // MARK: Catches

  private func catches(_ work: (CatchLog) throws -> Reply) throws -> Reply {
    do {
      return try work(CatchLog(records: records))
    } catch let complaint as CatchLog.Complaint {
      return CatchLog.answer(rc: complaint.rc, complaint.words)
    }
  }

  private func addCatch(
    _ head: HTTPRequestHead, _ body: inout RequestBody, on channel: any Channel
  ) async throws -> Reply {
    let log = CatchLog(records: records)
    do {
      let receipt = try await store(head, &body, maxFiles: 1, on: channel) { try log.check($0) }
      let fields = receipt.fields.compactMapValues(\.values.first)
      do {
        return try log.add(fields, image: receipt.files[0].stored)
      } catch {
        if let image = EntryName(receipt.files[0].stored) { inbox.remove(image) }
        throw error
      }
    } catch let complaint as CatchLog.Complaint {
      return CatchLog.answer(rc: complaint.rc, complaint.words)
    }
  }

  // MARK: Presigned POST

  private func presign(_ json: JSONValue, baseURL: String) throws -> Reply {
    guard case .object(let members) = json, case .string(let name)? = members["name"],
      !name.isEmpty
    else {
      throw Refusal(.badRequest, "A ticket is asked for with { \"name\": …, \"type\": … }.")
    }
    var type: String?
    if case .string(let text)? = members["type"], !text.isEmpty { type = text }
    let fields = PostPolicy.fields(
      key: "uploads/\(name)", contentType: type, mostBytes: configuration.maxFileBytes,
      seconds: Self.ticketSeconds, now: Date(), signer: signer)
    return .json(
      .object([
        "url": .string("\(baseURL)/bucket"), "fields": .object(fields.mapValues { .string($0) }),
      ]))
  }

  private func bucket(
    _ head: HTTPRequestHead, _ body: inout RequestBody, on channel: any Channel
  ) async throws -> Reply {
    let signer = signer
    let receipt = try await store(head, &body, maxFiles: 1, on: channel) { form in
      try PostPolicy.check(form, signer: signer, now: Date())
    }
    return Reply(
      status: .noContent,
      headers: [
        ("Location", receipt.files[0].url), ("ETag", "\"\(receipt.files[0].sha256)\""),
      ], body: .bytes([]))
  }
}
