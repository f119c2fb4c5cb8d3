import UploadModel

/// What a line in the add prompt currently names, before anything is added.
package struct AddPreview: Hashable, Sendable {
  package var files = 0
  /// Their total size in bytes.
  package var bytes: Int64 = 0
  /// The folder whose files these are, if the line names one and nothing else.
  package var folder: String?
  /// Links that lead nowhere: they would be listed as failed.
  package var brokenLinks = 0
  /// What cannot be sent for another reason, and would be listed as failed too.
  package var unsendable = 0
  /// Whether counting stopped early, so that there are more files than `files`.
  package var isMore = false
  /// The words of the line that name no file.
  package var missing: [String] = []
  /// What is wrong with the options after a file, such as its type, or why a folder cannot be read.
  package var mistake: String?

  /// The preview in a line: "5 files, 11 MB", "nothing is called a.txt".
  package var words: String { Self.line(parts()) }

  /// The preview in a line of at most `width` columns: with less detail, or with fewer of its parts.
  func words(fitting width: Int) -> String {
    let brief = parts(isBrief: true)
    let forms =
      [parts()] + (0..<brief.count).map { Array(brief.dropLast($0)) }
    let lines = forms.map(Self.line)
    return lines.first { Glyphs.width(Glyphs.of($0, ascii: false)) <= width } ?? lines[0]
  }

  private static func line(_ parts: [String]) -> String {
    parts.isEmpty ? "no files found" : parts.joined(separator: "; ")
  }

  private func parts(isBrief: Bool = false) -> [String] {
    var parts: [String] = []
    if files > 0 {
      let more = isMore ? "more than " : ""
      let place = folder.map { " in \($0)" } ?? ""
      parts.append(
        "\(more)\(HumanReadable.count(files, "file")), \(HumanReadable.bytes(bytes))\(place)")
    }
    if isBrief, brokenLinks > 0, unsendable > 0 {
      parts.append("\(brokenLinks + unsendable) cannot be sent")
    } else if brokenLinks > 0 {
      parts.append("\(HumanReadable.count(brokenLinks, "broken link")) cannot be sent")
    }
    if unsendable > 0, !isBrief || brokenLinks == 0 {
      let others = brokenLinks > 0 ? HumanReadable.count(unsendable, "other") : "\(unsendable)"
      parts.append("\(others) cannot be sent")
    }
    if let first = missing.first {
      let others =
        missing.count > 1 ? "; \(HumanReadable.grouped(missing.count - 1)) more not found" : ""
      let isPattern = first.unicodeScalars.contains { "*?[{".unicodeScalars.contains($0) }
      parts.append((isPattern ? "nothing matches \(first)" : "nothing is called \(first)") + others)
    }
    if let mistake { parts.append(mistake) }
    return parts
  }
}

extension AddPreview {
  /// A preview of a line that has words that name no file, or a mistake.
  package init(missing: [String], mistake: String?) {
    self.init(files: 0, missing: missing, mistake: mistake)
  }
}
