import MultipartForm

extension FileLocation {
  /// The same file, named from the root.
  func absolute(in folder: String) -> FileLocation {
    bytes.first == UInt8(ascii: "/")
      ? self : FileLocation(bytes: Array("\(folder)/".utf8) + bytes)
  }

  /// The same file as a person in `folder` names it.
  func relative(to folder: String) -> FileLocation {
    let beginning = Array("\(folder)/".utf8)
    return bytes.starts(with: beginning)
      ? FileLocation(bytes: Array(bytes.dropFirst(beginning.count))) : self
  }
}
