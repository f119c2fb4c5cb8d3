import Foundation
import GRDB

/// When and where a file was sent before.
public struct PreviousUpload: Hashable, Sendable {
  /// When the server took it.
  public var date: Date
  /// Where it can be found, if the reply said so.
  public var url: String?
}

extension PreviousUpload {
  init(_ row: Row) {
    self.init(date: Date(timeIntervalSince1970: row[0]), url: row[1])
  }
}
