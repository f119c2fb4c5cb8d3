import ScalarText

/// A target to start from: a file of `config/recipes`.
///
/// The comment at the head of the file starts with the target's purpose and a colon. Below a line `# To fill in:`, the
/// comment has one line for each text that differs from person to person. That line has the recipe's sample of the
/// text, blanks, and a description. Brackets around the sample mean that it suits most people; parentheses, that some
/// people have no such text. Without it, the settings that contain it are left out, and the next line is put in force if
/// it turns off another value of the same key.
package struct Recipe: Sendable {
  /// The recipe's name for `hoist target new`, which is the name of its file.
  package let name: String
  /// The target's purpose, in a few words.
  package let title: String
  package let questions: [RecipeQuestion]
  package let usualName: String
  /// What to know before the questions, as lines of a comment.
  package let introduction: [String]
  let table: String

  private static let mark = "# To fill in:"

  package static let all = RecipeFiles.all.map { Recipe(named: $0.name, $0.text) }
    .sorted { $0.name < $1.name }

  /// The recipe with this name or title; nil if there is no such recipe.
  package static func called(_ name: String) -> Recipe? {
    let wanted = name.lowercasedASCII
    return all.first { $0.name == wanted || $0.title.lowercasedASCII == wanted }
  }

  init(named name: String, _ text: String) {
    self.name = name
    let lines = text.textLines
    let head = lines.prefix { $0.hasPrefix(scalars: "#") }
    let table = lines.drop { !$0.hasPrefix(scalars: "[") }
    self.table = table.joined(separator: "\n").trimming(\.isLineBreak) + "\n"
    introduction = Array(
      head.prefix { !$0.hasPrefix(scalars: "# Try it:") && !$0.hasSameScalars(as: Self.mark) })
    let first = introduction.first?.removingPrefix(scalars: "# ") ?? ""
    title = first.split(scalar: ":").first ?? ""
    usualName =
      (table.first ?? "").trimming { "[]".unicodeScalars.contains($0) }
      .removingPrefix(scalars: "targets.") ?? ""
    questions = head.drop { !$0.hasSameScalars(as: Self.mark) }.dropFirst()
      .compactMap { RecipeQuestion($0, in: text) }
  }
}
