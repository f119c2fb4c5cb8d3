/// Extensions that people use differently from the registries, and those that reveal nothing about the content.
///
/// The user's own `~/.mime.types` takes precedence over this table, which takes precedence over the machine's.
enum CommonMeanings {
  /// Patterns as in `NameTable`, and what they mean; nil if only the content can tell.
  static let rows: [(pattern: String, type: String?)] = [
    // TypeScript; mime.types has Qt Linguist's translations, others MPEG transport streams.
    ("*.ts", "text/typescript"),
    // Rust; mime.types has RLS services (RFC 4662).
    ("*.rs", "text/rust"),
    // Optimized Row Columnar, which has no registered type; mime.types has Csound's scores.
    ("*.orc", "application/octet-stream"),
    // PyTorch's weights, which have no registered type; mime.types has an emulator's page table.
    ("*.pt", "application/octet-stream"),
    // A private key, a Keynote presentation or a PGP key; mime.types has only the last.
    ("*.key", nil),
    // A static library; mime.types has source code in the language A.
    ("*.a", "application/x-archive"),
    // A copy of anything; mime.types has `application/x-trash`.
    ("*.bak", nil),
    ("*.old", nil),
    // A copy of anything.
    ("*.orig", nil),
    // An editor's copy of anything; mime.types has `application/x-trash`.
    ("*~", nil),
    // The beginning of a file of any type.
    ("*.part", nil),
    // Anything.
    ("*.tmp", nil),
    // SQLite, Berkeley DB, thumbnails: the content tells.
    ("*.db", nil),
    // Anything.
    ("*.dat", nil),
    // A rotated log.
    ("*.log.[0-9]", "text/plain"),
    ("*.log.[0-9][0-9]", "text/plain"),
  ]
}

extension NameTable {
  static let commonMeanings: NameTable = {
    var table = NameTable(title: "common meaning")
    for row in CommonMeanings.rows {
      table.add(pattern: row.pattern, type: row.type.flatMap { MediaType($0) })
    }
    return table
  }()
}
