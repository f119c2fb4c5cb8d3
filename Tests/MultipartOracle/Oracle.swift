import MultipartForm

/// Laws that hold for every input, whatever it is. Breaking one is a crash, as fuzzers want it.
///
/// The input's first byte picks a boundary, limits and a chunking; the rest is a body.
public enum Oracle {
  /// The boundaries that an input can pick.
  public static let boundaries = [
    "B", "x-y", "------------------------0123456789ABCDEFGHIJKL",
    String(repeating: "-", count: 70),
  ].compactMap { try? Boundary($0) }

  /// Small enough that an input of a few hundred bytes meets each of them.
  public static let smallLimits = FormLimits(
    headerBytes: 120, parts: 4, fieldBytes: 40, allFieldBytes: 300, fileBytes: 80, bodyBytes: 700)

  /// Checks every law on one input.
  public static func check(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let body = Array(input.dropFirst())
    let boundary = boundaries[Int(choice & 3)]
    let limits = choice & 4 == 0 ? FormLimits() : smallLimits

    let whole = Parsed(body, boundary: boundary, limits: limits)
    checkBounds(whole, body, limits)
    checkChunkings(whole, body, boundary, limits)
    if whole.error == nil { checkRoundTrip(whole) }
    checkContentType(body)
  }

  /// Nothing comes out that did not go in, nor more than the limits allow.
  private static func checkBounds(_ parsed: Parsed, _ body: [UInt8], _ limits: FormLimits) {
    let content = parsed.parts.reduce(0) { $0 + $1.content.count }
    precondition(content <= body.count, "more content than body")
    precondition(parsed.parts.count <= limits.parts, "too many parts")
    for part in parsed.parts {
      let limit = part.header.isFile ? limits.fileBytes : limits.fieldBytes
      precondition(part.content.count <= limit, "too much content")
      precondition(
        part.ended || part == parsed.parts.last && parsed.error != nil, "a part never ended")
    }
  }

  /// The events do not depend on how the body is cut.
  private static func checkChunkings(
    _ whole: Parsed, _ body: [UInt8], _ boundary: Boundary, _ limits: FormLimits
  ) {
    // A cheap hash of the input seeds the cuts, so that a crash can be had again.
    var state = body.reduce(UInt64(body.count)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    let cut = Parsed(body, boundary: boundary, limits: limits) {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 59)
    }
    precondition(cut == whole, "chunks change the events")
    guard body.count <= 600 else { return }
    let bytes = Parsed(body, boundary: boundary, limits: limits) { 1 }
    precondition(bytes == whole, "single bytes change the events")
  }

  /// What was accepted can be written again, and then says the same.
  private static func checkRoundTrip(_ parsed: Parsed) {
    let parts = parsed.parts.map { part in
      let custom = part.header.headers.filter {
        !$0.isNamed("Content-Disposition") && !$0.isNamed("Content-Type")
      }
      return FormPart.data(
        name: part.header.name, fileName: part.header.fileName,
        contentType: part.header.contentType, bytes: part.content, headers: custom)
    }
    let form = FormData(parts: parts)
    let body: FormBody
    do throws(BodyError) {
      body = try FormBody(form)
    } catch {
      // The parser lets controls in values by, the encoder does not.
      guard case .form(.illegalByte(let byte, _, _)) = error, byte < 0x20 || byte == 0x7F else {
        preconditionFailure("an accepted form cannot be written: \(error)")
      }
      return
    }

    var bytes = [UInt8](repeating: 0, count: Int(body.contentLength))
    let reader = body.makeReader()
    let count = try? bytes.withUnsafeMutableBytes { buffer in try reader.read(into: buffer) }
    precondition(count == bytes.count, "the body's length is wrong")

    let again = Parsed(bytes, boundary: form.boundary)
    precondition(again.error == nil, "our own body is refused: \(String(describing: again.error))")
    precondition(again.parts.count == parsed.parts.count, "the round trip changes the parts")
    for (old, new) in zip(parsed.parts, again.parts) {
      precondition(new.content == old.content, "the round trip changes content")
      precondition(new.header.name == escaped(old.header.name), "the round trip changes a name")
      precondition(
        new.header.fileName == old.header.fileName.map(escaped),
        "the round trip changes a file name")
      precondition(
        new.header.contentType
          == (old.header.contentType ?? old.header.fileName.map { _ in "application/octet-stream" }),
        "the round trip changes a type")
    }
  }

  /// A name as it stands between the quotes.
  public static func escaped(_ name: String) -> String {
    name.unicodeScalars.map { scalar in
      switch scalar {
      case "\"": "%22"
      case "\r": "%0D"
      case "\n": "%0A"
      default: String(scalar)
      }
    }.joined()
  }

  /// A boundary that can be read from a Content-Type can be written to one and read again.
  private static func checkContentType(_ body: [UInt8]) {
    let text = "multipart/form-data;" + String(decoding: body.prefix(200), as: UTF8.self)
    guard let boundary = try? Boundary(contentType: text) else { return }
    precondition((try? Boundary(contentType: boundary.contentType)) == boundary, "\(boundary)")
  }
}
