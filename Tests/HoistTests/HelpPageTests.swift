import ArgumentParser
import Testing

@testable import hoist

@Suite("Two pages of help")
struct HelpPageTests {
  private static let commands: [any ParsableCommand.Type] =
    [Hoist.self] + Hoist.configuration.subcommands

  private func page(of command: any ParsableCommand.Type) -> String {
    Hoist.helpMessage(for: command, columns: 80)
  }

  private func options(in page: String) -> Set<String> {
    Set(page.matches(of: /(?m)^ +(?:-\w, )?(--[a-z-]+)/).map { String($0.1) })
  }

  @Test("what most people need of push and of add fits on one page", arguments: ["push", "add"])
  func fits(_ name: String) throws {
    let command = try #require(Hoist.configuration.subcommand(name))
    let lines = HelpPage.text({ page(of: command) }, for: [name])
      .split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 40, "\(lines.joined(separator: "\n"))")
    #expect(lines.last == "'hoist help \(name) all' has every option.")
  }

  @Test("no line is wider than a terminal")
  func width() throws {
    for command in Self.commands {
      for text in [page(of: command), HelpPage.whole { page(of: command) }] {
        for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
      }
    }
  }

  @Test("the whole page has every option, and the short one a part of them")
  func everyOption() throws {
    for command in Self.commands {
      let (short, whole) = (page(of: command), HelpPage.whole { page(of: command) })
      #expect(options(in: short).isSubset(of: options(in: whole)))
      let hidden = Hoist.helpMessage(for: command, includeHidden: true, columns: 80)
      // Only what hoist starts itself with is on neither page.
      let secret: Set<String> = ["--take-over", "--demo-endpoints"]
      #expect(options(in: hidden).subtracting(secret) == options(in: whole))
    }
    #expect(options(in: page(of: PushCommand.self)).count < 22)
    #expect(options(in: HelpPage.whole { page(of: PushCommand.self) }).count > 35)
  }

  @Test("the commands stand below their subjects")
  func subjects() throws {
    let text = HelpPage.text({ page(of: Hoist.self) }, for: ["--help"])
    let headings = text.matches(of: /(?m)^([A-Z ]+):$/).map { String($0.1) }
    #expect(headings.suffix(4) == ["SEND", "LOOK", "SET UP", "SERVE"])
    #expect(!text.contains("SUBCOMMANDS"))
  }

  @Test("help for all is asked for by the word all, after a command")
  func asking() {
    #expect(HelpPage.askingForWhole(["help", "push", "all"]) == ["help", "push"])
    #expect(HelpPage.askingForWhole(["help", "push"]) == nil)
    #expect(HelpPage.askingForWhole(["push", "all"]) == nil)
    #expect(HelpPage.askingForWhole(["--experimental-dump-help"]) == ["--experimental-dump-help"])
  }
}
