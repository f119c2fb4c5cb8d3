import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("Completion, typed into the shells themselves", .needs("zsh", "fish"))
  struct CompletionTests {
    /// A shell, how it is started without a person's own settings, and how it learns of hoist.
    struct Shell: CustomTestStringConvertible {
      let name: String
      let start: String
      let setUp: String
      var testDescription: String { name }

      static let all = [
        Shell(
          name: "bash", start: "bash --norc --noprofile -i", setUp: "source ./script; PS1='NOW> '"),
        Shell(
          name: "zsh", start: "zsh -f -i",
          setUp: "mkdir f; cp script f/_hoist; fpath=($PWD/f $fpath); autoload -Uz compinit; "
            + "compinit -u -D; PS1='NOW> '"),
        Shell(
          name: "fish", start: "fish --no-config -i",
          setUp: "source ./script; function fish_prompt; echo -n 'NOW> '; end"),
      ]
    }

    /// What is typed before the tab, and what the line then is.
    static let lines = [
      ("hoist --to n", "hoist --to nas"), ("hoist lett", "hoist letter.pdf"),
      ("hoist letter.pdf --to n", "hoist letter.pdf --to nas"),
      ("hoist letter.pdf --pla", "hoist letter.pdf --plain"), ("hoist pu", "hoist push"),
      ("hoist push --to n", "hoist push --to nas"), ("hoist --asc", "hoist --ascii"),
      ("hoist holi", #"hoist holiday\ photo.jpg"#),
    ]

    @Test("what the README shows first completes", arguments: Shell.all)
    func completes(shell: Shell) async throws {
      let person = try Person()
      try person.configure("[targets.nas]\nurl = \"https://nas.example.com/\"\n")
      for name in ["letter.pdf", "holiday photo.jpg"] { try person.folder.write(name, []) }
      let made = try await person.shell("hoist completions \(shell.name) > script").end()
      #expect(made.status == 0, "\(made)")
      let terminal = try await person.terminal()
      try await terminal.command(shell.start)
      try await terminal.command(shell.setUp)
      try await terminal.wait(until: "the shell's own prompt") { $0.rows.contains("NOW>") }
      for (typed, expected) in Self.lines {
        try await terminal.type(typed)
        try await terminal.wait(until: typed) { $0.rows.contains { $0.hasPrefix("NOW> \(typed)") } }
        try await terminal.press("Tab")
        try await terminal.wait(until: expected) { $0.rows.contains("NOW> \(expected)") }
        try await terminal.press("C-u")
        try await terminal.wait(until: "an empty line") { $0.rows.last { !$0.isEmpty } == "NOW>" }
      }
    }
  }
}
