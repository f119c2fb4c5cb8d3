import Foundation
import MultipartForm
import ScalarText

/// What a path means that a person typed: `~`, patterns, and how it may go on.
struct TypedPath {
  let text: String
  let home: String

  /// The files that it names: `~` is the home folder, and a pattern stands for what it matches. A
  /// pattern without a match stands for itself, so that it shows up as missing.
  var files: [FileLocation] {
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
  var completions: [String] {
    let slash = text.utf8.lastIndex(of: UInt8(ascii: "/"))
    let start = slash.map { text.utf8.index(after: $0) } ?? text.startIndex
    let (folderText, beginning) = (text[..<start], text[start...])
    if text == "~" { return ["~/"] }

    let folder = TypedPath(text: String(folderText), home: home).expanded
    guard let stream = opendir(folder.isEmpty ? "." : folder) else { return [] }
    defer { closedir(stream) }
    var found: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: UInt8.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasPrefix(scalars: beginning), name != ".", name != "..",
        !name.hasPrefix(scalars: ".") || beginning.hasPrefix(scalars: ".")
      else { continue }
      var status = stat()
      let isFolder = stat(folder + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      found.append(folderText + name + (isFolder ? "/" : ""))
    }
    return found.sorted()
  }

  private var expanded: String {
    text == "~" || text.hasPrefix(scalars: "~/")
      ? home + String(text.unicodeScalars.dropFirst()) : text
  }
}
