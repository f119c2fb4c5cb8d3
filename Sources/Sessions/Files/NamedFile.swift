import MultipartForm
import ProcessContext

/// A file or a folder that the user named, and how to send it.
package struct NamedFile: Sendable {
  var location: FileLocation
  var wish: FileArgument?

  init(_ location: FileLocation, as wish: FileArgument? = nil) {
    (self.location, self.wish) = (location, wish)
  }
}

extension FileArgument {
  /// The files and folders that it names; it may be a pattern.
  package func files(home: String) -> [NamedFile] {
    Arguments.files(path, home: home).map { NamedFile($0, as: self) }
  }
}
