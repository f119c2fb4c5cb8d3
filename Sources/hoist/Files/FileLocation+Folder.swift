import MultipartForm

extension FileLocation {
  /// The same file, named from the root, and the same way whether it was called `a` or `./a`.
  func absolute(in folder: String) -> FileLocation {
    guard bytes.first != UInt8(ascii: "/") else { return self }
    var rest = bytes[...]
    while rest.starts(with: Array("./".utf8)) {
      rest = rest.dropFirst(2).drop { $0 == UInt8(ascii: "/") }
    }
    return FileLocation(bytes: Array("\(folder)/".utf8) + rest)
  }

  /// The same file as a person in `folder` names it.
  func relative(to folder: String) -> FileLocation {
    let beginning = Array("\(folder)/".utf8)
    return bytes.starts(with: beginning)
      ? FileLocation(bytes: Array(bytes.dropFirst(beginning.count))) : self
  }
}
