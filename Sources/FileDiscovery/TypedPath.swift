import Foundation
import MultipartForm
import ScalarText

/// What a path means that a person typed: `~`, patterns, and how it may go on.
package struct TypedPath: Sendable {
  let text: String
  let home: String

  /// A path as it was typed, and the folder that `~` stands for.
  package init(text: String, home: String) {
    self.text = text
    self.home = home
  }

  /// The files that it names: `~` is the home folder, and a pattern stands for what it matches. A
  /// pattern without a match stands for itself, so that it shows up as missing.
  package var files: [FileLocation] {
    let path = expanded
    // A file whose name looks like a pattern is itself.
    guard path.utf8.contains(where: { "*?[".utf8.contains($0) }), access(path, F_OK) != 0 else {
      return [FileLocation(path)]
    }
    var matches = glob_t()
    defer { globfree(&matches) }
    guard glob(path, 0, nil, &matches) == 0, let paths = matches.gl_pathv else {
      return [FileLocation(path)]
    }
    return (0..<Int(matches.gl_pathc)).compactMap { index in
      paths[index].map { name in
        FileLocation(bytes: Array(UnsafeRawBufferPointer(start: name, count: strlen(name))))
      }
    }
  }

  /// Everything that it could become, folders with a slash at the end, sorted. Hidden files only
  /// where a dot has been typed.
  package var completions: [String] {
    let slash = text.utf8.lastIndex(of: UInt8(ascii: "/"))
    let start = slash.map { text.utf8.index(after: $0) } ?? text.startIndex
    let (folderText, beginning) = (text[..<start], text[start...])
    if text == "~" { return ["~/"] }

    let folder = TypedPath(text: String(folderText), home: home).expanded
    guard let directory = try? Directory(FileLocation(folder.isEmpty ? "." : folder)) else {
      return []
    }
    let found = directory.names.compactMap { bytes -> String? in
      let name = String(decoding: bytes, as: UTF8.self)
      guard name.hasPrefix(scalars: beginning),
        !name.hasPrefix(scalars: ".") || beginning.hasPrefix(scalars: ".")
      else { return nil }
      return folderText + name + (directory.entry(bytes)?.kind == .folder ? "/" : "")
    }
    return found.sorted()
  }

  private var expanded: String {
    text == "~" || text.hasPrefix(scalars: "~/")
      ? home + String(text.unicodeScalars.dropFirst()) : text
  }
}
