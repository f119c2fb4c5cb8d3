import Foundation
import UploadModel

/// Where uploads go on, as JSON.
enum ResumePointText {
  static func encode(_ point: ResumePoint) -> String? {
    (try? JSONEncoder().encode(point)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Nil where another version wrote it: then the upload starts over.
  static func decode(_ text: String) -> ResumePoint? {
    try? JSONDecoder().decode(ResumePoint.self, from: Data(text.utf8))
  }
}
