import Foundation
import MultipartForm

/// The command line as the system gave it. Swift repairs what is not UTF-8, and the repaired name of
/// a file is the name of no file.
enum Arguments {
  /// The file that an argument names, byte for byte.
  static func location(_ argument: String) -> FileLocation {
    guard argument.unicodeScalars.contains("\u{FFFD}") else { return FileLocation(argument) }
    for index in 0..<Int(CommandLine.argc) {
      guard let raw = CommandLine.unsafeArgv[index] else { continue }
      let bytes = UnsafeRawBufferPointer(start: raw, count: strlen(raw))
      if String(decoding: bytes, as: UTF8.self) == argument {
        return FileLocation(bytes: Array(bytes))
      }
    }
    return FileLocation(argument)
  }

  /// The files that an argument names, which may be a pattern that the shell left alone.
  static func files(_ argument: String, home: String) -> [FileLocation] {
    argument.unicodeScalars.contains("\u{FFFD}")
      ? [location(argument)] : TypedPath(text: argument, home: home).files
  }
}
