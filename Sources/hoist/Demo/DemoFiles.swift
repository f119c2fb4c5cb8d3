import Foundation

/// The files that the demo uploads: small ones of the usual kinds, and some that take a moment.
enum DemoFiles {
  static func make(in folder: String) throws -> [String] {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let files: [(String, Data)] = [
      ("notes.txt", Data("Files go up, and you see which arrived.\n".utf8)),
      ("report.pdf", pdf(saying: "Hoist")),
      ("photo.jpg", Data(base64Encoded: jpeg) ?? Data()),
      ("Grüße aus 東京 🗼.txt", Data("Names are sent as they are.\n".utf8)),
    ]
    for (name, data) in files { try data.write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
    return try [large("recording.mp4", in: folder, bytes: 90_000_000)]
      + files.map { "\(folder)/\($0.0)" }
      + [
        large("interview.mp4", in: folder, bytes: 50_000_000),
        large("holiday.mp4", in: folder, bytes: 30_000_000),
      ]
  }

  /// Makes a file that looks like a film, and returns its path. After the header of an MP4 file it has random bytes, so
  /// that nothing on the way can compress it.
  static func large(_ name: String, in folder: String, bytes: Int) throws -> String {
    let path = "\(folder)/\(name)"
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else { throw CocoaError(.fileWriteUnknown) }
    defer { try? file.close() }
    try file.write(contentsOf: Data([0, 0, 0, 16]) + Data("ftypisom".utf8) + Data([0, 0, 2, 0]))
    var words = [UInt64](repeating: 0, count: 1 << 17)
    var seed = UInt64.random(in: 1...UInt64.max)
    var left = bytes - 16
    while left > 0 {
      for index in words.indices {
        // xorshift64: it need only look random.
        seed ^= seed << 13
        seed ^= seed >> 7
        seed ^= seed << 17
        words[index] = seed
      }
      try words.withUnsafeBytes { try file.write(contentsOf: Data($0.prefix(left))) }
      left -= words.count * 8
    }
    return path
  }

  /// A PDF with one page, one word on it, and a valid cross-reference table.
  private static func pdf(saying word: String) -> Data {
    let content = "BT /F1 48 Tf 72 720 Td (\(word)) Tj ET"
    let objects = [
      "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        + "/Resources << /Font << /F1 5 0 R >> >> >>",
      "<< /Length \(content.utf8.count) >>\nstream\n\(content)\nendstream",
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    var text = "%PDF-1.4\n"
    var offsets: [Int] = []
    for (index, object) in objects.enumerated() {
      offsets.append(text.utf8.count)
      text += "\(index + 1) 0 obj\n\(object)\nendobj\n"
    }
    let table = text.utf8.count
    text += "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
    for offset in offsets { text += String(format: "%010d 00000 n \n", offset) }
    text += "trailer\n<< /Size \(objects.count + 1) /Root 1 0 R >>\nstartxref\n\(table)\n%%EOF\n"
    return Data(text.utf8)
  }

  /// A JPEG image of a blue square of 16 by 16 pixels, in Base64.
  private static let jpeg = [
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZG",
    "NywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09P",
    "T09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAQABADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAA",
    "BAP/xAAWEAEBAQAAAAAAAAAAAAAAAAADAGH/xAAVAQEBAAAAAAAAAAAAAAAAAAAEBf/EABYRAQEBAAAAAAAAAAAA",
    "AAAAAAMABP/aAAwDAQACEQMRAD8AGQ5MIcqkOTCHKsiwsr3/2Q==",
  ].joined()
}
