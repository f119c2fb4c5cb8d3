import CMagic
import Foundation
import Synchronization

/// Recognises a file by its first bytes, through libmagic.
///
/// It can be used by several threads at once. Each of them then has a libmagic handle of its own, which is opened on first
/// use and takes six megabytes.
public final class ContentSniffer: Sendable {
  /// The most bytes of a file that are read: enough for every signature that is not at a file's end. The signature of an
  /// ISO 9660 image is at offset 32769.
  private static let sampleSize = 128 * 1024

  private struct State {
    /// The handles that no thread is using.
    var spare: [Magic] = []
    /// Why no handle can be opened.
    var failure: String?
  }

  private let state = Mutex(State())
  private let database: String?

  /// Makes a sniffer. It loads nothing before its first use.
  /// - Parameter database: the path of a compiled magic file; nil for libmagic's own default.
  public init(database: String? = nil) { self.database = database }

  /// Guesses from the first bytes of the file at a path. Only regular files are read.
  public func guess(path: [UInt8]) -> MediaTypeGuess {
    do throws(FileHead.Problem) {
      let head = try FileHead(of: path, upTo: FirstLook.length)
      guard !head.bytes.isEmpty else { return Self.unknown(.emptyFile) }
      let count = min(max(head.size, head.bytes.count), Self.sampleSize)
      return try guess(head.bytes, of: count, as: FirstLook(head.bytes)) {
        () throws(FileHead.Problem) in
        try head.read(upTo: Self.sampleSize)
        return head.bytes
      }
    } catch {
      return Self.unknown(error.reason)
    }
  }

  /// Guesses from the first bytes of the file at a UTF-8 path.
  public func guess(path: String) -> MediaTypeGuess { guess(path: Array(path.utf8)) }

  /// Guesses from the first bytes of a file. Plain texts and pictures that begin without doubt are recognised without
  /// libmagic, which takes a thousand times as long.
  public func guess(content bytes: [UInt8]) -> MediaTypeGuess {
    guard !bytes.isEmpty else { return Self.unknown(.emptyFile) }
    let head = Array(bytes.prefix(FirstLook.length))
    return guess(head, of: bytes.count, as: FirstLook(head)) { bytes }
  }

  /// Guesses from the first bytes of a sample of `count` bytes as a first look at them says. The `whole` sample is only
  /// asked for if they are not enough.
  func guess<Problem>(
    _ head: [UInt8], of count: Int, as look: FirstLook, whole: () throws(Problem) -> [UInt8]
  ) throws(Problem) -> MediaTypeGuess {
    if case .type(let type) = look { return MediaTypeGuess(type: type, source: .content) }
    switch takeHandle() {
    case .failure(let failure): return Self.unknown(.noDatabase(failure.words))
    case .success(let magic):
      defer { state.withLock { $0.spare.append(magic) } }
      if let type = try magic.type(of: head, count, look, whole), type != .octetStream {
        return MediaTypeGuess(type: type, source: .content)
      }
      // libmagic 5.46 recognises a ZIP archive in a file, but not in memory.
      guard let type = Signature.archive(head) else { return Self.unknown(.unrecognised) }
      return MediaTypeGuess(type: type, source: .content)
    }
  }

  private static func unknown(_ reason: MediaTypeGuess.Reason) -> MediaTypeGuess {
    MediaTypeGuess(type: .octetStream, source: .unknown(reason))
  }

  /// Frees libmagic's tables. The next guess loads them again, in less than a millisecond.
  public func unload() { state.withLock { $0.spare = [] } }

  private struct LoadFailure: Error { var words: String }

  private func takeHandle() -> Result<Magic, LoadFailure> {
    let known: Result<Magic, LoadFailure>? = state.withLock { state in
      if let words = state.failure { return .failure(LoadFailure(words: words)) }
      return state.spare.popLast().map { .success($0) }
    }
    return known ?? load()
  }

  private func load() -> Result<Magic, LoadFailure> {
    func failure(_ words: String) -> Result<Magic, LoadFailure> {
      state.withLock { $0.failure = words }
      return .failure(LoadFailure(words: words))
    }
    guard let magic = Magic() else { return failure(String(cString: strerror(errno))) }
    return magic.load(database).map(failure) ?? .success(magic)
  }

  /// The first bytes of a regular file; nil if they cannot be read.
  static func head(of path: [UInt8]) -> [UInt8]? {
    try? FileHead(of: path, upTo: Signature.longest).bytes
  }
}

/// One libmagic handle, closed when the object is released.
///
/// Unchecked: neither libmagic nor this class guards it against being used by two threads at once, but a thread that uses
/// it has taken it out of the sniffer's spare ones, which a Mutex guards.
private final class Magic: @unchecked Sendable {
  private let handle: magic_t

  init?() {
    guard let handle = magic_open(MAGIC_MIME_TYPE | MAGIC_ERROR) else { return nil }
    self.handle = handle
  }

  deinit { magic_close(handle) }

  /// Returns nil on success, otherwise libmagic's error message.
  func load(_ database: String?) -> String? {
    guard magic_load(handle, database) != 0 else { return nil }
    return magic_error(handle).map { String(cString: $0) } ?? "it cannot be loaded"
  }

  /// The type of content, looked at as far as a first look at its `head` says. All of it has `count` bytes.
  func type<Problem>(
    of head: [UInt8], _ count: Int, _ look: FirstLook, _ whole: () throws(Problem) -> [UInt8]
  ) throws(Problem) -> MediaType? {
    switch look {
    case .type(let type): return type
    case .ask(let most):
      return type(of: most > FirstLook.length ? try whole() : head, upTo: most)
    case .askTwice(let most):
      let first = type(of: head, upTo: most)
      return FirstLook.isOpen(first, of: count) ? type(of: try whole(), upTo: .max) : first
    }
  }

  private func type(of bytes: [UInt8], upTo count: Int) -> MediaType? {
    let words = bytes.withUnsafeBytes {
      magic_buffer(handle, $0.baseAddress, min($0.count, count))
    }
    return words.flatMap { MediaType(String(cString: $0)) }
  }
}
