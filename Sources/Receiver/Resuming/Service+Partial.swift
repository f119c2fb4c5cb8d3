import Digests
import Foundation

/// What uploads in several requests have in common in all protocols.
extension Service {
  func opened(_ id: String, for request: Request) async throws -> PartialFile {
    guard let file = try await uploads.open(id, for: request.channel) else {
      throw Refusal(.notFound, "There is no such upload; it may have been kept too long.")
    }
    return file
  }

  /// Adds the body to an upload as it arrives. What has arrived is kept, whatever happens to the request.
  /// - Parameters:
  ///   - most: the most bytes that the whole file may have, if its length is not known.
  ///   - progress: called now and then with how much of the whole file has arrived.
  /// - Returns: the SHA-256 of the whole file, if all of it came with this request.
  func receive(
    _ file: PartialFile, _ request: Request, atMost most: Int64 = .max,
    progress: (Int64) async throws -> Void = { _ in }
  ) async throws -> [UInt8]? {
    let start = file.offset
    let end = min(file.record.length, most)
    let rest = end - start
    if let length = request.head.contentLength, length > rest {
      throw Refusal(.payloadTooLarge, "The upload lacks \(rest) bytes, and \(length) are sent.")
    }
    var checksum = try request.header("upload-checksum").map { value throws(Refusal) in
      try Checksum(value)
    }
    if try Admission.awaitsContinue(request.head) { try await request.sendContinue() }
    try file.begin(awaitingSum: checksum != nil)
    var reserve = DiskReserve(bytes: configuration.reservedBytes) { [inbox] in inbox.freeBytes }
    var hash: SHA256? = start == 0 ? SHA256() : nil
    let step = Self.progressStep(of: rest)
    var next = start + step
    do {
      while let buffer = try await request.body.next() {
        guard Int64(buffer.readableBytes) <= end - file.offset else {
          throw Refusal(.payloadTooLarge, "More was sent than the upload lacks.")
        }
        try reserve.reserve(buffer.readableBytes)
        try buffer.withUnsafeReadableBytes { bytes in
          hash?.update(bytes)
          checksum?.update(bytes)
          try file.append(bytes)
        }
        if file.offset >= next, file.offset < end {
          next = file.offset + step
          try await progress(file.offset)
        }
      }
    } catch {
      if checksum != nil { try? file.cut(to: start) }
      throw error
    }
    if let checksum, !checksum.matches {
      try file.cut(to: start)
      throw Refusal(
        .custom(code: 460, reasonPhrase: "Checksum Mismatch"),
        "What came does not have the checksum that was sent with it, and was dropped.")
    }
    try file.settle(syncing: configuration.syncsToDisk)
    return file.isWhole ? hash?.finalize() : nil
  }

  /// Makes a completely received file visible.
  @discardableResult
  func publish(
    _ file: PartialFile, _ sum: [UInt8]?, _ request: Request
  ) throws -> StoredFile {
    var digest = sum
    if digest == nil {
      var hash = SHA256()
      try file.read { hash.update($0) }
      digest = hash.finalize()
    }
    let name = try file.publish()
    if configuration.syncsToDisk { try inbox.sync() }
    let stored = StoredFile(
      field: "", name: file.record.name, stored: name.text, size: file.offset,
      type: file.record.type, sha256: digest?.hexadecimal ?? "",
      url: FileURL.make(baseURL(request), name.text))
    tell(of: [stored], request)
    return stored
  }

  /// After how many bytes a client is told its progress: a few times in what is left, not for every megabyte.
  private static func progressStep(of rest: Int64) -> Int64 {
    max(8 << 20, min(rest / 8, 256 << 20))
  }

  /// A date in the form of HTTP (RFC 9110, section 5.6.7).
  static func date(_ date: Date) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.string(from: date)
  }
}
