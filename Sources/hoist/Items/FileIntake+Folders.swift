import FileDiscovery
import Foundation
import MultipartForm
import UploadModel

extension FileIntake {
  /// Passes on an item for a file, or for each file in a folder. A folder that cannot be read becomes a failed
  /// item.
  ///
  /// - Parameters:
  ///   - rules: which files of a folder are taken; nil if folders are not entered.
  ///   - wish: how the user wants them to be sent.
  /// - Returns: false if `take` returned false, which ends the search.
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
  /// How the user refers to the file: by its path, or as `-` for standard input.
  var path: FileLocation {
    SpooledInput.holds(self.location) ? SpooledInput.argument : self.location
  }
}
