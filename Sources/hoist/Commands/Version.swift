import UploadModel

/// The version of the program; servers are told it too.
enum Version {
  static let text = UserAgent.version
}
