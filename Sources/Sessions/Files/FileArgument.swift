import FileDiscovery
import Foundation
import MediaTypes
import MultipartForm
import ProcessContext
import ScalarText
import UploadModel

/// A file argument in curl's notation, in which the file's name can be followed by how to send the file:
/// `a.jpg;type=image/webp;name=b.jpg;field=photo`.
package struct FileArgument: Equatable, Sendable {
  /// The file, or a pattern for several.
  package var path: String
  /// The name that the server is told.
  package var name: String?
  /// The media type that the server is told.
  var type: String?
  /// The form field that carries the file.
  var field: String?

  /// How files are sent, whichever they are.
  package init(type: String?, field: String?) {
    path = ""
    (self.type, self.field) = (type, field)
  }

  /// Splits an argument. If the whole argument is the name of an existing file, it means that file.
  package init(
    _ argument: String,
    exists: (String) -> Bool = { Arguments.location($0).withCString { access($0, F_OK) == 0 } }
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
          "\(argument): expected type=, name= or field= after \";\", found \"\(part)\" (no file has this "
            + "whole name)")
      }
      let value = String(part.unicodeScalars.dropFirst(key.unicodeScalars.count + 1))
      guard !value.isEmpty else { throw UserError("\(argument): \(key)= has no value") }
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

  /// Refuses inputs that can be read only once, and only by this process: the queue outlives it.
  package func checkIsLasting() throws(UserError) {
    guard SpooledInput.descriptor(of: Arguments.location(path)) != nil else { return }
    throw UserError(
      "\(path): cannot be queued, since only this process can read it; store it in a file and add that, or send it "
        + "with hoist push")
  }

  private static func key(of part: String) -> String? {
    ["type", "name", "filename", "field"].first { part.hasPrefix(scalars: "\($0)=") }
  }

  /// Applies these choices to an item that has not been examined yet.
  func apply(to item: inout UploadItem) {
    if let name { (item.fileName, item.nameIsChosen) = (name, true) }
    if let field { item.field = field }
    if let type {
      (item.mediaType, item.typeSource) = (type, UploadItem.chosenByHand)
      item.typeIsCertain = true
    }
  }
}
