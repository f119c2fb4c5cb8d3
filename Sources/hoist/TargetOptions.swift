import ArgumentParser
import Foundation
import Settings
import UploadModel

/// The options that say where files go and how; the same for the screen and for `push`.
struct TargetOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Where the files go: a URL, or the name of a target in the configuration.",
      discussion: "Without it, the configuration's default_target.", valueName: "target-or-url"))
  var to: String?

  @Option(
    name: .long,
    help: ArgumentHelp("The form field that carries the file. Usually \"file\".", valueName: "name")
  )
  var field: String?

  @Option(
    name: .long,
    help: ArgumentHelp("A form field to send along, before the file.", valueName: "key=value"))
  var form: [String] = []

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
      "Seconds without a byte after which an attempt is given up. Usually 60.",
      valueName: "seconds"))
  var timeout: Double?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The most that is sent in all, such as \"2MB/s\". Usually there is no limit.",
      valueName: "speed"))
  var limit: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The configuration file. Usually ~/.config/hoist/config.toml.", valueName: "file"))
  var config: String?

  /// The target that all of this means.
  func target(environment: [String: String]) throws -> Target {
    var target = try Settings.load(path: config, environment: environment).target(to)
    if let field {
      guard !field.isEmpty else { throw UserError("--field: the name is empty") }
      target.fileField = field
    }
    for pair in form {
      guard let equals = pair.firstIndex(of: "="), equals != pair.startIndex else {
        throw UserError("--form: expected KEY=VALUE, and there is no key or no \"=\"")
      }
      target.fields.append(
        Target.Field(
          name: String(pair[..<equals]),
          value: try template(String(pair[pair.index(after: equals)...]), of: "--form", environment)
        ))
    }
    for field in header {
      guard let colon = field.firstIndex(of: ":") else {
        throw UserError("--header: expected \"Name: value\", and there is no colon")
      }
      let name = String(field[..<colon])
      let value = field[field.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      do {
        try HeaderRule.check(name: name, value: value)
      } catch {
        throw UserError("--header: \(error)")
      }
      target.headers.removeAll { $0.name.lowercased() == name.lowercased() }
      target.headers.append(
        Target.Field(name: name, value: try template(value, of: "--header", environment)))
    }
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
      guard timeout >= 1, timeout <= 86_400 else {
        throw UserError("--timeout \(timeout): expected seconds from 1 to 86400")
      }
      target.stallTimeout = timeout
    }
    if let limit {
      guard let speed = ByteCount.speed(limit) else {
        throw UserError("--limit \(limit): expected a speed such as 2MB/s or 500k")
      }
      target.rateLimit = speed
    }
    return target
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
