import Foundation
import ScalarText

/// A rule for the names that files are sent with: a template such as `{file.stem}-{index|03}.{file.ext}`, or a pattern
/// with its replacement in the syntax of sed, such as `s/IMG_/beach-/`.
package struct Renaming: Sendable {
  private enum Rule: Sendable {
    case template(Template)
    /// `words` are the texts of the replacement. Each but the last has the number of the group that follows it.
    case pattern(Pattern, words: [(text: String, group: Int?)], all: Bool)
  }

  private let rule: Rule

  /// The placeholders that a template may have: those whose values are known before a file is read.
  package static let placeholders: [Template.Placeholder] = [
    .fileStem, .fileExtension, .fileName, .index, .fileSize, .fileModified, .fileModifiedSeconds,
    .uuid,
  ]

  /// Reads a template, or a pattern if the text begins with `s/`.
  package init(_ text: String) throws(InvalidInput) {
    guard text.hasPrefix(scalars: "s/") else {
      let lookup = Template.Lookup(
        environment: { _ in nil },
        secret: { (_) throws(InvalidInput) in throw InvalidInput("a name cannot contain secrets") })
      rule = .template(try Template(text, scope: Self.placeholders, lookup: lookup))
      return
    }
    var parts: [String] = [""]
    var isEscaped = false
    for scalar in text.unicodeScalars.dropFirst(2) {
      if scalar == "/", !isEscaped {
        parts.append("")
      } else {
        // A backslash before a slash only escapes the slash, so the backslash is dropped.
        if scalar == "/" { parts[parts.count - 1].unicodeScalars.removeLast() }
        parts[parts.count - 1].unicodeScalars.append(scalar)
      }
      isEscaped = scalar == "\\" && !isEscaped
    }
    guard parts.count == 3, !parts[0].isEmpty,
      parts[2].unicodeScalars.allSatisfy({ $0 == "g" || $0 == "i" })
    else {
      throw InvalidInput(
        "expected s/from/to/, optionally with g (every match) or i (any case) after it")
    }
    let flags = parts[2].unicodeScalars
    let pattern = try Pattern(flags.contains { $0 == "i" } ? "(?i)" + parts[0] : parts[0])
    let words = Self.words(parts[1])
    if let group = words.compactMap(\.group).first(where: { $0 > pattern.groups }) {
      throw InvalidInput(
        "the replacement uses group \\\(group), but the number of groups in the pattern is \(pattern.groups)"
      )
    }
    rule = .pattern(pattern, words: words, all: flags.contains { $0 == "g" })
  }

  /// Splits a replacement at the groups in it: `&` and `\0` stand for the whole match, `\1` to `\9` for its groups.
  private static func words(_ text: String) -> [(text: String, group: Int?)] {
    var (words, piece, isEscaped) = ([(String, Int?)](), "", false)
    func end(_ group: Int?) {
      words.append((piece, group))
      piece = ""
    }
    for scalar in text.unicodeScalars {
      if isEscaped, ("0"..."9").contains(scalar) {
        end(Int(scalar.value) - 0x30)
      } else if scalar == "&", !isEscaped {
        end(0)
      } else if scalar != "\\" || isEscaped {
        piece.unicodeScalars.append(scalar)
      }
      isEscaped = scalar == "\\" && !isEscaped
    }
    end(nil)
    return words
  }

  /// The most steps that all searches together may take, so that no key press has to wait long for them.
  private static let steps = 10_000_000

  /// The new name of an item that is the `number`th of `count` to be renamed; nil if the search for the pattern takes
  /// too long.
  package func name(of item: UploadItem, number: Int, of count: Int) -> String? {
    switch rule {
    case .template(let template):
      var values = Template.Values(
        fileName: item.fileName, fileSize: item.size, fileType: item.mediaType,
        now: Date(timeIntervalSince1970: 0), uuid: item.uuid)
      values.modified = item.identity?.modified ?? 0
      values.index = number
      return template.filled(with: values)
    case .pattern(let pattern, let words, let all):
      return try? pattern.expression.replacing(
        all: all, in: item.fileName, steps: max(1000, Self.steps / max(1, count))
      ) { groups in
        words.map { $0.text + ($0.group.flatMap { groups[$0] } ?? "") }.joined()
      }
    }
  }

  /// The first two files for the same target that would have the same name: two that get a new one, or one of these and
  /// one of the others. Another entry for the file at the same path does not count: it is the same file.
  package static func sameName(
    in renamed: [UploadItem], beside others: some Sequence<UploadItem>
  ) -> (first: UploadItem, second: UploadItem)? {
    var known: [Place: UploadItem] = [:]
    for item in renamed {
      if let first = known.updateValue(item, forKey: Place(item)), first.location != item.location {
        return (first, item)
      }
    }
    for item in others {
      if let first = known[Place(item)], first.location != item.location { return (first, item) }
    }
    return nil
  }

  /// Where a file goes, and under which name.
  private struct Place: Hashable {
    let target: String
    /// In bytes, which servers compare.
    let name: [UInt8]

    init(_ item: UploadItem) { (target, name) = (item.target, Array(item.fileName.utf8)) }
  }
}
