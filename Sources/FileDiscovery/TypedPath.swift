import Foundation
import MultipartForm
import ScalarText

/// A path that a person typed: expands `~` and patterns, and completes names.
package struct TypedPath: Sendable {
  let text: String
  let home: String

  /// A typed path, and the folder that `~` stands for.
  package init(text: String, home: String) {
    self.text = text
    self.home = home
  }

  /// The files that the path names: `~` is the home folder, and a pattern stands for its matches. A pattern
  /// without matches stands for itself, so that it is reported as missing.
  package var files: [FileLocation] {
    let path = expanded
    if path.hasRawBytes { return [FileLocation(bytes: path.rawBytes)] }
    // An existing file whose name looks like a pattern stands for itself.
    guard path.utf8.contains(where: { "*?[".utf8.contains($0) }), access(path, F_OK) != 0 else {
      return [FileLocation(path)]
    }
    var matches = glob_t()
    defer { globfree(&matches) }
    guard glob(path, 0, nil, &matches) == 0, let paths = matches.gl_pathv else {
      return [FileLocation(path)]
    }
    return UnsafeBufferPointer(start: paths, count: Int(matches.gl_pathc)).compactMap { name in
      name.map { FileLocation(bytes: Array(UnsafeRawBufferPointer(start: $0, count: strlen($0)))) }
    }
  }

  /// Why it cannot be known which files the path names, such as "permission denied"; nil if that is known.
  package var trouble: String? {
    let path = expanded
    if path.utf8.contains(where: { "*?[".utf8.contains($0) }) {
      var matches = glob_t()
      defer { globfree(&matches) }
      errno = 0
      guard glob(path, GLOB_ERR, nil, &matches) == GLOB_ABORTED else { return nil }
    } else {
      var status = stat()
      guard lstat(path, &status) != 0 else { return nil }
    }
    return [0, ENOENT, ENOTDIR].contains(errno)
      ? nil : String(cString: strerror(errno)).lowercased()
  }

  /// All possible completions, sorted, with a slash after folders. Hidden files are included only if a dot has
  /// been typed.
  package var completions: [String] {
    if text == "~" { return ["~/"] }
    let slash = text.utf8.lastIndex(of: .slash)
    let start = slash.map { text.utf8.index(after: $0) } ?? text.startIndex
    let (folderText, beginning) = (text[..<start], text[start...])
    let folder = TypedPath(text: String(folderText), home: home).expanded
    let location = FileLocation(bytes: folder.isEmpty ? Array(".".utf8) : folder.rawBytes)
    guard let directory = try? Directory(location) else {
      return []
    }
    let found = directory.names.compactMap { bytes -> String? in
      let name = String(rawBytes: bytes)
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
