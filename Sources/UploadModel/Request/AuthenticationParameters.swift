import ScalarText

/// The lists of parameters in `WWW-Authenticate` and `Authentication-Info` (RFC 9110 §11.2, §11.6).
enum AuthenticationParameters {
  /// The challenges of a field, with the names of their schemes and parameters in lower case.
  static func schemes(in field: String) -> [(name: String, parameters: [String: String])] {
    var schemes: [(name: String, parameters: [String: String])] = []
    for element in elements(of: field) {
      let name = element.prefix(while: isToken)
      let rest = element[name.endIndex...].drop(while: isBlank)
      if !name.isEmpty, rest.first != UInt8(ascii: "=") {
        // A scheme, and perhaps its first parameter.
        schemes.append((text(name).lowercased(), [:]))
        add(rest, to: &schemes)
      } else {
        add(element, to: &schemes)
      }
    }
    return schemes
  }

  /// The parameters of a field that names no scheme.
  static func parameters(in field: String) -> [String: String] {
    var list: [(name: String, parameters: [String: String])] = [("", [:])]
    for element in elements(of: field) { add(element, to: &list) }
    return list[0].parameters
  }

  private typealias Bytes = ArraySlice<UInt8>

  private static func add(
    _ element: Bytes, to schemes: inout [(name: String, parameters: [String: String])]
  ) {
    let name = element.prefix(while: isToken)
    let equals = element[name.endIndex...].drop(while: isBlank)
    guard !schemes.isEmpty, !name.isEmpty, equals.first == UInt8(ascii: "=") else { return }
    let value = equals.dropFirst().drop(while: isBlank)
    schemes[schemes.count - 1].parameters[text(name).lowercased()] =
      value.first == quote ? unquoted(value.dropFirst()) : text(value.prefix { !isBlank($0) })
  }

  /// What stands between the commas that are in no quoted string.
  private static func elements(of field: String) -> [Bytes] {
    var elements: [Bytes] = []
    let bytes = Array(field.utf8)
    var (start, place, isQuoted) = (0, 0, false)
    while place < bytes.count {
      switch bytes[place] {
      case backslash where isQuoted: place += 1
      case quote: isQuoted.toggle()
      case UInt8(ascii: ",") where !isQuoted:
        elements.append(bytes[start..<place])
        start = place + 1
      default: break
      }
      place += 1
    }
    elements.append(bytes[min(start, bytes.count)...])
    return elements.map { $0.drop(while: isBlank) }.filter { !$0.isEmpty }
  }

  private static func unquoted(_ bytes: Bytes) -> String {
    var content: [UInt8] = []
    var isEscaped = false
    for byte in bytes {
      if isEscaped || byte != backslash && byte != quote {
        content.append(byte)
        isEscaped = false
      } else if byte == quote {
        break
      } else {
        isEscaped = true
      }
    }
    return String(decoding: content, as: UTF8.self)
  }

  private static func text(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }

  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// RFC 9110 §5.6.2.
  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
