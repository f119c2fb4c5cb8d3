import ScalarText
import UploadModel

/// A recipe with a person's answers in it. Each answer is checked by the same reader that reads the finished
/// configuration.
package struct RecipeDraft {
  package let recipe: Recipe
  package let name: String
  /// The path of the configuration file. Paths in values are relative to its folder.
  private let file: String
  /// The names of the configuration's other secrets.
  private let takenSecrets: [String]
  private var answers: [Answer] = []
  /// The samples of the texts that this person does not have.
  private var missing: [[UInt8]] = []
  private var secrets: [(name: String, line: String)] = []

  /// The replacement for a text of the recipe, inside a URL and elsewhere.
  private struct Answer {
    let sample: [UInt8]
    let inURL: String
    let elsewhere: String

    /// Whether the text starts with this answer's sample, and the sample is not just the beginning of a longer word.
    func begins(_ text: ArraySlice<UInt8>) -> Bool {
      text.starts(with: sample)
        && !(text.dropFirst(sample.count).first.map(RecipeDraft.isWord) ?? false)
    }
  }

  package init(of recipe: Recipe, named name: String, file: String, takenSecrets taken: [String]) {
    (self.recipe, self.name, self.file, takenSecrets) = (recipe, name, file, taken)
  }

  /// The draft as tables of the configuration.
  package var text: String {
    // A table that is commented out starts with "#".
    let heading = "[targets.\(recipe.usualName)"
    let table = TOMLStrings.changing(settings, replacing).textLines.map { line in
      line.hasPrefix(scalars: heading) || line.hasPrefix(scalars: "#\(heading)")
        ? line.replacing(scalars: heading, with: "[targets.\(TOMLText.key(name))") : line
    }
    let secrets = secrets.map { "\n[secrets.\($0.name)]\n\($0.line)\n" }
    return (recipe.introduction + table).joined(separator: "\n") + secrets.joined()
  }

  /// The recipe's settings without those that need a missing text.
  private var settings: String {
    guard !missing.isEmpty else { return recipe.table }
    var (lines, key): ([String], String?) = ([], nil)
    for line in recipe.table.textLines {
      let value = key.flatMap { line.removingPrefix(scalars: "#\($0)=") == nil ? nil : line }
      key = nil
      if value == nil, line.hasPrefix(scalars: "#") {
        lines.append(line)
      } else if missing.contains(where: { Self.contains($0, in: line) }) {
        key = line.range(scalars: "=").map { String(line[..<$0.lowerBound]) }
      } else {
        lines.append(value.map { String($0.unicodeScalars.dropFirst()) } ?? line)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Leaves out the settings with the question's sample.
  package mutating func leaveOut(_ question: RecipeQuestion) throws(InvalidInput) {
    if !question.isOptional { throw InvalidInput("an answer is needed") }
    missing.append(Array(question.written.utf8))
    // What has been answered must have a place.
    let rest = settings
    for other in recipe.questions where other.isOptional {
      let sample = Array(other.written.utf8)
      guard answers.contains(where: { $0.sample == sample }),
        !rest.textLines.contains(where: { Self.contains(sample, in: $0) })
      else { continue }
      throw InvalidInput("an answer is needed, because you have answered \"\(other.words)\"")
    }
  }

  /// Whether a line contains this sample, and not only as a part of a longer word.
  private static func contains(_ sample: [UInt8], in line: String) -> Bool {
    let answer = Answer(sample: sample, inURL: "", elsewhere: "")
    let bytes = Array(line.utf8)
    return bytes.indices.contains { start in
      (start == 0 || !isWord(bytes[start - 1])) && answer.begins(bytes[start...])
    }
  }

  /// Puts a text in place of the question's sample.
  package mutating func answer(_ question: RecipeQuestion, with text: String) throws(InvalidInput) {
    if text.isEmpty { throw InvalidInput("an answer is needed") }
    guard question.kind == .address else {
      let path = text.trimming { $0 == "/" }.split(scalar: "/").map(PercentEncoding.encode).joined(
        separator: "/")
      return try put(question, inURL: path, elsewhere: Template.braced(text))
    }
    let text = Origin.addingScheme(to: text)
    _ = try TargetURL.parse(text)
    if text.utf8.contains(where: { "{}".utf8.contains($0) }) {
      throw InvalidInput("the recipe adds the placeholders itself; leave braces out of this URL")
    }
    if let scheme = text.range(scalars: "://"), text[scheme.upperBound...].contains(scalars: "://")
    {
      throw InvalidInput("this is more than one address; delete the one that was there")
    }
    if text.utf8.contains(UInt8(ascii: "?")) {
      throw InvalidInput("the recipe appends to this URL, so it must not have a query (\"?…\")")
    }
    let address = text.trimming { $0 == "/" }
    try put(question, inURL: address, elsewhere: address)
  }

  /// What is wrong with an answer; nil if nothing is.
  package func problem(with text: String, for question: RecipeQuestion) -> String? {
    problem { draft throws(InvalidInput) in try draft.answer(question, with: text) }
  }

  /// Why the question must be answered; nil if it need not be.
  package func problem(leavingOut question: RecipeQuestion) -> String? {
    problem { draft throws(InvalidInput) in try draft.leaveOut(question) }
  }

  package func problem(with place: SecretPlace, for question: RecipeQuestion) -> String? {
    problem { draft throws(InvalidInput) in try draft.answer(question, with: place) }
  }

  private func problem(_ answer: (inout RecipeDraft) throws(InvalidInput) -> Void) -> String? {
    var draft = self
    do throws(InvalidInput) {
      try answer(&draft)
      return nil
    } catch {
      return error.description
    }
  }

  package mutating func answer(
    _ question: RecipeQuestion, with place: SecretPlace
  ) throws(InvalidInput) {
    var placeholder = "secret."
    if let line = place.line {
      let usual = question.sample.lowercasedASCII
      let taken = takenSecrets + secrets.map(\.name)
      let name =
        ([usual] + (2...99).map { "\(usual)-\($0)" }).first { !taken.contains($0) } ?? usual
      secrets.append((name, line))
      placeholder += name
    } else if case .variable(let variable) = place {
      // Accept only capitals: a secret entered here by mistake often looks like a name in small letters.
      guard variable.wholeMatch(of: #/[A-Z_][A-Z0-9_]*/#) != nil else {
        throw InvalidInput(
          "expected the name of a variable in capitals; do not put the secret itself here")
      }
      placeholder = "env.\(variable)"
    }
    try put(question, inURL: placeholder, elsewhere: placeholder)
  }

  private mutating func put(
    _ question: RecipeQuestion, inURL: String, elsewhere: String
  ) throws(InvalidInput) {
    let sample = Array(question.written.utf8)
    answers.append(Answer(sample: sample, inURL: inURL, elsewhere: elsewhere))
    do throws(ConfigError) {
      _ = try Settings.parse(text, file: file, environment: [:])
    } catch {
      // The other answers have passed, so it is about this one. Where that goes in the configuration is no help here.
      throw InvalidInput(SafeText.line(error.problem))
    }
  }

  /// A string of the recipe with all answers filled in. The text of one answer is not searched for the samples of other
  /// answers.
  private func replacing(_ text: String) -> String {
    let isURL = ["http://", "https://", "{url}"].contains { text.hasPrefix(scalars: $0) }
    var (result, rest): ([UInt8], ArraySlice<UInt8>) = ([], Array(text.utf8)[...])
    var isInWord = false
    while let byte = rest.first {
      let found = isInWord ? nil : answers.first { $0.begins(rest) }
      result += found.map { Array((isURL ? $0.inURL : $0.elsewhere).utf8) } ?? [byte]
      let count = found?.sample.count ?? 1
      isInWord = rest.prefix(count).last.map(Self.isWord) ?? false
      rest = rest.dropFirst(count)
    }
    return String(decoding: result, as: UTF8.self)
  }

  fileprivate static func isWord(_ byte: UInt8) -> Bool {
    byte.isAlphanumeric || "-_".utf8.contains(byte)
  }
}
