import UploadEngine

/// The version of the program; the engine tells it to servers too.
enum Version {
  static let text = UploadEngine.version
}
