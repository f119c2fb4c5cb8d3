import MultipartForm
import ScalarText

extension FileLocation {
  /// The last component of the path. Bytes that are not UTF-8 are kept (`String.init(rawBytes:)`).
  package var name: String { String(rawBytes: lastComponentBytes) }
}
