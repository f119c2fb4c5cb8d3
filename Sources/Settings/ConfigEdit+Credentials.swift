import ScalarText
import UploadModel

/// Changes where a target's secret is kept, line by line.
extension ConfigEdit {
  /// The names of the secrets that a target's tables refer to, each once, in their order.
  package func secrets(of name: String) -> [String] {
    let lines = rows
    let form = #/\{secret\.([A-Za-z0-9_-]+)/#
    let names = tables(of: name, in: lines).flatMap { lines[$0] }
      .filter { !$0.trimming(\.isWhiteSpace).hasPrefix(scalars: "#") }
      .flatMap { $0.matches(of: form).map { String($0.1) } }
    return names.enumerated().filter { !names[..<$0.offset].contains($0.element) }.map(\.element)
  }

  /// The text with another place for the only secret that a target logs in with. A target without credentials sends it
  /// as a bearer token from now on. A file or a command becomes the secret called `secret`.
  package func loggingIn(
    _ name: String, with place: SecretPlace, as secret: String
  ) throws(ConfigError) -> String {
    var wanted = try meaning(with: name)
    let instead =
      "write where the secret is into the table targets.\(TOMLText.key(name)) yourself"
    guard var edited = logging(name, in: place.placeholder(of: secret)) else {
      throw notEditable(instead)
    }
    if edited.utf8.last != 0x0A { edited += "\n" }
    edited += place.table(called: secret)
    guard let before = wanted.targets[name],
      let after = try? settings(edited).blueprint(of: name),
      before.withoutCredentials == after.withoutCredentials
    else { throw notEditable(instead) }
    wanted.targets[name] = after
    return try checked(edited, means: wanted, or: instead)
  }

  /// The text with this placeholder in the target's `auth`; nil if its form is not easy to recognise.
  private func logging(_ name: String, in placeholder: String) -> String? {
    var lines = rows
    let places = KeyLocator(text)
    func row(_ keys: String...) -> Int? {
      places.line(ofExactly: ["targets", name] + keys).map { $0 - 1 }
    }
    let bearer = "auth = { bearer = \(TOMLText.string(placeholder)) }"
    if let row = row("auth") {
      let line = lines[row]
      let whole =
        #/auth\s*=\s*\{\s*bearer(?:_command\s*=\s*\[[^\]]*\]|\s*=\s*(?:"[^"\\]*"|'[^']*'))\s*\}/#
      let found = line.matches(of: #/\{(?:env|secret)\.[A-Za-z0-9_-]+\}/#)
      if let range = line.firstMatch(of: whole)?.range {
        lines[row] = line.replacingCharacters(in: range, with: bearer)
      } else if found.count == 1 {
        lines[row] = line.replacingCharacters(in: found[0].range, with: placeholder)
      } else {
        return nil
      }
    } else if let row = row(), lines[row].trimming(\.isWhiteSpace).hasPrefix(scalars: "[") {
      let ending = lines[row].unicodeScalars.last == "\r" ? "\r" : ""
      lines.insert(bearer + ending, at: row + 1)
    } else {
      return nil
    }
    return lines.joined(separator: "\n")
  }
}

extension Target {
  /// The target without what it logs in with.
  var withoutCredentials: Target {
    var target = self
    target.headers.removeAll { $0.name.lowercased() == "authorization" }
    (target.ingredients, target.tokenCommand, target.digest, target.sigV4) = ([], nil, nil, nil)
    return target
  }
}
