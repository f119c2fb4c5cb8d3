import FileDiscovery
import Foundation
import MultipartForm
import ScalarText

/// The command line as the system passed it.
package enum Arguments {
  /// The arguments after the program's name, byte for byte (`String.init(rawBytes:)`). Swift's own strings have U+FFFD
  /// in place of bytes that are not UTF-8, so that two files would have the same name.
  package static var ofProcess: [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map {
        String(rawBytes: UnsafeRawBufferPointer(start: $0, count: strlen($0)))
      }
    }
  }

  /// The file that an argument names.
  package static func location(_ argument: String) -> FileLocation {
    FileLocation(bytes: argument.rawBytes)
  }

  /// The files that an argument names. It may be a pattern that the shell did not expand.
  package static func files(_ argument: String, home: String) -> [FileLocation] {
    TypedPath(text: argument, home: home).files
  }
}
