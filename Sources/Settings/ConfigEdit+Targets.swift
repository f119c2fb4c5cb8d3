import Foundation
import ScalarText
import UploadModel

/// Removes and changes targets, and chooses the default one, line by line.
extension ConfigEdit {
  /// The text without a target's tables. Comments above them stay. The default target cannot be removed.
  package func removing(_ name: String) throws(ConfigError) -> String {
    var wanted = try meaning(with: name)
    guard wanted.usual != name else {
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
    wanted.targets[name] = nil
    return try checked(
      lines.joined(separator: "\n"), means: wanted,
      or: "remove the table targets.\(TOMLText.key(name)) yourself")
  }

  /// The text with the address or the name of a target changed; nil keeps the address.
  package func changing(
    _ name: String, url: URL? = nil, name newName: String
  ) throws(ConfigError) -> String {
    var wanted = try meaning(with: name)
    guard newName == name || wanted.targets[newName] == nil else {
      throw ConfigError(file: file, "there is already a target called \"\(newName)\"")
    }
    var lines = rows
    if let url {
      guard replaceString(at: ["targets", name, "url"], in: &lines, with: url.absoluteString) else {
        throw notEditable("change the url of targets.\(TOMLText.key(name)) yourself")
      }
      wanted.targets[name]?.url = url
      wanted.targets[name]?.address = nil
    }
    if newName != name {
      for range in tables(of: name, in: lines) {
        let header = lines[range.lowerBound]
        for form in Self.headers(of: name) where header.contains(scalars: form) {
          lines[range.lowerBound] = header.replacing(
            scalars: form, with: "targets.\(TOMLText.key(newName))")
        }
      }
      if wanted.usual == name {
        replaceString(at: ["default_target"], in: &lines, with: newName)
        wanted.usual = newName
      }
      wanted.targets[newName] = wanted.targets.removeValue(forKey: name)
      wanted.targets[newName]?.name = newName
    }
    return try checked(
      lines.joined(separator: "\n"), means: wanted,
      or: "change targets.\(TOMLText.key(name)) yourself")
  }

  /// The text with a target turned into one for hoist's own receiver, which is at this address; nil if the target has
  /// more than an address and credentials, since it then means another kind of server.
  package func recognising(_ name: String, at receiver: URL) throws(ConfigError) -> String? {
    func plain(_ keys: String) throws(ConfigError) -> Target? {
      try settings("[targets.\(TOMLText.key(name))]\n" + keys).blueprint(of: name)
    }
    var wanted = try meaning(with: name)
    guard let before = wanted.targets[name],
      try before.withoutCredentials
        == plain("url = \(TargetText.string(before.url.absoluteString))\n")
    else { return nil }
    var lines = rows
    guard replaceString(at: ["targets", name, "url"], in: &lines, with: receiver.absoluteString),
      let row = KeyLocator(text).line(ofExactly: ["targets", name]).map({ $0 - 1 }),
      lines[row].trimming(\.isWhiteSpace).hasPrefix(scalars: "[")
    else { return nil }
    lines.insert(
      "type = \"hoist\"" + (lines[row].unicodeScalars.last == "\r" ? "\r" : ""), at: row + 1)
    let edited = lines.joined(separator: "\n")
    let after = try settings(edited).blueprint(of: name)
    guard
      try after?.withoutCredentials
        == plain("type = \"hoist\"\nurl = \(TargetText.string(receiver.absoluteString))\n")
    else { return nil }
    wanted.targets[name] = after
    return try checked(
      edited, means: wanted, or: "add type = \"hoist\" to targets.\(TOMLText.key(name)) yourself")
  }

  /// Replaces the string after the equals sign of a key. The rest of the line, such as a comment, stays. Returns false
  /// if the key's line is unknown or has no string that is easy to recognise.
  @discardableResult
  private func replaceString(
    at keys: [String], in lines: inout [String], with string: String
  ) -> Bool {
    let form = #/^[^=]*=\s*("(?:[^"\\]|\\[^\n])*"|'[^']*')/#.matchingSemantics(.unicodeScalar)
    guard let row = KeyLocator(text).line(ofExactly: keys).map({ $0 - 1 }),
      let value = lines[row].firstMatch(of: form)?.1
    else { return false }
    lines[row].replaceSubrange(value.startIndex..<value.endIndex, with: TargetText.string(string))
    return true
  }

  /// The text with another default target.
  package func choosing(_ name: String) throws(ConfigError) -> String {
    var wanted = try meaning(with: name)
    wanted.usual = name
    let entry = "default_target = \(TargetText.string(name))"
    var lines = rows
    if let line = KeyLocator(text).line(ofExactly: ["default_target"]) {
      lines[line - 1] = entry + (lines[line - 1].unicodeScalars.last == "\r" ? "\r" : "")
    } else {
      // A top-level key must come before the first table.
      lines.insert(contentsOf: [entry, ""], at: 0)
    }
    return try checked(
      lines.joined(separator: "\n"), means: wanted,
      or: "write \(entry) before the file's first table yourself")
  }

  /// The lines of the text, split by scalar, so that a carriage return stays with its line.
  var rows: [String] { text.split(scalar: "\n") }

  /// The texts with which the name in the header of a target's table may begin.
  private static func headers(of name: String) -> [String] {
    ["targets.\(TOMLText.key(name))", "targets.\(TargetText.string(name))"]
  }

  /// The lines of each of a target's tables, from its header to the next header. Comments right before the header of
  /// another target's table belong to that table.
  func tables(of name: String, in lines: [String]) -> [Range<Int>] {
    let names = Self.headers(of: name)
    let headers = lines.indices.filter {
      lines[$0].trimming(\.isWhiteSpace).hasPrefix(scalars: "[")
    }
    func isOfTarget(_ row: Int) -> Bool {
      let header = lines[row].trimming { $0.isWhiteSpace || $0 == "[" }
      return names.contains { name in
        header.hasPrefix(scalars: name + "]") || header.hasPrefix(scalars: name + ".")
      }
    }
    return zip(headers, headers.dropFirst() + [lines.count]).compactMap { row, next in
      guard isOfTarget(row) else { return nil }
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
