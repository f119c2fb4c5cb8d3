import Foundation
import ProcessContext
import ScalarText
import Screens
import Settings
import Terminal

/// The user's preferences for the screen: the tables `[screen]`, `[keys]` and `[theme]` of the
/// configuration, checked.
package struct ScreenPreferences {
  /// The preferences that the screen itself needs.
  var screen = AppState.Options()
  var usesMouse = true
  /// Whether uploads continue in the background when the terminal is closed.
  var goesOnInBackground = false
  /// The command to run when nothing is left to send, with its arguments.
  var endCommand: [String] = []
  /// Whether lines are printed instead of drawing a screen.
  package var isPlain = false

  init() {}

  /// The preferences of a configuration; an error names the key that is wrong.
  package init(_ settings: Settings) throws(ConfigError) {
    let (preferences, mistakes) = Self.read(settings)
    if let first = mistakes.first { throw first }
    self = preferences
  }

  /// All that is wrong with the preferences of a configuration.
  static func mistakes(in settings: Settings) -> [ConfigError] { read(settings).mistakes }

  private static func read(_ settings: Settings) -> (Self, mistakes: [ConfigError]) {
    let tables = settings.screen
    var (preferences, mistakes) = (Self(), [ConfigError]())
    preferences.usesMouse = tables.usesMouse
    preferences.goesOnInBackground = tables.goesOnInBackground
    if let word = tables.whenDone {
      if let signal = AppState.EndSignal(rawValue: word.value) {
        preferences.screen.endSignal = signal
      } else {
        mistakes.append(
          word.error(
            "expected \"none\", \"bell\", \"notify\" or \"desktop\", not \"\(word.value)\""))
      }
    }
    if let command = tables.onEnd {
      if command.value.count == 1, let line = command.value.first, line.contains(scalars: " "),
        !FileManager.default.fileExists(atPath: line)
      {
        let words = line.split(scalar: " ").map { "\"\($0)\"" }.joined(separator: ", ")
        mistakes.append(
          command.error("no program is called \"\(line)\"; a command with arguments is [\(words)]"))
      } else if command.value.first?.isEmpty == false {
        (preferences.endCommand, preferences.screen.hasEndCommand) = (command.value, true)
      } else {
        mistakes.append(
          command.error("expected a command and its arguments, such as [\"notify-me\", \"-q\"]"))
      }
    }
    let (bindings, unknown) = Self.bindings(tables.keys)
    mistakes += unknown
    // An action that has lost its keys to a mistake has others than were meant.
    if unknown.isEmpty {
      mistakes += Keymap.mistakes(in: bindings).map {
        ConfigError(file: settings.file, keyPath: "keys", $0.description)
      }
      if let keymap = try? Keymap(bindings) { preferences.screen.keymap = keymap }
    }
    let (theme, unseen) = Self.theme(tables)
    preferences.screen.theme = theme
    return (preferences, mistakes + unseen)
  }

  private static func bindings(
    _ entries: [ScreenSettings.Entry<[String]>]
  ) -> (Keymap.Bindings, mistakes: [ConfigError]) {
    var (bindings, mistakes): (Keymap.Bindings, [ConfigError]) = ([:], [])
    for entry in entries {
      guard let name = Action.Name(word: entry.key) else {
        let words = meant(by: entry).map { "; did you mean \($0)?" }
        mistakes.append(
          entry.error(
            "there is no such action\(words ?? "; hoist's docs/screen.md lists all of them")"))
        continue
      }
      bindings[name] = entry.value.compactMap { text in
        if let key = Key(named: text) { return key }
        mistakes.append(
          entry.error(
            "\"\(text)\" is not a key; use a character, \"^a\", \"F5\", or a name such as \"Space\" or \"PgDn\""
          ))
        return nil
      }
    }
    return (bindings, mistakes)
  }

  /// What an entry probably means that names no action: an action of a similar name, or a key for an action.
  private static func meant(by entry: ScreenSettings.Entry<[String]>) -> String? {
    if Key(named: entry.key) != nil,
      let action = entry.value.first(where: { Action.Name(word: $0) != nil })
    {
      return "\(action) = \(TargetText.string(entry.key))"
    }
    return NearestName.of(entry.key, among: Action.Name.allCases.map(\.word)).map { "\"\($0)\"" }
  }

  private static func theme(_ settings: ScreenSettings) -> (Theme, mistakes: [ConfigError]) {
    var (theme, mistakes) = (Theme.usual, [ConfigError]())
    if let base = settings.theme.first(where: { $0.key == "base" }) {
      if let named = Theme.named(base.value) {
        theme = named
      } else {
        mistakes.append(
          base.error("no theme is called \"\(base.value)\"; the themes are: \(Theme.names)"))
      }
    }
    for entry in settings.theme where entry.key != "base" {
      guard let role = Role.allCases.first(where: { $0.word == entry.key }) else {
        let words = (Role.allCases.map(\.word) + ["base"]).joined(separator: ", ")
        mistakes.append(entry.error("there is no such name; choose from: \(words)"))
        continue
      }
      guard let look = Theme.Look(entry.value) else {
        mistakes.append(
          entry.error(
            "\"\(entry.value)\" is not a look; use one such as \"bold red\", \"bright-blue\", \"dim 244\", \"#ff8800 on 236\" or \"plain\""
          ))
        continue
      }
      theme.wish(role, look)
    }
    return (theme, mistakes)
  }

  /// Takes over the terminal, or reads lines from standard input.
  @MainActor
  func interface(in context: Context) throws -> any UserInterface {
    if isPlain { return PlainInterface(in: context) }
    do {
      return try Terminal(usesMouse: usesMouse)
    } catch {
      throw UserError(
        "\(error); hoist --plain prints lines instead, and hoist push uploads without a screen")
    }
  }
}
