import MultipartForm

extension FormBody {
  /// All bytes of the body, read into a buffer of the given size again and again.
  func bytes(bufferSize: Int) throws -> [UInt8] {
    let reader = makeReader()
    return try reader.rest(bufferSize: bufferSize)
  }

  func text() throws -> String { String(decoding: try bytes(), as: UTF8.self) }
}

extension BodyReader {
  func rest(bufferSize: Int = 65_536) throws -> [UInt8] {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: bufferSize)
    while true {
      let count = try buffer.withUnsafeMutableBytes { try read(into: $0) }
      result += buffer[..<count]
      if count < bufferSize { return result }
    }
  }
}
