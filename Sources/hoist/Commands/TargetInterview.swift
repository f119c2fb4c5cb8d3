import ProcessContext
import ScalarText
import Screens
import Sessions
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
    var keeper = SecretKeeper(source)
    do {
      let (name, text, places) =
        if let recipe = try recipe ?? askForRecipe() {
          try draft(of: recipe, settings, &keeper)
        } else {
          try draft(settings, &keeper)
        }
      try source.change { try $0.adding(text, named: name) }
      report(name, places)
    } catch {
      keeper.undo()
      throw error
    }
  }

  /// A target's name, its tables, and where its secrets are.
  private typealias Draft = (name: String, text: String, places: [SecretPlace])

  private func report(_ name: String, _ places: [SecretPlace]) {
    context.output.error(SafeText.line("Written to \(source.path). Upload with --to \(name)"))
    let unset = places.compactMap { place in
      if case .variable(let name) = place, context.environment[name] == nil { name } else { nil }
    }
    if !unset.isEmpty {
      context.output.error("Before that, set \(unset.joined(separator: " and "))")
    }
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

  /// A target made from a recipe.
  private func draft(
    of recipe: Recipe, _ settings: Settings, _ keeper: inout SecretKeeper
  ) throws -> Draft {
    say(recipe.introduction.map { $0.removingPrefix(scalars: "# ") ?? $0 }.joined(separator: " "))
    let taken = settings.targetNames
    let usual = NewTarget.free(recipe.usualName, taken: taken)
    let name = try answer("Name of the target [\(usual)]:") {
      $0.isEmpty ? nil : NewTarget.problem(ofName: $0, taken: taken)
    }
    var draft = RecipeDraft(
      of: recipe, named: name.isEmpty ? usual : name, file: source.path,
      takenSecrets: settings.secretNames)
    var places: [SecretPlace] = []
    for question in recipe.questions {
      let before = draft
      if question.kind == .secret {
        let place = try place(
          of: question.words, usually: question.sample,
          leavingOut: question.isOptional ? { before.problem(leavingOut: question) } : nil,
          as: "\(draft.name)-\(question.sample)", &keeper
        ) { before.problem(with: $0, for: question) }
        if let place {
          places.append(place)
          try draft.answer(question, with: place)
        } else {
          try draft.leaveOut(question)
        }
        continue
      }
      let sample = "(such as \(question.sample))"
      let hint = question.isOptional ? "[none]" : question.isUsual ? "[\(question.sample)]" : sample
      let text = try answer("\(question.words) \(hint):") {
        if $0.isEmpty, question.isUsual { return nil }
        return $0.isEmpty && question.isOptional
          ? before.problem(leavingOut: question) : before.problem(with: $0, for: question)
      }
      if !text.isEmpty {
        try draft.answer(question, with: text)
      } else if question.isOptional {
        try draft.leaveOut(question)
      }
    }
    return (draft.name, draft.text, places)
  }

  /// Asks where a secret is, or for the secret itself, which is then kept in a file of its own: the configuration is no
  /// place for it. Returns nil without one; `leavingOut` then says why there must be one, and is nil if there must
  /// be one in any case.
  private func place(
    of what: String, usually variable: String?, leavingOut: (() -> String?)?, as name: String,
    _ keeper: inout SecretKeeper, problem: (SecretPlace) -> String?
  ) throws -> SecretPlace? {
    // A variable or a file can also be named at once, as on the screen.
    func read(_ text: String) -> SecretPlace? {
      switch SecretAnswer(text) {
      case .variable(let name): .variable(name)
      case .file(let path): .file(path)
      case .value, nil: nil
      }
    }
    let ways = ["variable", "file", "command", "typed"] + (leavingOut == nil ? [] : ["none"])
    let all = ways.dropLast().joined(separator: ", ") + " or \(ways.last ?? "")"
    let way = try answer("\(what), from a \(all) [variable]:") {
      if $0 == "none", let leavingOut { return leavingOut() }
      if $0.isEmpty || ways.contains($0) { return nil }
      return read($0).map(problem) ?? "expected \(all); do not put the secret itself here"
    }
    if way == "none" { return nil }
    if let place = read(way) { return place }
    if way == "typed" {
      let folder = SecretFolder(beside: source).shownPath
      let text = try answer(
        "\(what), which is not shown and goes into a file in \(folder):", isHidden: true
      ) {
        $0.isEmpty ? "nothing was typed" : nil
      }
      return try keeper.keep(text, as: name)
    }
    let (words, reader): (String, (String) -> SecretPlace) =
      switch way {
      case "file": ("Path of the file:", { .file($0) })
      case "command":
        ("Command that prints it, as in a shell:", { .command(PastedPaths.shellWords($0) ?? []) })
      default:
        (
          "Environment variable" + (variable.map { " [\($0)]:" } ?? ":"),
          { .variable($0.isEmpty ? variable ?? "" : $0) }
        )
      }
    return reader(try answer(words) { problem(reader($0)) })
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

  private func draft(_ settings: Settings, _ keeper: inout SecretKeeper) throws -> Draft {
    let taken = settings.targetNames
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
    let (place, table) = try askForCredentials(&draft, settings, &keeper)
    if try agrees(
      "Are there more things to set, such as retries or several files in one request?")
    {
      try ask(TargetQuestion.others, &draft)
    }
    return (draft.name, draft.text + table, place.map { [$0] } ?? [])
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

  /// Asks for the credentials; returns where the secret is, and the table for it.
  private func askForCredentials(
    _ draft: inout TargetDraft, _ settings: Settings, _ keeper: inout SecretKeeper
  ) throws -> (place: SecretPlace?, table: String) {
    let ways = ["none", "bearer", "basic", "digest"]
    let way = try answer("Credentials: \(ways.joined(separator: ", ")) [none]:") {
      $0.isEmpty || ways.contains($0) ? nil : "expected one of \(ways.joined(separator: ", "))"
    }
    guard !["", "none"].contains(way) else { return (nil, "") }
    var user: String?
    if way != "bearer" {
      user = try answer("User name:") {
        $0.utf8.contains(UInt8(ascii: ":")) || $0.isEmpty
          ? "a user name is needed, without a colon" : nil
      }
    }
    let what = user == nil ? "token" : "password"
    let place = try place(of: "The \(what)", usually: nil, leavingOut: nil, as: draft.name, &keeper)
    {
      switch $0 {
      case .variable(""): "a variable is needed"
      case .variable(let name): NewTarget.problem(ofVariable: name)
      case .file(let path): path.isEmpty ? "a path is needed" : nil
      case .command(let words): words.first?.isEmpty == false ? nil : "a program is needed"
      }
    }
    let secret = NewTarget.free(SecretFolder.bare(draft.name), taken: settings.secretNames)
    let value = TargetText.string(place?.placeholder(of: secret) ?? "")
    let credentials =
      user.map { "{ user = \(TargetText.string(Template.braced($0))), password = \(value) }" }
      ?? value
    draft.set("auth", "{ \(way) = \(credentials) }")
    return (place, place?.table(called: secret) ?? "")
  }

  private func agrees(_ question: String) throws -> Bool {
    let answer = try answer("\(question) [y/N]:") { _ in nil }
    return ["y", "yes"].contains(answer.lowercased())
  }

  /// Asks until the answer is valid or the input ends.
  private func answer(
    _ question: String, isHidden: Bool = false, _ problem: (String) -> String?
  ) throws -> String {
    while let answer = isHidden ? self.question.askHidden(question) : self.question.ask(question) {
      guard let problem = problem(answer) else { return answer }
      context.output.error(SafeText.line(problem))
    }
    throw UserError("nothing was written", status: .someFailed)
  }
}
