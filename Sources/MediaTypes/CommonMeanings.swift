/// Extensions that people mean otherwise than the registries do, and those that say nothing of the content.
///
/// The person's own `~/.mime.types` goes before it, the machine's tables come after it.
enum CommonMeanings {
  /// An extension, what it means, and why the machine's tables are not asked.
  struct Row: Sendable {
    /// As `NameTable` has it.
    let pattern: String
    /// Nil where only the content can tell.
    let type: String?
    /// Why this row is here.
    let reason: String
  }

  /// All of them.
  static let rows: [Row] = [
    Row(
      pattern: "*.ts", type: "text/typescript",
      reason: "TypeScript; mime.types has Qt Linguist's translations, others MPEG transport streams"
    ),
    Row(
      pattern: "*.rs", type: "text/rust", reason: "Rust; mime.types has RLS services (RFC 4662)"),
    Row(
      pattern: "*.orc", type: "application/octet-stream",
      reason: "Optimized Row Columnar, which has no registered type; mime.types has Csound's scores"
    ),
    Row(
      pattern: "*.pt", type: "application/octet-stream",
      reason: "PyTorch's weights, which have no type; mime.types has a page table of an emulator"),
    Row(
      pattern: "*.key", type: nil,
      reason: "a private key, a Keynote presentation or a PGP key; mime.types has the last only"),
    Row(
      pattern: "*.a", type: "application/x-archive",
      reason: "a static library; mime.types has texts in the language A"),
    Row(pattern: "*.bak", type: nil, reason: "a copy of anything; mime.types says rubbish"),
    Row(pattern: "*.old", type: nil, reason: "a copy of anything; mime.types says rubbish"),
    Row(pattern: "*.orig", type: nil, reason: "a copy of anything"),
    Row(pattern: "*~", type: nil, reason: "an editor's copy of anything; mime.types says rubbish"),
    Row(pattern: "*.part", type: nil, reason: "the beginning of anything"),
    Row(pattern: "*.tmp", type: nil, reason: "anything"),
    Row(pattern: "*.db", type: nil, reason: "SQLite, Berkeley DB, thumbnails: the content tells"),
    Row(pattern: "*.dat", type: nil, reason: "anything"),
    Row(pattern: "*.log.[0-9]", type: "text/plain", reason: "a log that was put aside"),
    Row(pattern: "*.log.[0-9][0-9]", type: "text/plain", reason: "a log that was put aside"),
  ]
}

extension NameTable {
  /// `CommonMeanings` as a table.
  static let commonMeanings: NameTable = {
    var table = NameTable(title: "common meaning")
    for row in CommonMeanings.rows {
      table.add(pattern: row.pattern, type: row.type.flatMap { MediaType($0) })
    }
    return table
  }()
}
