import FileDiscovery
import Foundation
import MultipartForm
import Screens
import UploadModel

extension FilePreview {
  /// How much of the beginning of a file is read, in bytes.
  private static let mostBytes = 64 << 10
  /// How much of a line is shown, in characters.
  private static let longestLine = 400

  /// A preview of the file at a path. Only folders and regular files are opened.
  init(of request: Request) {
    let location = FileLocation(bytes: request.path)
    let file: HeldFile
    do throws(FileError) { file = try HeldFile(location) } catch {
      self =
        error.reason == .notARegularFile(.directory)
        ? Self.folder(location, request.room) : FilePreview(error.reason.words)
      return
    }
    let (size, room) = (file.identity.size, request.room)
    let head = file.read(at: 0, Self.mostBytes)
    if head.isEmpty {
      self.init(size == 0 ? "empty" : "cannot be read")
    } else if let header = PictureHeader(file, head) {
      self.init(header.words)
    } else if let text = Self.text(head, isWhole: size == Int64(head.count)) {
      let all = SafeText.lines(text)
      let lines = all.last?.isEmpty == true ? all.dropLast() : all[...]
      let shown = lines.prefix(room.height).map(Self.cut)
      let isCut = lines.count > shown.count || size > Int64(head.count)
      self.init("text", lines: shown, isCut: isCut)
    } else {
      self = .opaque
    }
  }

  private static func folder(_ location: FileLocation, _ room: Size) -> FilePreview {
    guard let directory = try? Directory(location) else { return FilePreview("cannot be read") }
    let names = directory.names.map { SafeText.line(String(decoding: $0, as: UTF8.self)) }
    let shown = names.count > 10_000 ? names : names.sorted()
    return FilePreview(
      "folder, \(HumanReadable.count(names.count, "name"))",
      lines: shown.prefix(room.height).map { cut($0) }, isCut: names.count > room.height)
  }

  private static func cut(_ line: String) -> String {
    String(line.unicodeScalars.prefix(longestLine))
  }

  /// The bytes as text: UTF-8 without NUL and with hardly any other control characters. Nil if they are something else.
  private static func text(_ head: [UInt8], isWhole: Bool) -> String? {
    let controls = head.count { $0 < 0x20 && ![0x09, 0x0A, 0x0C, 0x0D, 0x1B].contains($0) }
    guard !head.contains(0), controls * 50 <= head.count else { return nil }
    // The end may be in the middle of a character.
    for missing in isWhole ? 0...0 : 0...3 {
      if let text = String(validating: head.dropLast(missing), as: UTF8.self) { return text }
    }
    return nil
  }
}

extension FileError.Reason {
  /// Why there is nothing to see, in a few words.
  fileprivate var words: String {
    switch self {
    case .vanished: "the file is missing"
    case .notARegularFile(let kind): "not a file: \(kind.rawValue)"
    case .unreadable(let code, _): "cannot be read: \(String(cString: strerror(code)))"
    default: "cannot be read"
    }
  }
}
