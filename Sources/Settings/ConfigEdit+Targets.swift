import ScalarText
import UploadModel

/// Removing targets and choosing the default one, line by line.
extension ConfigEdit {
  /// The text without a target's tables. Comments above them stay.
  ///
  /// - Throws: `ConfigError` if there is no such target, if it is the default one, or if the text cannot be edited
  ///   safely.
  package func removing(_ name: String) throws(ConfigError) -> String {
    let before = try settings(text)
    guard before.targetNames.contains(name) else {
      throw ConfigError(file: file, "there is no target called \"\(name)\"")
    }
    guard before.defaultTarget != name else {
      throw ConfigError(
        file: file, "\"\(name)\" is the default target; make another the default first")
    }
    var lines = rows
    for range in tables(of: name, in: lines).reversed() { lines.removeSubrange(range) }
    // If the table was the last one, the blank lines before it are left over.
    while lines.count > 1, lines.last?.isEmpty == true,
      lines[lines.count - 2].trimming(\.isWhiteSpace).isEmpty
    {
      lines.removeLast()
    }
    let edited = lines.joined(separator: "\n")
    guard let after = try? settings(edited), after.defaultTarget == before.defaultTarget,
      after.targetNames == before.targetNames.filter({ $0 != name }),
      after.targetNames.allSatisfy({ after.blueprint(of: $0) == before.blueprint(of: $0) })
    else { throw notEditable("remove the table targets.\(TOMLText.key(name)) yourself") }
    return edited
  }

  /// The text with another default target.
  ///
  /// - Throws: `ConfigError` if there is no such target, or if the text cannot be edited safely.
  package func choosing(_ name: String) throws(ConfigError) -> String {
    let before = try settings(text)
    guard before.targetNames.contains(name) else {
      throw ConfigError(file: file, "there is no target called \"\(name)\"")
    }
    let entry = "default_target = \(TargetText.string(name))"
    var lines = rows
    if let line = KeyLocator(text).line(ofExactly: ["default_target"]) {
      lines[line - 1] = entry + (lines[line - 1].unicodeScalars.last == "\r" ? "\r" : "")
    } else {
      // A top-level key has to come before the first table.
      lines.insert(contentsOf: [entry, ""], at: 0)
    }
    let edited = lines.joined(separator: "\n")
    guard let after = try? settings(edited), after.defaultTarget == name,
      after.targetNames == before.targetNames,
      after.targetNames.allSatisfy({ after.blueprint(of: $0) == before.blueprint(of: $0) })
    else { throw notEditable("write \(entry) before its first table yourself") }
    return edited
  }

  /// Its lines, by scalar, so that a carriage return stays with its line.
  private var rows: [String] {
    text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
  }

  /// The lines of a target's tables, from each header to the next one of another target. Comments right before that
  /// belong to it.
  private func tables(of name: String, in lines: [String]) -> [Range<Int>] {
    let names = ["targets.\(TOMLText.key(name))", "targets.\(TargetText.string(name))"]
    let headers = lines.indices.filter {
      lines[$0].trimming(\.isWhiteSpace).hasPrefix(scalars: "[")
    }
    func isOfTarget(_ row: Int) -> Bool {
      let header = lines[row].trimming { $0.isWhiteSpace || $0 == "[" }
      return names.contains { name in
        header.hasPrefix(scalars: name + "]") || header.hasPrefix(scalars: name + ".")
      }
    }
    return headers.enumerated().compactMap { index, row in
      guard isOfTarget(row) else { return nil }
      let next = index + 1 < headers.count ? headers[index + 1] : lines.count
      var end = next
      while next < lines.count, !isOfTarget(next), end > row + 1,
        lines[end - 1].trimming(\.isWhiteSpace).hasPrefix(scalars: "#")
      {
        end -= 1
      }
      return row..<end
    }
  }
}
