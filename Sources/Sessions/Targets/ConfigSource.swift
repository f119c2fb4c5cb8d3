import Foundation
import ProcessContext
import ScalarText
import Settings
import UploadModel

/// Locates, reads and edits the configuration.
package struct ConfigSource: Sendable {
  /// The file that the user names; nil for the usual one.
  let named: String?
  let environment: [String: String]

  package init(named: String?, environment: [String: String]) {
    (self.named, self.environment) = (named, environment)
  }

  /// The path of the configuration, even if it does not exist.
  package var path: String { named ?? Settings.usualPath(environment: environment) }

  /// The path as it is shown to people, with `~` for the home folder.
  var shownPath: String { shown(path) }

  func shown(_ path: String) -> String {
    guard let home = environment["HOME"], !home.isEmpty,
      let rest = path.removingPrefix(scalars: home + "/")
    else { return SafeText.line(path) }
    return SafeText.line("~/" + rest)
  }

  /// The configuration. Its file must exist only if the user names it.
  package func load() throws(ConfigError) -> Settings {
    let settings = try Settings.load(path: named, environment: environment)
    // An error in the screen's settings is an error for every command.
    if settings.file != nil { _ = try ScreenPreferences(settings) }
    return settings
  }

  package func mistakes() -> [ConfigError] {
    Settings.mistakes(
      path: named, environment: environment, further: ScreenPreferences.mistakes(in:))
  }

  /// The configuration's text, to be edited.
  func edit() throws(ConfigError) -> ConfigEdit {
    let text = try Settings.text(of: path, mayBeMissing: true) ?? ""
    return ConfigEdit(of: text, file: path, environment: environment)
  }

  /// Edits the configuration's text and writes it. Only the owner can read a new file. Returns the text before and
  /// after.
  @discardableResult
  package func change(_ change: (ConfigEdit) throws -> String) throws -> (
    before: String, after: String
  ) {
    let edit = try edit()
    let (before, text) = (edit.text, try change(edit))
    let folder = URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw UserError(
        "\(folder.path) cannot be created: \(error.localizedDescription)", status: .someFailed)
    }
    try AtomicFile.write(text.utf8, to: path, mode: 0o600)
    return (before, text)
  }
}
