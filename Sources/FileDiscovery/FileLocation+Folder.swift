import MultipartForm

extension FileLocation {
  /// The absolute path of the file. A relative path is taken to start at `folder`. Leading `./` are removed, so that
  /// `a` and `./a` give the same path.
  package func absolute(in folder: String) -> FileLocation {
    guard bytes.first != UInt8(ascii: "/") else { return self }
    var rest = bytes[...]
    while rest.starts(with: Array("./".utf8)) {
      rest = rest.dropFirst(2).drop { $0 == UInt8(ascii: "/") }
    }
    return FileLocation(bytes: Array("\(folder)/".utf8) + rest)
  }

  /// The path relative to `folder` if the file is below it; otherwise, the path unchanged.
  package func relative(to folder: String) -> FileLocation {
    let beginning = Array("\(folder)/".utf8)
    return bytes.starts(with: beginning)
      ? FileLocation(bytes: Array(bytes.dropFirst(beginning.count))) : self
  }

  /// The folders between `root` and the file, each followed by a slash; empty if the file is not below `root`.
  package func folder(below root: FileLocation) -> String {
    let slash = UInt8(ascii: "/")
    var beginning = root.bytes
    while beginning.last == slash { beginning.removeLast() }
    beginning.append(slash)
    guard bytes.starts(with: beginning), let end = bytes.lastIndex(of: slash),
      end >= beginning.count
    else { return "" }
    return String(decoding: bytes[beginning.count...end], as: UTF8.self)
  }
}
