import Foundation
import Logging
import ScalarText
import UploadModel

/// Passes swift-log's events to a `LogFile`.
struct LogFileHandler: LogHandler {
  let file: LogFile
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let time = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    let fields = all.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.quoted("\($0.value)"))" }
    file.add("\(time) \(event.level) \(SafeText.line("\(event.message)"))\(fields.joined())")
  }

  /// The value, quoted if it contains anything that could be taken for a separator.
  static func quoted(_ value: String) -> String {
    let value = SafeText.line(value)
    let isBare = value.unicodeScalars.allSatisfy { scalar in
      !scalar.isWhiteSpace && scalar != "\"" && scalar != "="
    }
    if isBare, !value.isEmpty { return value }
    return "\""
      + value.replacing(scalars: "\\", with: "\\\\").replacing(scalars: "\"", with: "\\\"")
      + "\""
  }
}
