import FileDiscovery
import Foundation
import MultipartForm

/// The command line as the system passed it. Swift replaces bytes that are not UTF-8, so the resulting string does not
/// name the file.
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

  /// The files that an argument names. It may be a pattern that the shell did not expand.
  static func files(_ argument: String, home: String) -> [FileLocation] {
    argument.unicodeScalars.contains("\u{FFFD}")
      ? [location(argument)] : TypedPath(text: argument, home: home).files
  }
}
