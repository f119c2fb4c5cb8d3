import Foundation
import UploadModel

/// Values stored as JSON in a column.
enum JSONColumn {
  static func text(_ value: (some Encodable)?) -> String? {
    value.flatMap { try? JSONEncoder().encode($0) }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The value; nil if the column is NULL or this version cannot decode it.
  static func value<Value: Decodable>(_ text: String?) -> Value? {
    text.flatMap { try? JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
  }
}

extension Failure {
  /// The whole failure as stored in the column `failure`, with the beginning of the server's reply.
  var column: String {
    var stored = self
    stored.reply = AttemptEnd.excerpt(reply)
    return JSONColumn.text(stored) ?? "{}"
  }
}
