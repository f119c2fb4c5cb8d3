import ScalarText
import Screens
import Settings
import UploadModel

/// Asks the questions whose answers make a target.
struct TargetInterview {
  let context: Context
  let question: Question
  let source: ConfigSource

  /// Asks all questions, and for the recipe if it is nil, and writes the target.
  func run(with recipe: Recipe?) throws {
    let settings = try source.load()
    guard let recipe = try recipe ?? askForRecipe() else {
      let draft = try draft(taken: settings.targetNames)
      return try write(draft.text, named: draft.name)
    }
    let (draft, variables) = try draft(of: recipe, settings)
    try write(draft.text, named: draft.name)
    let unset = variables.filter { context.environment[$0] == nil }
    if !unset.isEmpty {
      context.output.error("Before that, set \(unset.joined(separator: " and "))")
    }
  }

  private func write(_ table: String, named name: String) throws {
    try source.change { try $0.adding(table, named: name) }
    context.output.error(SafeText.line("Written to \(source.path). Upload with --to \(name)"))
  }

  // MARK: A service that hoist knows

  /// The message for a recipe name that does not exist.
  static func unknownRecipe(_ name: String) -> String {
    let hint =
      NearestName.of(name, among: Recipe.all.map(\.name)).map { "did you mean \"\($0)\"?" }
      ?? "see hoist target recipes"
    return SafeText.line("no recipe is called \"\(name)\"; \(hint)")
  }

  private func askForRecipe() throws -> Recipe? {
    say("Services that hoist knows: \(Recipe.all.map(\.name).joined(separator: ", "))")
    let name = try answer("One of these [none]:") {
      ["", "none"].contains($0) || Recipe.called($0) != nil ? nil : Self.unknownRecipe($0)
    }
    return Recipe.called(name)
  }

  /// A target made from a recipe, and the environment variables that it needs.
  private func draft(
    of recipe: Recipe, _ settings: Settings
  ) throws -> (draft: RecipeDraft, variables: [String]) {
    say(recipe.introduction.map { $0.removingPrefix(scalars: "# ") ?? $0 }.joined(separator: " "))
    let taken = settings.targetNames
    let usual = NewTarget.free(recipe.usualName, taken: taken)
    let name = try answer("Name of the target [\(usual)]:") {
      $0.isEmpty ? nil : NewTarget.problem(ofName: $0, taken: taken)
    }
    var draft = RecipeDraft(
      of: recipe, named: name.isEmpty ? usual : name, file: source.path,
      takenSecrets: settings.secretNames)
    var variables: [String] = []
    for question in recipe.questions {
      if question.kind == .secret {
        let place = try place(of: question, in: draft)
        if case .variable(let name) = place { variables.append(name) }
        try draft.answer(question, with: place)
        continue
      }
      let hint = question.isUsual ? "[\(question.sample)]" : "(such as \(question.sample))"
      let before = draft
      let text = try answer("\(question.words) \(hint):") {
        $0.isEmpty && question.isUsual ? nil : before.problem(with: $0, for: question)
      }
      if !text.isEmpty { try draft.answer(question, with: text) }
    }
    return (draft, variables)
  }

  /// Asks where a secret is kept. The secret itself does not belong in the configuration.
  private func place(of question: RecipeQuestion, in draft: RecipeDraft) throws -> SecretPlace {
    let ways = ["variable", "file", "command"]
    let way = try answer("\(question.words), from a variable, file or command [variable]:") {
      $0.isEmpty || ways.contains($0)
        ? nil : "expected one of \(ways.joined(separator: ", ")); do not put the secret itself here"
    }
    let usual = question.sample
    let (words, read): (String, (String) -> SecretPlace) =
      switch way {
      case "file": ("Path of the file:", { .file($0) })
      case "command":
        ("Command that prints it, as in a shell:", { .command(PastedPaths.shellWords($0) ?? []) })
      default: ("Environment variable [\(usual)]:", { .variable($0.isEmpty ? usual : $0) })
      }
    let text = try answer(words) { draft.problem(with: read($0), for: question) }
    return read(text)
  }

  /// Prints a text in lines that fit into a small terminal.
  private func say(_ text: String) {
    var line = ""
    for word in text.split(scalar: " ") {
      if line.utf8.count + word.utf8.count > 78 {
        context.output.error(line)
        line = ""
      }
      line += line.isEmpty ? word : " \(word)"
    }
    context.output.error(line)
  }

  // MARK: Any other server

  private func draft(taken: [String]) throws -> TargetDraft {
    let name = try answer("Name of the target:") { NewTarget.problem(ofName: $0, taken: taken) }
    var draft = TargetDraft(named: name, file: source.path)
    if try agrees("Is it another hoist, started with hoist receive?") {
      draft.set("type", TargetText.string("hoist"))
    }
    let empty = draft
    let address = try answer("URL that files are sent to:") {
      empty.problem(with: TargetText.string($0), for: "url")
    }
    draft.set("url", TargetText.string(address))
    try ask(TargetQuestion.first, &draft)
    try askForCredentials(&draft)
    if try agrees(
      "Are there more things to set, such as retries or several files in one request?")
    {
      try ask(TargetQuestion.others, &draft)
    }
    return draft
  }

  /// Asks the questions whose keys are valid together with the answers so far.
  private func ask(_ questions: [TargetQuestion], _ draft: inout TargetDraft) throws {
    for question in questions {
      let (key, before) = (question.key, draft)
      guard before.problem(with: question.value(question.trial), for: key) == nil else { continue }
      let answer = try answer("\(question.words) [\(question.usual)]:") {
        $0.isEmpty ? nil : before.problem(with: question.value($0), for: key)
      }
      if !answer.isEmpty { draft.set(key, question.value(answer)) }
    }
  }

  /// Asks where the credentials are kept. The credentials themselves do not belong in the configuration.
  private func askForCredentials(_ draft: inout TargetDraft) throws {
    let ways = ["none", "bearer", "basic", "digest"]
    let way = try answer("Credentials: \(ways.joined(separator: ", ")) [none]:") {
      $0.isEmpty || ways.contains($0) ? nil : "expected one of \(ways.joined(separator: ", "))"
    }
    guard !["", "none"].contains(way) else { return }
    var user: String?
    if way != "bearer" {
      user = try answer("User name:") {
        $0.utf8.contains(UInt8(ascii: ":")) || $0.isEmpty
          ? "a user name is needed, without a colon" : nil
      }
    }
    let what = user == nil ? "token" : "password"
    let variable = try answer("Environment variable with the \(what):") {
      $0.isEmpty ? "a variable is needed" : NewTarget.problem(ofVariable: $0)
    }
    let value = TargetText.string("{env.\(variable)}")
    let credentials =
      user.map { "{ user = \(TargetText.string(Template.braced($0))), password = \(value) }" }
      ?? value
    draft.set("auth", "{ \(way) = \(credentials) }")
  }

  private func agrees(_ question: String) throws -> Bool {
    let answer = try answer("\(question) [y/N]:") { _ in nil }
    return ["y", "yes"].contains(answer.lowercased())
  }

  /// Asks until the answer is valid or the input ends.
  private func answer(_ question: String, _ problem: (String) -> String?) throws -> String {
    while let answer = self.question.ask(question) {
      guard let problem = problem(answer) else { return answer }
      context.output.error(SafeText.line(problem))
    }
    throw UserError("nothing was written", status: .someFailed)
  }
}
