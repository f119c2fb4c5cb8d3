import Foundation
import GRDB
import UploadModel

/// Which protocol servers speak, if targets leave that open (`resume = "auto"`).
extension UploadStore: ResumeMemory {
  /// How many seconds an entry stays valid, since a server may be replaced by another one.
  private static let lifetime = 24.0 * 60 * 60

  /// What has become known of the server at an address within the last day.
  package func resumeServer(at address: String) -> ResumeServer? {
    resumeServer(at: address, now: Date())
  }

  func resumeServer(at address: String, now: Date) -> ResumeServer? {
    let text = try? read { db in
      try String.fetchOne(
        db, sql: "SELECT server FROM resume_server WHERE address = ? AND learnt > ?",
        arguments: [address, now.timeIntervalSince1970 - Self.lifetime])
    }
    return JSONColumn.value(text ?? nil)
  }

  /// Stores that; nil deletes what was stored.
  package func remember(_ server: ResumeServer?, at address: String) {
    remember(server, at: address, now: Date())
  }

  func remember(_ server: ResumeServer?, at address: String, now: Date) {
    let text = JSONColumn.text(server)
    // This does not change the queue, and nothing is lost if it cannot be written.
    try? pool.write { db in
      try db.execute(
        sql: "DELETE FROM resume_server WHERE address = ? OR learnt <= ?",
        arguments: [address, now.timeIntervalSince1970 - Self.lifetime])
      guard let text else { return }
      try db.execute(
        sql: "INSERT INTO resume_server VALUES (?, ?, ?)",
        arguments: [address, text, now.timeIntervalSince1970])
    }
  }
}
