import ArgumentParser
import ProcessContext

struct CompletionsCommand: HoistCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print a script that completes commands in a shell.",
    discussion: """
      bash:  hoist completions bash > ~/.local/share/bash-completion/completions/hoist
      zsh:   hoist completions zsh > a folder of $fpath/_hoist
      fish:  hoist completions fish > ~/.config/fish/completions/hoist.fish
      """)

  @Argument(help: "bash, zsh or fish.")
  var shell: Shell

  enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish
  }

  func run(in context: Context) {
    guard let shell = CompletionShell(rawValue: shell.rawValue) else { return }
    context.output.line(HelpPage.whole { CompletionScript.text(for: shell) })
  }
}
