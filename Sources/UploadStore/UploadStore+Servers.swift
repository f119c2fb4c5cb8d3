import Foundation
import GRDB
import UploadModel

/// Remembers which protocol servers speak, for targets that leave that open (`resume = "auto"`).
extension UploadStore: ResumeMemory {
  /// How many seconds an entry stays valid, since another server may take over the address.
  private static let lifetime = 24.0 * 60 * 60

  /// What was learnt about the server at an address within the last day.
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

  /// Stores what was learnt about a server; nil deletes it.
  package func remember(_ server: ResumeServer?, at address: String) {
    remember(server, at: address, now: Date())
  }

  func remember(_ server: ResumeServer?, at address: String, now: Date) {
    let text = JSONColumn.text(server)
    // This does not change the queue, and losing it does no harm.
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
