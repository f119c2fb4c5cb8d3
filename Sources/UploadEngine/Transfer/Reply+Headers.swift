import ScalarText
import UploadModel

extension Reply {
  /// A reply with the media type from its header fields.
  ///
  /// - Parameter headers: the fields by their names in lower case.
  init(text: String, isCut: Bool, headers: [String: String]) {
    self.init(
      text: text, isCut: isCut,
      mediaType: headers["content-type"].map {
        $0.split(scalar: ";", maxSplits: 1)[0].trimming(\.isWhiteSpace).lowercased()
      })
  }
}
