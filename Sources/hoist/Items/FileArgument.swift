import Foundation
import MediaTypes
import ScalarText
import UploadModel

/// How a person wants one file to be sent, behind its name as curl has it:
/// `a.jpg;type=image/webp;name=b.jpg;field=photo`.
struct FileArgument: Equatable, Sendable {
  /// The file, or what stands for some.
  var path: String
  /// The name that the server is told.
  var name: String?
  /// The media type that it is told.
  var type: String?
  /// The form field that carries the file.
  var field: String?

  /// Takes an argument apart. A file that is called like the whole of it is that file.
  init(
    _ argument: String,
    exists: (String) -> Bool = { FileManager.default.fileExists(atPath: $0) }
  ) throws(UserError) {
    path = argument
    guard argument.utf8.contains(UInt8(ascii: ";")) else { return }
    let parts = argument.split(scalar: ";")
    guard let first = parts.indices.dropFirst().first(where: { Self.key(of: parts[$0]) != nil }),
      !exists(argument)
    else { return }
    for part in parts[first...] {
      guard let key = Self.key(of: part) else {
        throw UserError(
          "\(argument): expected type=, name= or field= after \";\", found \"\(part)\"; a file of that "
            + "name would be taken as it is")
      }
      let value = String(part.unicodeScalars.dropFirst(key.unicodeScalars.count + 1))
      guard !value.isEmpty else { throw UserError("\(argument): \(key)= says nothing") }
      switch key {
      case "type":
        guard let type = MediaType(value) else {
          throw UserError("\(argument): \"\(value)\" is not a media type such as image/jpeg")
        }
        self.type = type.description
      case "field": field = value
      default: name = value
      }
    }
    path = parts[..<first].joined(separator: ";")
  }

  private static func key(of part: String) -> String? {
    ["type", "name", "filename", "field"].first { part.hasPrefix(scalars: "\($0)=") }
  }

  /// Puts what is wished into an item that has not been looked at.
  func apply(to item: inout UploadItem) {
    if let name { (item.fileName, item.nameIsChosen) = (name, true) }
    if let field { item.field = field }
    if let type {
      (item.mediaType, item.typeSource) = (type, UploadItem.chosenByHand)
      item.typeIsCertain = true
    }
  }
}
