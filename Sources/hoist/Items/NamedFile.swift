import MultipartForm

/// A file or a folder that the user named, and how to send it.
struct NamedFile: Sendable {
  var location: FileLocation
  var wish: FileArgument?

  init(_ location: FileLocation, as wish: FileArgument? = nil) {
    (self.location, self.wish) = (location, wish)
  }

  /// The files and folders that a command line names. Each argument may be a pattern, and may be followed by a type, a
  /// name and a field.
  ///
  /// - Throws: `UserError` for the first argument that is malformed, before any file is examined.
  static func all(
    in arguments: [String], home: String
  ) throws(UserError) -> some Sequence<NamedFile> {
    var wishes: [FileArgument] = []
    for argument in arguments { wishes.append(try FileArgument(argument)) }
    return wishes.lazy.flatMap { wish in
      Arguments.files(wish.path, home: home).map { NamedFile($0, as: wish) }
    }
  }
}
