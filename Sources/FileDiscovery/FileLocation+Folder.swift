import MultipartForm

extension FileLocation {
  /// The same file, named from the root, and the same way whether it was called `a` or `./a`.
  package func absolute(in folder: String) -> FileLocation {
    guard bytes.first != UInt8(ascii: "/") else { return self }
    var rest = bytes[...]
    while rest.starts(with: Array("./".utf8)) {
      rest = rest.dropFirst(2).drop { $0 == UInt8(ascii: "/") }
    }
    return FileLocation(bytes: Array("\(folder)/".utf8) + rest)
  }

  /// The same file as a person in `folder` names it.
  package func relative(to folder: String) -> FileLocation {
    let beginning = Array("\(folder)/".utf8)
    return bytes.starts(with: beginning)
      ? FileLocation(bytes: Array(bytes.dropFirst(beginning.count))) : self
  }

  /// The folders between `root` and the file, each with a slash after it; none where it does not lie below.
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
