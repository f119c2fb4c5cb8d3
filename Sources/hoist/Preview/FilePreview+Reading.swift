import Digests
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
  init(of request: Request, _ decoder: PictureDecoder, isCancelled: () -> Bool) {
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
      let picture =
        request.showsPictures
        ? decoder.picture(at: location, header, in: room, isCancelled: isCancelled) : nil
      self.init(header.words, picture: picture)
    } else if let archive = ArchiveListing(
      file, head, most: room.height, isCancelled: isCancelled)
    {
      self.init(archive, room: room)
    } else if let text = Self.text(head, isWhole: size == Int64(head.count)) {
      let all = SafeText.lines(text)
      let lines = all.last?.isEmpty == true ? all.dropLast() : all[...]
      let shown = lines.prefix(room.height).map(Self.cut)
      let isCut = lines.count > shown.count || size > Int64(head.count)
      self.init("text", lines: shown, isCut: isCut)
    } else {
      let perLine = room.width >= 67 ? 16 : 8
      let lines = Self.dump(head, perLine: perLine).prefix(room.height)
      self.init(Self.binary(head), lines: Array(lines), isCut: size > Int64(lines.count * perLine))
    }
  }

  private init(_ archive: ArchiveListing, room: Size) {
    let count =
      archive.count.map { ", \(HumanReadable.count($0, "file"))" }
      ?? (archive.isCut ? "" : ", empty")
    let lines = archive.members.prefix(room.height).map { member in
      let size = member.size.map { HumanReadable.bytes($0) } ?? ""
      let padding = String(repeating: " ", count: max(0, 8 - size.count))
      return Self.cut("\(padding)\(size)  \(SafeText.line(member.name))")
    }
    self.init(
      "\(archive.kind)\(count)", lines: lines,
      isCut: archive.isCut || archive.members.count > lines.count)
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

  /// The name of a format that hoist cannot show, from its first bytes.
  private static func binary(_ head: [UInt8]) -> String {
    let kinds: [(words: String, bytes: [UInt8])] = [
      ("gzip, compressed", [0x1F, 0x8B]), ("xz, compressed", [0xFD, 0x37, 0x7A, 0x58, 0x5A]),
      ("Zstandard, compressed", [0x28, 0xB5, 0x2F, 0xFD]),
      ("bzip2, compressed", Array("BZh".utf8)),
      ("7-Zip archive", [0x37, 0x7A, 0xBC, 0xAF]), ("RAR archive", Array("Rar!".utf8)),
      ("PDF", Array("%PDF-".utf8)), ("program (ELF)", [0x7F, 0x45, 0x4C, 0x46]),
      ("SQLite database", Array("SQLite format 3".utf8)),
    ]
    return kinds.first { head.starts(with: $0.bytes) }?.words ?? "binary"
  }

  /// Lines with the bytes in hexadecimal and then as ASCII, with a dot for each byte that is not printable.
  private static func dump(_ head: [UInt8], perLine: Int) -> [String] {
    stride(from: 0, to: head.count, by: perLine).map { start in
      let bytes = head[start..<min(start + perLine, head.count)]
      let digits = bytes.map { [$0].hexadecimal }.joined(separator: " ")
      let padding = String(repeating: " ", count: max(0, perLine * 3 - digits.count))
      let text = bytes.map { (0x20..<0x7F).contains($0) ? String(UnicodeScalar($0)) : "·" }.joined()
      return digits + padding + " " + text
    }
  }
}

extension FileError.Reason {
  /// Why there is nothing to see, in a few words.
  fileprivate var words: String {
    switch self {
    case .vanished: "no longer there"
    case .notARegularFile(let kind): "not a file: \(kind.rawValue)"
    case .unreadable(let code, _): "cannot be read: \(String(cString: strerror(code)))"
    default: "cannot be read"
    }
  }
}
