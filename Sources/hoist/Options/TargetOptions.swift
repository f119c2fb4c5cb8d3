import ArgumentParser
import MediaTypes
import ProcessContext
import ScalarText
import Sessions
import Settings
import UploadModel

/// The options that say how files are sent, for both the screen and `push`.
///
/// Option groups are not nested: in a debug build, each level makes a command take several times as long to start.
struct TargetOptions: ParsableArguments {
  @Option(
    help: .usual(
      "A form field to send before the file.",
      detail: "It replaces the target's own field of that name.", valueName: "key=value"))
  var form: [String] = []

  @Option(
    help: .rare(
      "A form field to send after all others, even if there is another one of that name.",
      valueName: "key=value"))
  var formAdd: [String] = []

  @Option(
    help: .rare(
      "The media type that the server is told for every file, instead of each file's own.",
      valueName: "type/subtype"))
  var type: String?

  @Option(
    help: .rare(
      "The name that the server is told for every file, with placeholders such as {uuid}.{file.ext}.",
      valueName: "name"))
  var fileName: String?

  @Option(help: .usual("A header field to send.", valueName: "name: value"))
  var header: [String] = []

  @Option(
    help: .rare(
      "The number of concurrent uploads, \(HumanReadable.range(Concurrency.range)), or auto (the default).",
      valueName: "n"))
  var concurrency: String?

  @Option(
    help: .rare(
      "The number of attempts for a file, where retrying can help. Default: 5, and more in the first two minutes if the server is busy (429, 503).",
      valueName: "n"))
  var attempts: Int?

  @Option(
    help: .rare(
      "The time without a byte after which an attempt fails, such as 90 (seconds) or 5m. Each of the --attempts may wait that long. Default: 60.",
      valueName: "time"))
  var timeout: String?

  @Option(
    help: .usual(
      "The total bandwidth limit, such as 2MB/s, or off.",
      detail: "It replaces the target's rate_limit.", valueName: "speed"))
  var limit: String?

  /// The name of the target that these options make of `target`, with those that are needed to make it again. If
  /// `storesUsual`, what is stored with each file (`usual`) does not count.
  func name(
    of target: Target, to destination: DestinationOptions, storesUsual: Bool = false
  ) -> TargetName {
    func names(_ option: String, _ values: [String], until end: Unicode.Scalar) -> [String] {
      values.map { "\(option) \($0.split(scalar: end, maxSplits: 1)[0])" }
    }
    var options =
      names("--form", form, until: "=") + names("--form-add", formAdd, until: "=")
      + names("--header", header, until: ":")
      + [fileName].compactMap(\.self).map { "--file-name \($0)" }
    if !storesUsual {
      options += [("--field", destination.field), ("--type", type)].compactMap { option, value in
        value.map { "\(option) \($0)" }
      }
    }
    if destination.hasQuery(target) { options.append(TargetName.query) }
    return TargetName(target.name, with: options)
  }

  /// How every file is sent, unless the user says otherwise for one.
  func usual(for target: Target, to destination: DestinationOptions) -> FileArgument? {
    destination.field == nil && type == nil
      ? nil : FileArgument(type: type == nil ? nil : target.fileType, field: destination.field)
  }

  /// The targets of the configuration and, as the current one, the target that these options describe. That is
  /// `usually` if neither the user nor the configuration names one. Its name says which options there were.
  func catalog(
    of settings: Settings, from config: ConfigOption, to destination: DestinationOptions,
    in context: Context, usually: String?
  ) throws -> TargetCatalog {
    var destination = destination
    if destination.to == nil, settings.defaultTarget == nil {
      destination.to = usually.map { TargetName($0).base }
    }
    var target = try target(of: settings, to: destination, context.environment)
    target.name = name(of: target, to: destination).text
    // On the screen the option limits the total speed, and the user can lift that limit.
    if limit != nil { target.rateLimit = nil }
    return TargetCatalog(target, settings: settings, configuration: config.source(in: context))
  }

