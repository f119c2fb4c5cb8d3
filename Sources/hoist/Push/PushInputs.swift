import FileDiscovery
import Foundation
import MultipartForm
import UploadModel

/// Everything that a push was asked to send. It is enumerated in order while the first files are uploaded.
struct PushInputs: Sendable {
  /// Files, patterns, folders, or `-` for standard input.
  var arguments: [FileArgument] = []
  var list: FileList?
  /// The name under which standard input is sent.
  var inputName: String?
  /// Whether folders stand for the files in them.
  var isRecursive = false
  /// Which files in a folder are added.
  var rules = FolderRules()
  /// Files that an earlier push could not deliver.
  var again: [PushReport.Entry] = []
  /// Files of the earlier push that are left out because they may have arrived.
  var leftOut: [PushReport.Entry] = []
  /// Finds files as they appear, once all other inputs have been read.
  var watch: FolderWatch?
  var home = ""
  /// The descriptor of standard input.
  var standardInput = STDIN_FILENO
  var temporaryFolder = "/tmp"

  /// Calls `body` with an item for each file until it returns false. Once `stop` is cancelled, it does not
  /// wait for inputs that may have no end. Returns false if files may be missing because of that.
  @discardableResult
  func walk(
    _ intake: FileIntake, until stop: CancellationToken = CancellationToken(),
    _ body: (UploadItem) -> Bool
  ) -> Bool {
    let folders = isRecursive ? rules : nil
    var goesOn =
      again.allSatisfy { entry in
        entry.path == SpooledInput.argument
          ? body(input(intake, until: stop)) : intake.each(of: entry.path, in: folders, body)
      }
      && arguments.allSatisfy { wish in
        FileLocation(wish.path) == SpooledInput.argument
          ? body(input(intake, as: wish, until: stop))
          : Arguments.files(wish.path, home: home).allSatisfy {
            intake.each(of: $0, in: folders, as: wish, body)
          }
      }
    guard goesOn else { return true }
    var isWhole = true
    if let list {
      let end = list.forEach(until: stop) { file in
        goesOn = intake.each(of: file, in: folders, body)
        return goesOn
      }
      if case .failed(let code) = end {
        let why = "the rest of the list cannot be read: \(String(cString: strerror(code)))"
        _ = body(intake.failed(FileLocation(list.title), .unreadable(why)))
      }
      guard goesOn else { return true }
      isWhole = end != .left
    }
    if let watch,
      let why = watch.run(until: stop, { body(intake.item(at: $0, below: watch.root)) })
    {
      _ = body(intake.failed(FileLocation("--watch"), .unreadable(why)))
    }
    return isWhole
  }

  private func input(
    _ intake: FileIntake, as wish: FileArgument? = nil, until stop: CancellationToken
  ) -> UploadItem {
    do throws(InputError) {
      guard let kept = try SpooledInput.keep(standardInput, in: temporaryFolder, until: stop) else {
        return intake.failed(SpooledInput.argument, named: inputName, .cancelled)
      }
      return intake.item(at: kept, named: inputName, as: wish)
    } catch {
      return intake.failed(SpooledInput.argument, .unreadable(error.description))
    }
  }
}
