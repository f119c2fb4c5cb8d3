import Foundation
import MediaTypes
import MultipartForm
import UploadModel

/// Turns paths into items of the queue: looks at each file once, guesses its type, and marks at once
/// what cannot be sent.
struct FileIntake {
  private let guesser: MediaTypeGuesser
  private var lastID: Int64 = 0

  init(guesser: MediaTypeGuesser = .system) { self.guesser = guesser }

  /// The item for a file. One that cannot be sent comes out failed, with the reason.
  mutating func item(at location: FileLocation) -> UploadItem {
    lastID += 1
    var item = UploadItem(id: ItemID(lastID), location: location)
    look(at: &item)
    return item
  }

  /// Looks at an item's file again, as before a retry.
  func look(at item: inout UploadItem) {
    do throws(FileError) {
      let identity = try FileIdentity.of(item.location)
      item.identity = identity
      item.size = identity.size
      item.state = .waiting
      let guess = guesser.guess(path: item.location.bytes)
      item.mediaType = guess.type.description
      item.typeSource = guess.source.description
      item.typeIsCertain = guess.source.isCertain
    } catch {
      item.state = .failed(Failure(Failure.Cause(error, wasSeen: false)))
    }
  }

  /// The files that a typed path means: `~` is the home folder, and a pattern stands for what it
  /// matches. A pattern without a match stands for itself, so that it shows up as missing.
  static func expand(_ typed: String, home: String) -> [FileLocation] {
    var path = typed
    if path == "~" || path.hasPrefix("~/") { path = home + path.dropFirst() }
    // A file whose name looks like a pattern is itself.
    guard path.contains(where: { "*?[".contains($0) }), access(path, F_OK) != 0 else {
      return [FileLocation(path)]
    }
    var matches = glob_t()
    defer { globfree(&matches) }
    guard glob(path, GLOB_NOSORT, nil, &matches) == 0, let paths = matches.gl_pathv else {
      return [FileLocation(path)]
    }
    return (0..<Int(matches.gl_pathc))
      .compactMap { paths[$0].map { FileLocation(bytes: Array(UnsafeRawPointer($0).bytes)) } }
      .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }
}

extension UnsafeRawPointer {
  /// The bytes up to the NUL that ends a C string.
  fileprivate var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: self, count: strlen(assumingMemoryBound(to: CChar.self)))
  }
}

extension MediaTypeGuess.Source {
  /// Whether anybody or anything said what the file is.
  fileprivate var isCertain: Bool {
    switch self {
    case .override, .extensionTable, .content: true
    case .unknown: false
    }
  }
}
