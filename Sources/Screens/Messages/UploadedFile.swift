/// A file that was uploaded, and what deletes it on the server.
package struct UploadedFile: Hashable, Sendable {
  /// The name that the server was told.
  package var name: String
  /// The name of the target that it went to.
  package var target: String
  /// The address that deletes it when it is opened.
  package var deletionURL: String
}
