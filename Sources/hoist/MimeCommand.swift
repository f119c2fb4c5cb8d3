import ArgumentParser
import MediaTypes
import UploadModel

/// `hoist mime`.
struct MimeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mime",
    abstract: "Print the media type that each file would be sent with, and where it came from.")

  @Argument(help: ArgumentHelp("The files.", valueName: "file"))
  var files: [String]

  func run() throws {
    let guesser = MediaTypeGuesser.system
    for file in files {
      let guess = guesser.guess(path: Arguments.location(file).bytes)
      Output.line("\(SafeText.line(file)): \(guess.type) (\(guess.source))")
    }
  }
}
