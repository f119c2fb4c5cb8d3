import Foundation
import ScalarText
import UploadModel

/// Writes a pin into the text of a configuration and leaves every other byte as it is.
///
/// The text is edited by line, because a TOML library would rewrite all of it. To catch lines that only look
/// like TOML, such as a header inside a long string, the result is parsed: it must mean exactly what the
/// original did, plus the pin.
public struct PinEdit {
  /// Why the pin was not written: what to write by hand, and where.
  public struct EditError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, as a sentence without its full stop.
    public let description: String
  }

  /// The file as it is; empty where there is none yet.
  public let text: String
  /// Its path, for messages and for what is relative to it.
  public let file: String
  private let environment: [String: String]

  /// An edit of this text.
  public init(of text: String, file: String, environment: [String: String]) {
    self.text = text
    self.file = file
    self.environment = environment
  }

  /// The text with `pin` in the target called `name`, which is made with `url` if it is not there.
  ///
  /// - Throws: `EditError` if the text cannot be edited safely; it tells what to write by hand.
  public func writing(
    _ pin: PublicKeyPin, to name: String, at url: URL
  ) throws(EditError) -> String {
    let before: Settings
    do {
      before = try Settings.parse(text, file: file, environment: environment)
    } catch {
      throw EditError(description: "\(error)")
    }
    let isNew = !before.targetNames.contains(name)
    let edited = isNew ? adding(pin, to: name, at: url) : replacing(pin, in: name)
    guard let edited, says(edited, before, name, pin, isNew ? url : nil) else {
      throw EditError(
        description: "\(file) is written in a way that hoist does not edit; write "
          + "pin = \"\(pin)\" into the tls table of targets.\(name) yourself")
    }
    return edited
  }

  private func says(
    _ edited: String, _ before: Settings, _ name: String, _ pin: PublicKeyPin, _ newURL: URL?
  ) -> Bool {
    guard let after = try? Settings.parse(edited, file: file, environment: environment),
      after.defaultTarget == before.defaultTarget,
      Set(after.targetNames) == Set(before.targetNames).union([name])
    else { return false }
    return after.targetNames.allSatisfy { other in
      guard let now = after.blueprint(of: other) else { return false }
      guard other == name else { return now == before.blueprint(of: other) }
      var wanted = newURL.map { Target(name: name, url: $0) } ?? before.blueprint(of: name)
      wanted?.tls.pin = pin
      return now == wanted
    }
  }

  // MARK: Lines

  private func adding(_ pin: PublicKeyPin, to name: String, at url: URL) -> String {
    let gap = text.isEmpty ? "" : text.utf8.last == 0x0A ? "\n" : "\n\n"
    return text + gap
      + "[targets.\(TOMLText.key(name))]\nurl = \"\(url.absoluteString)\"\ntls = { pin = \"\(pin)\" }\n"
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
