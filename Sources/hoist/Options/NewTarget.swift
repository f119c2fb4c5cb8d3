import Foundation
import ScalarText
import Screens
import Settings
import UploadEngine
import UploadModel

/// Makes and changes targets as the user answers, and writes them into the configuration.
enum NewTarget {
  /// Why the user's answers do not make a target.
  struct Refusal: Error {
    let words: String
    /// Which answer is at fault.
    var part = TargetAnswers.Part.url
    /// Whether the only problem is with the server at the URL, and may be temporary.
    var isGoodEnough = false
  }

  /// The target that the answers describe, whose token has no `problem`.
  private static func target(
    _ answers: TargetAnswers, taken: [String]
  ) throws(InvalidInput) -> Target {
    let url = try TargetURL.parse(answers.url)
    let name = answers.name.isEmpty ? name(for: url, taken: taken) : answers.name
    if let problem = problem(ofName: name, taken: taken) { throw InvalidInput(problem) }
    var target = Target(name: name, url: url)
    if !answers.field.isEmpty { target.fileField = try Template(answers.field) }
    if isPath(answers.token) {
      target.tokenCommand = TokenCommand(["cat", answers.token])
    } else if !answers.token.isEmpty {
      // The variable may not be set yet.
      let value = try Template(
        "Bearer {env.\(answers.token)}", environment: { _ in Template.unknown })
      target.headers = [Target.Field(name: "Authorization", value: value)]
    }
    return target
  }

  /// Makes a target from the user's answers: tries it, unless `isGoodEnough`, and writes it into the
  /// configuration, as the default if it is the first. Returns its name. If cancelled, it writes nothing.
  static func make(
    _ answers: TargetAnswers, isGoodEnough: Bool, in config: ConfigSource
  ) async throws(Refusal) -> String {
    do {
      let taken = try config.load().targetNames
      let answers = try checked(answers, taken: taken, home: config.environment["HOME"])
      let target = try target(answers, taken: taken)
      let client = ServerClient(target: target)
      if !isGoodEnough { try await tryOut(client) }
      let draft = await draft(of: target, answers, asking: client, for: config)
      try Task.checkCancellation()
      try config.change { edit in
        try adding(target, in: config) {
          guard let draft else { return try edit.adding(target, named: target.name) }
          return try edit.adding(draft.text, named: draft.name)
        }
      }
      return target.name
    } catch {
      throw refusal(error)
    }
  }

  /// The answers with the user's home folder in the place of a tilde. Refuses a name or a place of the token that
  /// cannot be used.
  private static func checked(
    _ answers: TargetAnswers, taken: [String], home: String?
  ) throws(Refusal) -> TargetAnswers {
    var answers = answers
    if !answers.name.isEmpty, let problem = problem(ofName: answers.name, taken: taken) {
      throw Refusal(words: problem, part: .name)
    }
    if answers.token.hasPrefix(scalars: "~/"), let home {
      answers.token = home + answers.token.dropFirst()
    }
    if let problem = problem(ofToken: answers.token) { throw Refusal(words: problem, part: .token) }
    return answers
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
    _ target: Target, in config: ConfigSource, _ edit: () throws -> String
  ) throws -> String {
    let (settings, text) = (try config.load(), try edit())
    guard settings.defaultTarget == nil, settings.targetNames.isEmpty else { return text }
    // A top-level key must come before the first table.
    let usual = "default_target = \(TargetText.string(target.name))\n\n" + text
    let read = try? Settings.parse(usual, file: config.path, environment: config.environment)
    return read?.defaultTarget == target.name ? usual : text
  }

  /// Changes a target of the configuration: tries another address, unless `isGoodEnough`, and writes the
  /// changes. If cancelled, it writes nothing.
  static func change(
    _ old: TargetRow, to new: TargetRow, isGoodEnough: Bool, in config: ConfigSource
  ) async throws(Refusal) {
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
      try Task.checkCancellation()
      try config.change { edit in
        let text = try edit.changing(old.name, url: url, name: new.name)
        guard new.isUsual, settings.defaultTarget != old.name else { return text }
        return try ConfigEdit(of: text, file: config.path, environment: config.environment)
          .choosing(new.name)
      }
    } catch {
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
  static func problem(ofName name: String, taken: [String]) -> String? {
    if name.isEmpty { return "a target needs a name" }
    if name.unicodeScalars.contains(where: {
      ":/@\"".unicodeScalars.contains($0) || $0.isWhiteSpace
    }) {
      return "a name cannot contain blanks, quotes, \":\", \"/\" or \"@\""
    }
    return taken.contains(name) ? "there is already a target of that name" : nil
  }

  /// What is wrong with an answer that says where the token is; nil if nothing is.
  static func problem(ofToken place: String) -> String? {
    if isPath(place) {
      return access(place, R_OK) == 0 ? nil : "there is no readable file at that path"
    }
    if problem(ofVariable: place) == nil { return nil }
    return "neither a variable nor a file (/…, ~/…); do not put the token itself here"
  }

  /// What is wrong with the name of an environment variable; nil if nothing is.
  static func problem(ofVariable name: String) -> String? {
    if name.isEmpty || name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil { return nil }
    return "that is not the name of a variable; do not put the token itself here"
  }

  /// Whether an answer names a file with the token, and not a variable.
  private static func isPath(_ place: String) -> Bool { place.hasPrefix(scalars: "/") }

  /// A name for a target that the user did not name: the first part of the host's name that is not "www", "api" or
  /// "upload".
  static func name(for url: URL, taken: [String]) -> String {
    let host = url.host ?? ""
    let isNumeric = host.unicodeScalars.allSatisfy { "0123456789.:[]".unicodeScalars.contains($0) }
    let parts = host.split(scalar: ".").filter { !["www", "api", "upload", ""].contains($0) }
    return free(isNumeric ? "home" : parts.first ?? "home", taken: taken)
  }

  /// The name, with a number if another target has it.
  static func free(_ name: String, taken: [String]) -> String {
    var free = name
    var number = 2
    while taken.contains(free) {
      free = "\(name)-\(number)"
      number += 1
    }
    return free
  }

  /// What the configuration says if the target is another hoist or can resume uploads; nil if neither.
  private static func draft(
    of target: Target, _ answers: TargetAnswers, asking client: ServerClient,
    for config: ConfigSource
  ) async -> TargetDraft? {
    var draft = TargetDraft(named: target.name, file: config.path)
    func set(_ key: String, _ text: String) { draft.set(key, TargetText.string(text)) }
    // An empty answer means the usual field, "file".
    let isUsualField = ["", "file"].contains(answers.field)
    if isUsualField, let receiver = await client.receiver() {
      set("type", "hoist")
      set("url", receiver.absoluteString)
    } else if let mode = await client.resuming() {
      set("url", target.url.absoluteString)
      set("resume", mode.rawValue)
      // For a small file, resuming is not worth another request.
      if mode == .http { set("resume_from", "1 MiB") }
      if !isUsualField { set("file_field", answers.field) }
    } else {
      return nil
    }
    if isPath(answers.token) {
      draft.set("auth", "{ bearer_command = [\"cat\", \(TargetText.string(answers.token))] }")
    } else if !answers.token.isEmpty {
      draft.set("auth", "{ bearer = \(TargetText.string("{env.\(answers.token)}")) }")
    }
    return draft
  }
}
