import CMagic
import Foundation
import Synchronization

/// Recognises a file by its first bytes, through libmagic.
///
/// It can be used by several threads at once. Each of them then has a libmagic handle of its own, which is opened on first
/// use and takes six megabytes.
public final class ContentSniffer: Sendable {
  /// How many bytes of a file are read: enough for every signature that is not at a file's end. The signature of an ISO
  /// 9660 image is at offset 32769.
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
    do throws(Problem) { return guess(content: try Self.sample(of: path)) } catch {
      return MediaTypeGuess(type: .octetStream, source: .unknown(error.reason))
    }
  }

  /// Guesses from the first bytes of the file at a UTF-8 path.
  public func guess(path: String) -> MediaTypeGuess { guess(path: Array(path.utf8)) }

  /// Guesses from the first bytes of a file. Plain texts and pictures that begin without doubt are recognised without
  /// libmagic, which takes a thousand times as long.
  public func guess(content bytes: [UInt8]) -> MediaTypeGuess {
    guard !bytes.isEmpty else {
      return MediaTypeGuess(type: .octetStream, source: .unknown(.emptyFile))
    }
    return guess(content: bytes, FirstLook(Array(bytes.prefix(FirstLook.length))))
  }

  /// Guesses as a first look at the bytes says.
  func guess(content bytes: [UInt8], _ look: FirstLook) -> MediaTypeGuess {
    if case .type(let type) = look { return MediaTypeGuess(type: type, source: .content) }
    func unknown(_ reason: MediaTypeGuess.Reason) -> MediaTypeGuess {
      MediaTypeGuess(type: .octetStream, source: .unknown(reason))
    }
    switch takeHandle() {
    case .failure(let failure): return unknown(.noDatabase(failure.words))
    case .success(let magic):
      defer { state.withLock { $0.spare.append(magic) } }
      if let type = magic.type(of: bytes, look), type != .octetStream {
        return MediaTypeGuess(type: type, source: .content)
      }
      // libmagic 5.46 recognises a ZIP archive in a file, but not in memory.
      guard let type = Signature.archive(bytes) else { return unknown(.unrecognised) }
      return MediaTypeGuess(type: type, source: .content)
    }
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

  private struct Problem: Error { var reason: MediaTypeGuess.Reason }

  /// The first bytes of a regular file; nil if they cannot be read.
  static func head(of path: [UInt8]) -> [UInt8]? {
    try? sample(of: path, upTo: Signature.longest)
  }

  private static func sample(
    of path: [UInt8], upTo sampleSize: Int = sampleSize
  ) throws(Problem) -> [UInt8] {
    guard !path.isEmpty, !path.contains(0) else { throw Problem(reason: .unreadable(ENOENT)) }
    // Opening a pipe would wait for its writer, and opening a device may have an effect, so check first.
    var status = stat()
    let cPath = path.map { CChar(truncatingIfNeeded: $0) } + [0]
    guard stat(cPath, &status) == 0 else { throw Problem(reason: .unreadable(errno)) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Problem(reason: .notARegularFile) }
    // Non-blocking, in case a pipe has taken the file's place.
    let descriptor = open(cPath, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw Problem(reason: .unreadable(errno)) }
    defer { close(descriptor) }
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: sampleSize) { buffer, count in
      while count < sampleSize {
        let got = read(descriptor, buffer.baseAddress?.advanced(by: count), sampleSize - count)
        if got < 0, errno == EINTR { continue }
        if got < 0 { code = errno }
        guard got > 0 else { break }
        count += got
      }
    }
    guard code == 0 else { throw Problem(reason: .unreadable(code)) }
    return bytes
  }
}

/// One libmagic handle, closed when the object is released.
///
/// Neither libmagic nor this class guards it against being used by two threads at once. A thread that uses it has taken it
/// out of the sniffer's spare ones.
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

  /// The type of content, looked at as far as a first look says.
  func type(of bytes: [UInt8], _ look: FirstLook) -> MediaType? {
    switch look {
    case .type(let type): return type
    case .ask(let count): return type(of: bytes, upTo: count)
    case .askTwice(let count):
      let first = type(of: bytes, upTo: count)
      guard FirstLook.isOpen(first, of: bytes.count) else { return first }
      return type(of: bytes, upTo: .max)
    }
  }

  private func type(of bytes: [UInt8], upTo count: Int) -> MediaType? {
    bytes.withUnsafeBytes { magic_buffer(handle, $0.baseAddress, min($0.count, count)) }
      .flatMap { MediaType(String(cString: $0)) }
  }
}
