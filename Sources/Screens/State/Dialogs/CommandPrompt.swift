/// The command line.
struct CommandPrompt: Sendable {
  var line = LinePrompt()
  /// Which of the lines entered before stands here; `nil` for the one that is typed.
  var earlier: Int?
}
