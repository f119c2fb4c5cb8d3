import MultipartForm

/// A file or a folder that a person named, and how they want it to be sent.
struct NamedFile: Sendable {
  var location: FileLocation
  var wish: FileArgument?

  init(_ location: FileLocation, as wish: FileArgument? = nil) {
    (self.location, self.wish) = (location, wish)
  }

  /// What the arguments of a command line name, which may be patterns and have a type, a name and a field behind
  /// them.
  ///
  /// - Throws: `UserError` for the first that makes no sense, before any file is looked at.
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
