/// The command line.
struct CommandPrompt: Sendable {
  var line = LinePrompt()
  /// Which earlier line is shown; `nil` for the one being typed.
  var earlier: Int?
}
