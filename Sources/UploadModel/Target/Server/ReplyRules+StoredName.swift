import Foundation
import JSONText
import MultipartForm
import ScalarText

extension ReplyRules {
  /// The name under which the server has stored a file, if the reply names it and it is another one made of the name
  /// that was sent, as servers do that replace nothing: "photo (2).jpg" for "photo.jpg". The end of the file's address
  /// tells or, in JSON, a name.
  package func otherName(than name: String, in end: TransferEnd) -> String? {
    guard end.place.count == 1, end.status.map(isOK) == true else { return nil }
    let path = address(in: end).flatMap { URLComponents(string: $0)?.percentEncodedPath.utf8 }
    let address = path?.split(separator: UInt8(ascii: "/")).last.map {
      String(decoding: PercentEncoding.decode(Array($0)[...]), as: UTF8.self)
    }
    return ([address].compactMap(\.self) + names(in: end)).first { Self.isMade($0, of: name) }
  }

  /// The names that a JSON object has, itself or in a list of one file.
  private func names(in end: TransferEnd) -> [String] {
    guard end.reply.mayBeJSON, !end.reply.isCut,
      case .object(let members)? = end.content?.document ?? JSONValue(text: end.reply.text)
    else { return [] }
    var objects = [members]
    if case .array(let files)? = members["files"], files.count == 1,
      case .object(let file) = files[0]
    {
      objects.append(file)
    }
    return objects.flatMap { object in
      ["stored", "name", "filename", "file_name"].compactMap { key in
        if case .string(let text)? = object[key] { SafeText.line(text) } else { nil }
      }
    }
  }

  /// Whether a name has the stem and the ending of the other one, with a number between them.
  private static func isMade(_ stored: String, of name: String) -> Bool {
    let parts = Template.Placeholder.split(name)
    let ending = parts.ext.isEmpty ? "" : ".\(parts.ext)"
    guard let rest = stored.removingPrefix(scalars: parts.stem), rest.hasSuffix(scalars: ending)
    else { return false }
    let number = String(decoding: rest.utf8.dropLast(ending.utf8.count), as: UTF8.self)
    return number.utf8.contains(where: \.isDigit)
      && number.utf8.allSatisfy { $0.isDigit || " ()[]_-.~".utf8.contains($0) }
  }
}
