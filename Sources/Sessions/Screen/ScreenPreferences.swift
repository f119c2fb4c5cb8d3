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
    let tables = settings.screen
    usesMouse = tables.usesMouse
    goesOnInBackground = tables.goesOnInBackground
    if let word = tables.whenDone {
      guard let signal = AppState.EndSignal(rawValue: word.value) else {
        throw word.error(
          "expected \"none\", \"bell\", \"notify\" or \"desktop\", not \"\(word.value)\"")
      }
      screen.endSignal = signal
    }
    if let command = tables.onEnd {
      guard command.value.first?.isEmpty == false else {
        throw command.error("expected a command and its arguments, such as [\"notify-me\", \"-q\"]")
      }
      (endCommand, screen.hasEndCommand) = (command.value, true)
    }
    let bindings = try Self.bindings(tables.keys)
    do {
      screen.keymap = try Keymap(bindings)
    } catch {
      throw ConfigError(file: settings.file, keyPath: "keys", error.description)
    }
    screen.theme = try Self.theme(tables)
  }

  private static func bindings(
    _ entries: [ScreenSettings.Entry<[String]>]
  ) throws(ConfigError) -> Keymap.Bindings {
    var bindings: Keymap.Bindings = [:]
    for entry in entries {
      guard let name = Action.Name(word: entry.key) else {
        let names = Action.Name.allCases.map(\.word)
        let near = NearestName.of(entry.key, among: names).map { "; did you mean \"\($0)\"?" }
        throw entry.error(
          "there is no such action\(near ?? "; hoist's docs/screen.md lists all of them")")
      }
      bindings[name] = try entry.value.map { text throws(ConfigError) in
        guard let key = Key(named: text) else {
          throw entry.error(
            "\"\(text)\" is not a key; use a character, \"^a\", \"F5\", or a name such as \"Space\" or \"PgDn\""
          )
        }
        return key
      }
    }
    return bindings
  }

  private static func theme(_ settings: ScreenSettings) throws(ConfigError) -> Theme {
    var theme = Theme.usual
    if let base = settings.theme.first(where: { $0.key == "base" }) {
      guard let named = Theme.named(base.value) else {
        throw base.error("no theme is called \"\(base.value)\"; the themes are: \(Theme.names)")
      }
      theme = named
    }
    for entry in settings.theme where entry.key != "base" {
      guard let role = Role.allCases.first(where: { $0.word == entry.key }) else {
        let words = (Role.allCases.map(\.word) + ["base"]).joined(separator: ", ")
        throw entry.error("there is no such name; choose from: \(words)")
      }
      guard let look = Theme.Look(entry.value) else {
        throw entry.error(
          "\"\(entry.value)\" is not a look; use one such as \"bold red\", \"bright-blue\", \"dim 244\", \"#ff8800 on 236\" or \"plain\""
        )
      }
      theme.wish(role, look)
    }
    return theme
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
