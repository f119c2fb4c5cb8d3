import ArgumentParser
import Foundation
import ScalarText
import Settings
import UploadModel

/// The options that say where files go and how; the same for the screen and for `push`.
struct TargetOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Where the files go: a URL, or the name of a target in the configuration.",
      discussion:
        "Without it, the configuration's default_target, or where the files of --retry-failed were to go.",
      valueName: "target-or-url"),
    completion: ConfigOption.targetNames)
  var to: String?

  @Option(
    name: .long,
    help: ArgumentHelp("The form field that carries the file. Usually \"file\".", valueName: "name")
  )
  var field: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A form field to send along, before the file, in place of the target's own of that name.",
      valueName: "key=value"))
  var form: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A form field to send along after all others, though there may be one of that name.",
      valueName: "key=value"))
  var formAdd: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp("A header field to send along.", valueName: "\"Name: value\""))
  var header: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp("How many files are sent at once, 1 to 64. Usually 4.", valueName: "n"))
  var concurrency: Int?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "How often a file is tried in all, where trying again can help. Usually 5.", valueName: "n"))
  var attempts: Int?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Time without a byte after which an attempt is given up, such as 90 (seconds) or 5m. Usually 60.",
      valueName: "time"))
  var timeout: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The most that is sent in all, such as \"2MB/s\", in place of the target's rate_limit.",
      valueName: "speed"))
  var limit: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The configuration file. Usually ~/.config/hoist/config.toml.", valueName: "file"),
    completion: .file(extensions: ["toml"]))
  var config: String?

  /// Whether the target cannot be found again by its name, or its address without the query.
  func isMoreThanItsName(_ target: Target) -> Bool {
    // One that the configuration knows is called by its name, one that was typed by its address.
    let isTyped = to.map { $0 != target.name } ?? false
    return !form.isEmpty || !formAdd.isEmpty || !header.isEmpty || field != nil
      || isTyped && target.url.query != nil
  }

  /// The target that all of this means.
  func target(environment: [String: String]) throws -> Target {
    try target(of: settings(environment: environment), environment)
  }

  /// The configuration, checked as a whole: what is wrong for the screen is wrong everywhere.
  func settings(environment: [String: String]) throws -> Settings {
    let settings = try Settings.load(path: config, environment: environment)
    _ = try ScreenPreferences(settings.screen)
    for warning in settings.warnings { Output.error("hoist: warning: \(warning)") }
    return settings
  }

  /// The target that all of this means, with the others that the configuration knows. One whose
  /// options cannot be found again by its name alone says so in its name.
  ///
  /// - Parameter usually: the target where neither the person nor the configuration names one.
  func book(environment: [String: String], usually: String? = nil) throws -> TargetCatalog {
    let settings = try settings(environment: environment)
    var options = self
    if to == nil, settings.defaultTarget == nil {
      options.to = usually.map(TargetCatalog.withoutMark)
    }
    var target = try options.target(of: settings, environment)
    if options.isMoreThanItsName(target) { target.name += TargetCatalog.optionsMark }
    // On a screen the option is the limit on everything, which the person may lift.
    if limit != nil { target.rateLimit = nil }
    return TargetCatalog(target, settings: settings)
  }

  private func target(of settings: Settings, _ environment: [String: String]) throws -> Target {
    var target: Target
    do throws(ConfigError) {
      target = try settings.target(to)
    } catch {
      // What is wrong in the file is told with its place there; the rest was typed.
      guard to != nil, error.file == nil else { throw error }
      throw ConfigError(keyPath: "--to", error.problem)
    }
    if let field {
      guard !field.isEmpty else { throw UserError("--field: the name is empty") }
      target.fileField = field
    }
    // The first of a name takes the place of the target's own; curl's habit of repeating a field is kept for
    // what is said twice here.
    var replaced: Set<String> = []
    for pair in form {
      let field = try self.field(pair, of: "--form", environment)
      if replaced.insert(field.name).inserted {
        target.setField(field)
      } else {
        target.fields.append(field)
      }
    }
    for pair in formAdd {
      target.fields.append(try self.field(pair, of: "--form-add", environment))
    }
    for field in header {
      let halves = field.split(scalar: ":", maxSplits: 1)
      guard halves.count == 2 else {
        throw UserError("--header: expected \"Name: value\", and there is no colon")
      }
      let name = halves[0]
      let value = try template(halves[1].trimming(\.isWhiteSpace), of: "--header", environment)
      do {
        try HeaderRule.check(name: name, value: value.fixedText)
      } catch {
        throw UserError("--header: \(error)")
      }
      if SecretName.matches(name), let variable = value.emptyVariables.first {
        throw UserError("--header \(name): the environment variable \(variable) is empty")
      }
      if name.lowercased() == "authorization" { target.tokenCommand = nil }
      target.headers.removeAll { $0.name.lowercased() == name.lowercased() }
      target.headers.append(
        self.field(named: name, value))
    }
    if let conflict = target.batchConflict { throw UserError("target \(target.name): \(conflict)") }
    if let concurrency {
      guard (1...64).contains(concurrency) else {
        throw UserError("--concurrency \(concurrency): expected a number from 1 to 64")
      }
      target.concurrency = concurrency
    }
    if let attempts {
      guard (1...100).contains(attempts) else {
        throw UserError("--attempts \(attempts): expected a number from 1 to 100")
      }
      target.retry.attempts = attempts
    }
    if let timeout {
      guard let seconds = Double(timeout) ?? TimeSpan.seconds(timeout),
        (1...86_400).contains(seconds)
      else {
        throw UserError("--timeout \(timeout): expected a time such as 30 or 5m, from 1 s to 24 h")
      }
      target.stallTimeout = seconds
    }
    if let speed = try speed() { target.rateLimit = speed }
    return target
  }

  /// What `--limit` says, in bytes a second.
  func speed() throws -> Int64? {
    guard let limit else { return nil }
    guard let speed = ByteCount.speed(limit) else {
      throw UserError("--limit \(limit): expected a speed such as 2MB/s or 500k")
    }
    return speed
  }

  /// A field whose text is kept from view where its name says so.
  private func field(named name: String, _ value: Template) -> Target.Field {
    Target.Field(name: name, value: SecretName.matches(name) ? value.hidden(as: name) : value)
  }

  private func field(
    _ pair: String, of option: String, _ environment: [String: String]
  ) throws -> Target.Field {
    let halves = pair.split(scalar: "=", maxSplits: 1)
    guard halves.count == 2, !halves[0].isEmpty else {
      throw UserError("\(option): expected KEY=VALUE, and there is no key or no \"=\"")
    }
    return field(named: halves[0], try template(halves[1], of: option, environment))
  }

  private func template(
    _ text: String, of option: String, _ environment: [String: String]
  ) throws -> Template {
    do {
      return try Template(text, environment: { environment[$0] })
    } catch {
      throw UserError("\(option): \(error)")
    }
  }
}
