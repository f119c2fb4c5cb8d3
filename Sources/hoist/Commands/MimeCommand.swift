import ArgumentParser
import MediaTypes
import MultipartForm
import ProcessContext
import UploadModel

struct MimeCommand: HoistCommand {
  static let configuration = CommandConfiguration(
    commandName: "mime",
    abstract: "Print the media type of files, and where it came from.")

  @Argument(help: ArgumentHelp("The files.", valueName: "file"))
  var files: [String]

  func run(in context: Context) throws {
    let guesser = MediaTypeGuesser.system
    var status = ExitStatus.success
    for file in ArgumentLists.unfolded(files) {
      let location = Arguments.location(file)
      do throws(FileError) { _ = try FileIdentity(of: location) } catch {
        context.output.error(
          "hoist: \(SafeText.line(file)): \(Failure(.init(error, wasSeen: false)).headline)")
        status = .someFailed
        continue
      }
      let guess = guesser.guess(path: location.bytes)
      context.output.line("\(SafeText.line(file)): \(guess.type) (\(guess.explanation))")
    }
    try status.exitUnlessSuccess()
  }
}
