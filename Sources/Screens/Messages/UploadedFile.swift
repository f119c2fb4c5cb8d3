/// A file that was uploaded, and what deletes it on the server.
public struct UploadedFile: Hashable, Sendable {
  /// The name that the server was told.
  public var name: String
  /// The name of the target that it went to.
  public var target: String
  /// The address that deletes it when it is opened.
  public var deletionURL: String
}
