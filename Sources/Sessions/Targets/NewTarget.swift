import Foundation
import ScalarText
import Screens
import Settings
import UploadEngine
import UploadModel

/// Makes and changes targets as the user answers, and writes them into the configuration.
package enum NewTarget {
  /// Why the user's answers do not make a target.
  struct Refusal: Error {
    let words: String
    /// Which answer is at fault.
    var part = TargetAnswers.Part.url
    /// Whether the only problem is with the server at the URL, and may be temporary.
    var isGoodEnough = false
  }

  /// Makes a target from the user's answers: tries it, unless `isGoodEnough`, and writes it into the
  /// configuration, as the default if it is the first. Returns its name. If cancelled, it writes nothing.
  static func make(
    _ answers: TargetAnswers, isGoodEnough: Bool, in config: ConfigSource
  ) async throws(Refusal) -> String {
    var keeper = SecretKeeper(config)
    do {
      let settings = try config.load()
      if !answers.name.isEmpty,
        let problem = problem(ofName: answers.name, taken: settings.targetNames)
      {
        throw Refusal(words: problem, part: .name)
      }
      let (name, text) =
        if let recipe = Recipe.called(answers.service) {
          try await table(
            from: recipe, answers, settings, isGoodEnough: isGoodEnough, in: config, &keeper)
        } else {
          try await table(answers, settings, isGoodEnough: isGoodEnough, in: config, &keeper)
        }
      try Task.checkCancellation()
      try config.change { edit in
        try adding(name, in: config) { try edit.adding(text, named: name) }
      }
      return name
    } catch {
      keeper.undo()
      throw refusal(error)
    }
  }

  /// The tables of a target for a server that no recipe describes.
  private static func table(
    _ answers: TargetAnswers, _ settings: Settings, isGoodEnough: Bool, in config: ConfigSource,
    _ keeper: inout SecretKeeper
  ) async throws -> (name: String, text: String) {
    let url = try TargetURL.parse(answers.url)
    let name =
      answers.name.isEmpty ? self.name(for: url, taken: settings.targetNames) : answers.name
    if !answers.field.isEmpty { _ = try Template(answers.field) }
    let place = try keeper.place(of: answers.token, as: name, at: .token, isGoodEnough)
    let secret = free(SecretFolder.bare(name), taken: settings.secretNames)
    var auth = Auth()
    switch place {
    case nil: break
    // The file is read again when the server refuses the token.
    case .file(let path) where !keeper.hasKept:
      auth.value = "{ bearer_command = [ \"cat\", \(TargetText.string(path)) ] }"
    case let place?:
      auth.value = "{ bearer = \(TargetText.string(place.placeholder(of: secret))) }"
      auth.table = place.table(called: secret)
    }
    var draft = TargetDraft(named: name, file: config.path)
    // An empty answer means the usual field, "file".
    let field = ["", "file"].contains(answers.field) ? nil : answers.field
    draft.set("url", TargetText.string(url.absoluteString))
    if let field { draft.set("file_field", TargetText.string(field)) }
    let bare = draft.text
    if let value = auth.value { draft.set("auth", value) }
    // A variable that is not set yet is of no use for asking.
    let target =
      try isGoodEnough
      ? (try? target(draft.text + auth.table, named: name, in: config))
        ?? target(bare, named: name, in: config)
      : target(draft.text + auth.table, named: name, in: config)
    let client = ServerClient(target: target)
    if !isGoodEnough {
      try await tryOut(client)
      try await logIn(to: target, at: .token)
    }
    let found = await self.draft(of: target, field, auth.value, asking: client, for: config)
    return (name, (found ?? draft).text + auth.table)
  }

  /// How a target logs in: the value of `auth`, and the table of its secret.
  private struct Auth {
    var value: String?
    var table = ""
  }

  /// The tables of a target that a recipe describes.
  private static func table(
    from recipe: Recipe, _ answers: TargetAnswers, _ settings: Settings, isGoodEnough: Bool,
    in config: ConfigSource, _ keeper: inout SecretKeeper
  ) async throws -> (name: String, text: String) {
    let usual = free(recipe.usualName, taken: settings.targetNames)
    var draft = RecipeDraft(
      of: recipe, named: answers.name.isEmpty ? usual : answers.name, file: config.path,
      takenSecrets: settings.secretNames)
    var secret: TargetAnswers.Part?
    for (index, (question, reply)) in zip(recipe.questions, answers.replies).enumerated() {
      let part = TargetAnswers.Part.answer(index)
      do {
        let text = reply.trimming(\.isWhiteSpace)
        if text.isEmpty {
          try draft.leaveOut(question)
        } else if question.kind == .secret {
          secret = secret ?? part
          if let place = try keeper.place(
            of: text, as: "\(draft.name)-\(question.sample)", at: part, isGoodEnough)
          {
            try draft.answer(question, with: place)
          }
        } else {
          try draft.answer(question, with: text)
        }
      } catch let error as InvalidInput {
        throw Refusal(words: "\(question.words): \(error.description)", part: part)
      }
    }
    if !isGoodEnough, let target = try? target(draft.text, named: draft.name, in: config) {
      if let words = await ServerClient(target: target).silence() {
        let address = recipe.questions.firstIndex { $0.kind == .address }
        throw Refusal(words: words, part: address.map { .answer($0) } ?? .url, isGoodEnough: true)
      }
    }
    if !isGoodEnough, let secret {
      let target = try target(draft.text, named: draft.name, in: config)
      try await logIn(to: target, at: secret)
    }
    return (draft.name, draft.text)
  }

  /// A target of these tables, with its secrets.
  private static func target(
    _ text: String, named name: String, in config: ConfigSource
  ) throws(ConfigError) -> Target {
    try Settings.parse(text, file: config.path, environment: config.environment).target(name)
  }

  /// Throws if the server does not accept the secret, or asks for one although the target has none.
  private static func logIn(
    to target: Target, at part: TargetAnswers.Part
  ) async throws(Refusal) {
    guard let trouble = await ServerClient(target: target).logIn() else { return }
    throw Refusal(
      words: "\(target.url.host ?? "the server"): \(trouble.words)",
      part: trouble.isOfCredentials ? part : .url, isGoodEnough: true)
  }

  /// Refuses a server that does not seem to take uploads.
  private static func tryOut(_ client: ServerClient) async throws(Refusal) {
    guard let obstacle = await client.obstacle() else { return }
    throw Refusal(words: obstacle, isGoodEnough: true)
  }

  /// The error as a refusal of the answers.
  private static func refusal(_ error: any Error) -> Refusal {
    if let refusal = error as? Refusal { return refusal }
    return Refusal(words: "\(error)")
  }

  /// The text of the configuration with a target that `edit` adds, which becomes the default if it is the first.
  static func adding(
    _ name: String, in config: ConfigSource, _ edit: () throws -> String
  ) throws -> String {
    let (settings, text) = (try config.load(), try edit())
    guard settings.defaultTarget == nil, settings.targetNames.isEmpty else { return text }
    // A top-level key must come before the first table.
    let usual = "default_target = \(TargetText.string(name))\n\n" + text
    let read = try? Settings.parse(usual, file: config.path, environment: config.environment)
    return read?.defaultTarget == name ? usual : text
  }

  /// Changes a target of the configuration: tries another address and a new token, unless `isGoodEnough`, and writes
  /// the changes. `token` is as in `SecretAnswer`, and empty to keep the old one. If cancelled, it changes nothing.
  static func change(
    _ old: TargetRow, to new: TargetRow, token: String = "", isGoodEnough: Bool,
    in config: ConfigSource
  ) async throws(Refusal) {
    var keeper = SecretKeeper(config)
    do {
      let settings = try config.load()
      if new.name != old.name, let problem = problem(ofName: new.name, taken: settings.targetNames)
      {
        throw Refusal(words: problem, part: .name)
      }
      var url: URL?
      if new.url != old.url {
        let target = try moved(settings.target(old.name), to: new.url, in: config)
        if !isGoodEnough { try await tryOut(ServerClient(target: target)) }
        url = target.url
      }
      let isKept = try keeper.replace(token, of: old.name, settings)
      let place =
        isKept ? nil : try keeper.place(of: token, as: old.name, at: .token, isGoodEnough)
      let secret = free(SecretFolder.bare(old.name), taken: settings.secretNames)
      var receiver: URL?
      func edited(_ edit: ConfigEdit) throws -> String {
        func next(_ text: String) -> ConfigEdit {
          ConfigEdit(of: text, file: config.path, environment: config.environment)
        }
        let text = try place.map { try edit.loggingIn(old.name, with: $0, as: secret) } ?? edit.text
        var changed = try next(text).changing(old.name, url: url, name: new.name)
        if let receiver {
          changed = try next(changed).recognising(new.name, at: receiver) ?? changed
        }
        guard new.isUsual, settings.defaultTarget != old.name else { return changed }
        return try next(changed).choosing(new.name)
      }
      if !token.isEmpty, !isGoodEnough {
        let target = try target(edited(config.edit()), named: new.name, in: config)
        try await logIn(to: target, at: .token)
        // Without the right token, hoist's own receiver could not be told from other servers.
        receiver = await ServerClient(target: target).receiver()
      }
      try Task.checkCancellation()
      try config.change(edited)
    } catch {
      keeper.undo()
      throw refusal(error)
    }
  }

  /// A target with another address. Refuses it if the address that it has cannot be shown as it is.
  private static func moved(
    _ target: Target, to address: String, in config: ConfigSource
  ) throws -> Target {
    var target = target
    let url = try TargetURL.parse(address)
    guard TargetURL.shown(target.url) == target.url.absoluteString else {
      throw Refusal(words: "its address holds a secret: edit it in \(config.shownPath)")
    }
    guard target.address == nil else {
      throw Refusal(words: "its address has placeholders: edit it in \(config.shownPath)")
    }
    target.url = url
    return target
  }

  /// What is wrong with a name for a target; nil if nothing is.
  package static func problem(ofName name: String, taken: [String]) -> String? {
    if name.isEmpty { return "a target needs a name" }
    if name.unicodeScalars.contains(where: {
      ":/@\"".unicodeScalars.contains($0) || $0.isWhiteSpace
    }) {
      return "a name cannot contain blanks, quotes, \":\", \"/\" or \"@\""
    }
    return taken.contains(name) ? "there is already a target of that name" : nil
  }

  /// What is wrong with the name of an environment variable; nil if nothing is.
  package static func problem(ofVariable name: String) -> String? {
    if name.isEmpty || name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil { return nil }
    return "that is not the name of a variable; do not put the token itself here"
  }

  /// A name for a target that the user did not name: the first part of the host's name that is not "www", "api" or
  /// "upload".
  static func name(for url: URL, taken: [String]) -> String {
    let host = url.host ?? ""
    let isNumeric = host.unicodeScalars.allSatisfy { "0123456789.:[]".unicodeScalars.contains($0) }
    let parts = host.split(scalar: ".").filter { !["www", "api", "upload", ""].contains($0) }
    return free(isNumeric ? "home" : parts.first ?? "home", taken: taken)
  }

  /// The name, with a number if another target has it.
  package static func free(_ name: String, taken: [String]) -> String {
    var free = name
    var number = 2
    while taken.contains(free) {
      free = "\(name)-\(number)"
      number += 1
    }
    return free
  }

  /// What the configuration says if the target is another hoist or can resume uploads; nil if neither. `field` is nil
  /// for the usual field, and `auth` if the target needs no credentials.
  private static func draft(
    of target: Target, _ field: String?, _ auth: String?, asking client: ServerClient,
    for config: ConfigSource
  ) async -> TargetDraft? {
    var draft = TargetDraft(named: target.name, file: config.path)
    func set(_ key: String, _ text: String) { draft.set(key, TargetText.string(text)) }
    if field == nil, let receiver = await client.receiver() {
      set("type", "hoist")
      set("url", receiver.absoluteString)
    } else if let mode = await client.resuming() {
      set("url", target.url.absoluteString)
      set("resume", mode.rawValue)
      // For a small file, resuming is not worth another request.
      if mode == .http { set("resume_from", "1 MiB") }
      if let field { set("file_field", field) }
    } else {
      return nil
    }
    if let auth { draft.set("auth", auth) }
    return draft
  }
}
