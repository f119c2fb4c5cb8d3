import FileDiscovery
import Foundation
import MultipartForm
import UploadModel

extension FileIntake {
  /// Hands over an item for a file, or for each file in a folder; a folder that cannot be read comes out
  /// failed.
  ///
  /// - Parameters:
  ///   - rules: what is taken of a folder; nil where folders are not entered.
  ///   - wish: how the person wants them to be sent.
  /// - Returns: false where `take` did, and nothing further was looked at.
  func each(
    of file: FileLocation, in rules: FolderRules?, as wish: FileArgument? = nil,
    _ body: (UploadItem) -> Bool
  ) -> Bool {
    guard let rules, Directory.isFolder(file) else { return body(item(at: file, as: wish)) }
    for entry in FolderScan(file, rules: rules) {
      let item =
        switch entry {
        case .file(let found): item(at: found, below: file, as: wish)
        case .unreadable(let folder, let code):
          failed(folder, .unreadable(String(cString: strerror(code))))
        }
      if !body(item) { return false }
    }
    return true
  }
}

extension UploadItem {
  /// What a person calls the file: its path, or `-` where it came in on standard input.
  var path: FileLocation {
    SpooledInput.holds(self.location) ? SpooledInput.argument : self.location
  }
}