  func target(
    of settings: Settings, to destination: DestinationOptions, _ environment: [String: String]
  ) throws -> Target {
    var target = try destination.target(of: settings)
    if let field = destination.field { target.fileField = Template(literal: field) }
    if let fileName {
      guard !fileName.isEmpty else { throw UserError("--file-name: the name is empty") }
      target.fileName = try template(fileName, of: "--file-name", environment)
    }
    // The first field of a name replaces the target's own; further ones are added, as in curl.
    var replaced: Set<String> = []
    for pair in form {
      let field = try self.field(pair, of: "--form", environment)
      if replaced.insert(field.name).inserted {
        target.setField(field)
      } else {
        target.fields.append(field)
      }
    }
    target.fields += try formAdd.map { try field($0, of: "--form-add", environment) }
    for field in header {
      let halves = field.split(scalar: ":", maxSplits: 1)
      guard halves.count == 2 else {
        throw UserError("--header: expected \"Name: value\", but there is no colon")
      }
      let name = halves[0]
      let value = try template(halves[1].trimming(\.isWhiteSpace), of: "--header", environment)
      try UserError.about("--header") { try HeaderRule.check(name: name, value: value.fixedText) }
      if SecretName.matches(name), let variable = value.emptyVariables.first {
        throw UserError("--header \(name): the environment variable \(variable) is empty")
      }
      if name.lowercased() == "authorization" {
        (target.tokenCommand, target.sigV4, target.digest) = (nil, nil, nil)
      }
      target.headers.removeAll { $0.name.lowercased() == name.lowercased() }
      target.headers.append(self.field(named: name, value))
    }
    if let conflict = target.batchConflict { throw UserError("target \(target.name): \(conflict)") }
    try Self.checked("--type", type) { try target.set("file_type", to: $0) }
    try Self.checked("--concurrency", concurrency) { text throws(InvalidInput) in
      if let count = Int(text) { return try target.set("concurrency", to: count) }
      try target.set("concurrency", to: text)
    }
    try Self.checked("--attempts", attempts) { try target.set("retry.attempts", to: $0) }
    try Self.checked("--timeout", timeout) {
      // A number without a unit is in seconds.
      try target.set("timeout", to: Double($0)?.isFinite == true ? $0 + "s" : $0)
    }
    try Self.checked("--limit", limit) {
      target.rateLimit = nil
      if $0 == "off" { return }
      do { try target.set("rate_limit", to: $0) } catch {
        throw InvalidInput("\(error), or off")
      }
    }
    return target
  }

  /// Calls `set` with the value of an option, if it was given, and names the option in its error.
  private static func checked<Value>(
    _ option: String, _ value: Value?, _ set: (Value) throws -> Void
  ) throws {
    guard let value else { return }
    try UserError.about("\(option) \(value)") { try set(value) }
  }

  /// The limit that `--limit` sets, in bytes per second; nil if it is "off" or not given.
  var speed: Int64? { limit.flatMap(ByteCount.speed) }

  /// A field whose value is hidden if its name suggests a secret.
  private func field(named name: String, _ value: Template) -> Target.Field {
    Target.Field(name: name, value: SecretName.matches(name) ? value.hidden(as: name) : value)
  }

  private func field(
    _ pair: String, of option: String, _ environment: [String: String]
  ) throws -> Target.Field {
    let halves = pair.split(scalar: "=", maxSplits: 1)
    guard halves.count == 2, !halves[0].isEmpty else {
      throw UserError("\(option): expected KEY=VALUE, but there is no key or no \"=\"")
    }
    return field(named: halves[0], try template(halves[1], of: option, environment))
  }

  private func template(
    _ text: String, of option: String, _ environment: [String: String]
  ) throws -> Template {
    try UserError.about(option) { try Template(text, environment: { environment[$0] }) }
  }
}
