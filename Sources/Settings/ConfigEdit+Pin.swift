import Foundation
import ScalarText
import UploadModel

/// Writes pins, line by line.
extension ConfigEdit {
  /// The text with `pin` in the target called `name`. A missing target is added, with the address `url`.
  package func writing(
    _ pin: PublicKeyPin, to name: String, at url: URL
  ) throws(ConfigError) -> String {
    var wanted = try settings(text).meaning
    let isNew = wanted.targets[name] == nil
    wanted.targets[name, default: Target(name: name, url: url)].tls.pin = pin
    let table =
      "[targets.\(TOMLText.key(name))]\nurl = \"\(url.absoluteString)\"\ntls = { pin = \"\(pin)\" }\n"
    return try checked(
      isNew ? withTable(table) : replacing(pin, in: name), means: wanted,
      or: "write pin = \"\(pin)\" into the tls table of targets.\(name) yourself")
  }

  /// The text stays as it is if it has no place for the pin that is easy to recognise.
  private func replacing(_ pin: PublicKeyPin, in name: String) -> String {
    var lines = rows
    let (places, entry) = (KeyLocator(text), "pin = \"\(pin)\"")
    func row(_ keys: String...) -> Int? {
      places.line(ofExactly: ["targets", name] + keys).map { $0 - 1 }
    }
    func insert(_ line: String, after row: Int) {
      let ending = lines.first?.unicodeScalars.last == "\r" ? "\r" : ""
      lines.insert(line + ending, at: row + 1)
    }
    if let row = row("tls", "pin") {
      lines[row] = Self.settingPin(pin, in: lines[row]) ?? lines[row]
    } else if let row = row("tls") {
      if lines[row].trimming(\.isWhiteSpace).hasPrefix(scalars: "[") {
        insert(entry, after: row)
      } else if let line = Self.settingPin(pin, in: lines[row]) {
        lines[row] = line
      } else if let brace = lines[row].unicodeScalars.firstIndex(of: "{") {
        let next = lines[row].unicodeScalars.index(after: brace)
        let isEmpty = lines[row].unicodeScalars[next...].drop { $0 == " " }.first == "}"
        lines[row].unicodeScalars.insert(
          contentsOf: " \(entry)\(isEmpty ? "" : ",")".unicodeScalars, at: next)
      }
    } else if let row = row() {
      insert("tls = { \(entry) }", after: row)
    }
    return lines.joined(separator: "\n")
  }

  /// The line with the string after `pin =` replaced; nil if the line has no such string.
  private static func settingPin(_ pin: PublicKeyPin, in line: String) -> String? {
    guard let value = line.firstMatch(of: /\bpin\s*=\s*("[^"]*"|'[^']*')/)?.1 else { return nil }
    return line.replacingCharacters(in: value.startIndex..<value.endIndex, with: "\"\(pin)\"")
  }
}
