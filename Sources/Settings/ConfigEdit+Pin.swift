import Foundation
import ScalarText
import UploadModel

/// A pin is written by line.
extension ConfigEdit {
  /// The text with `pin` in the target called `name`, which is made with `url` if it is not there.
  ///
  /// - Throws: `ConfigError` if the text cannot be edited safely; it tells what to write by hand.
  public func writing(
    _ pin: PublicKeyPin, to name: String, at url: URL
  ) throws(ConfigError) -> String {
    let before = try settings(text)
    let isNew = !before.targetNames.contains(name)
    let edited = isNew ? adding(pin, to: name, at: url) : replacing(pin, in: name)
    var wanted = isNew ? Target(name: name, url: url) : before.blueprint(of: name)
    wanted?.tls.pin = pin
    guard let edited, let wanted, let after = try? settings(edited),
      after.has(wanted, named: name, besides: before)
    else {
      throw notEditable("write pin = \"\(pin)\" into the tls table of targets.\(name) yourself")
    }
    return edited
  }

  // MARK: Lines

  private func adding(_ pin: PublicKeyPin, to name: String, at url: URL) -> String {
    withTable(
      "[targets.\(TOMLText.key(name))]\nurl = \"\(url.absoluteString)\"\ntls = { pin = \"\(pin)\" }\n"
    )
  }

  private func replacing(_ pin: PublicKeyPin, in name: String) -> String? {
    // By scalar: a carriage return stays with its line.
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0) }
    let table = "targets.\(TOMLText.key(name))"
    if let rows = rows(of: "\(table).tls", in: lines) {
      if let row = rows.first(where: { Self.keyed("pin", lines[$0]) }) {
        guard let line = Self.settingPin(pin, in: lines[row]) else { return nil }
        lines[row] = line
      } else {
        lines.insert("pin = \"\(pin)\"\(ending(of: lines))", at: rows.lowerBound)
      }
    } else if let rows = rows(of: table, in: lines) {
      if let row = rows.first(where: { Self.keyed("tls", lines[$0]) }) {
        if let line = Self.settingPin(pin, in: lines[row]) {
          lines[row] = line
        } else if let brace = lines[row].unicodeScalars.firstIndex(of: "{") {
          let next = lines[row].unicodeScalars.index(after: brace)
          let isEmpty = lines[row].unicodeScalars[next...].drop { $0 == " " }.first == "}"
          lines[row].unicodeScalars.insert(
            contentsOf: " pin = \"\(pin)\"\(isEmpty ? "" : ",")".unicodeScalars, at: next)
        } else {
          return nil
        }
      } else {
        lines.insert("tls = { pin = \"\(pin)\" }\(ending(of: lines))", at: rows.lowerBound)
      }
    } else {
      return nil
    }
    return lines.joined(separator: "\n")
  }

  /// The rows of a table's own keys, after its header.
  private func rows(of table: String, in lines: [String]) -> Range<Int>? {
    guard let header = lines.firstIndex(where: { Self.header($0) == table }) else { return nil }
    let end = lines[(header + 1)...].firstIndex { Self.header($0) != nil } ?? lines.endIndex
    return (header + 1)..<end
  }

  private func ending(of lines: [String]) -> String {
    lines.first?.unicodeScalars.last == "\r" ? "\r" : ""
  }

  /// The name in a header such as `[targets.nas]  # a note`.
  private static func header(_ line: String) -> String? {
    let line = line.trimming(\.isWhiteSpace)
    let scalars = line.unicodeScalars
    guard line.hasPrefix(scalars: "["), !line.hasPrefix(scalars: "[["),
      let end = scalars.firstIndex(of: "]")
    else {
      return line.hasPrefix(scalars: "[[") ? line : nil
    }
    return String(String.UnicodeScalarView(scalars[..<end].dropFirst().filter { !$0.isBlank }))
  }

  private static func keyed(_ key: String, _ line: String) -> Bool {
    line.trimmingPrefix(while: \.isWhitespace).prefixMatch(of: /([A-Za-z_]+)\s*=/)?.1 == key[...]
  }

  /// The line with the string after its `pin =` replaced.
  private static func settingPin(_ pin: PublicKeyPin, in line: String) -> String? {
    guard let value = line.firstMatch(of: /\bpin\s*=\s*("[^"]*"|'[^']*')/)?.1 else { return nil }
    return line.replacingCharacters(in: value.startIndex..<value.endIndex, with: "\"\(pin)\"")
  }
}
