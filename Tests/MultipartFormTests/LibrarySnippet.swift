import Foundation
import MultipartForm

/// Reads a small form in one call: by default, at most 16 MiB.
func album(in body: Data, contentType: String) throws -> String? {
  let form = try CollectedForm(body, boundary: Boundary(contentType: contentType))
  return form["album"]?.text
}

/// The same while its bytes arrive.
func photos(in body: some AsyncSequence<Data, any Error>, contentType: String) async throws -> Int {
  let form = try await body.form(boundary: Boundary(contentType: contentType))
  return form.parts(named: "photo").count
}

/// Writes a form, a buffer at a time. Its length is known before any file is read.
func send(_ photo: FileLocation, write: (UnsafeRawBufferPointer) throws -> Void) throws -> FormBody
{
  let body = try FormBody(
    FormData(parts: [
      .text(name: "album", value: "Summer 2026"),
      .file(name: "photo", at: photo, contentType: "image/jpeg"),
    ]))
  print("Content-Type: \(body.contentType)")
  print("Content-Length: \(body.contentLength)")

  let reader = body.makeReader()
  var buffer = [UInt8](repeating: 0, count: 65_536)
  try buffer.withUnsafeMutableBytes { buffer in
    while case let count = try reader.read(into: buffer), count > 0 {
      try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      if let position = body.part(at: reader.offset) {
        print("part \(position.part): \(position.contentOffset) of \(position.contentSize) bytes")
      }
    }
  }
  return body
}

/// Takes a form apart while its bytes arrive, in pieces of any size. Nothing is held in memory.
struct PhotoReceiver {
  private var parser: FormParser
  private(set) var received: [String: Int] = [:]
  private var current = ""

  init(contentType: String) throws {
    let limits = FormLimits(parts: 20, fileBytes: 50 << 20)
    parser = FormParser(boundary: try Boundary(contentType: contentType), limits: limits)
  }

  mutating func receive(_ bytes: UnsafeRawBufferPointer) throws {
    try parser.push(bytes) { event in
      switch event {
      case .partBegan(let header): current = header.fileName ?? header.name
      case .content(let bytes): received[current, default: 0] += bytes.count
      case .partEnded: print("\(current): \(received[current] ?? 0) bytes")
      }
    }
  }

  /// Throws unless the whole form has come.
  mutating func finish() throws { try parser.finish() }
}
