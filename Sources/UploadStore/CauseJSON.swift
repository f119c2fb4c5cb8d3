import Foundation
import GRDB
import UploadModel

/// Causes as JSON.
enum CauseJSON {
  static func encode(_ cause: Failure.Cause) -> String {
    let data = try? JSONEncoder().encode(cause)
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  static func decode(_ text: String) -> Failure.Cause {
    let cause = try? JSONDecoder().decode(Failure.Cause.self, from: Data(text.utf8))
    return cause ?? .network("another version of hoist recorded the reason: \(text)")
  }
}
