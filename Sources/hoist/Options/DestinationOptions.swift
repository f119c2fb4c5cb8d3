import ArgumentParser
import Foundation
import Settings
import UploadModel

struct DestinationOptions: ParsableArguments {
  @Option(
    help: .usual(
      "A URL, or the name of a target in the configuration.",
      detail:
        "Default: the configuration's default_target, or with push --retry-failed where the files were to go.",
      valueName: "target-or-url"),
    completion: ConfigOption.targetNames)
  var to: String?

  @Option(
    help: .usual(
      "The form field that carries the file.", detail: "Default: the target's own, or \"file\".",
      valueName: "name"))
  var field: String?

  func validate() throws {
    if field?.isEmpty == true { throw ValidationError("--field: the name is empty") }
    if let slot = field.flatMap(Template.firstPlaceholder) {
      throw ValidationError(
        "--field: {\(slot)} works only in the configuration, in a target's file_field")
    }
  }

  /// Whether the address was typed and has a query. Such a target cannot be found again later: only its address without
  /// the query is stored, since the query may be a secret.
  func hasQuery(_ target: Target) -> Bool {
    // The name of a configured target is in the configuration; the name of a typed one is its address.
    to != nil && to != target.name && target.url.query != nil
  }

  /// The target that `--to` names, or the configuration's default.
  func target(of settings: Settings) throws -> Target {
    do throws(ConfigError) { return try settings.target(to) } catch {
      // Errors in the file say where they are; all others are about the option.
      guard to != nil, error.file == nil else { throw error }
      throw ConfigError(keyPath: "--to", error.problem)
    }
  }
}
