import Foundation
import ScalarText
import UploadModel

extension Schema<Target>.Key {
  /// `auth`: one of several ways to log in. A way that only adds a header field is written as that field.
  static let auth = Self(
    name: "auth",
    read: { node, target, reader in try AuthReader(templates: reader).read(node, into: &target) },
    write: { target, _, writer in
      let command = target.tokenCommand.map { TOMLText.array($0.words.map(TOMLText.string)) }
      let keys = target.sigV4.map {
        TOMLText.table([
          ("region", TOMLText.string($0.region)), ("service", TOMLText.string($0.service)),
          ("key", writer.string($0.key)), ("secret", writer.string($0.secret)),
          ("token", $0.token.map(writer.string)),
        ])
      }
      let digest = target.digest.map {
        TOMLText.table([("user", writer.string($0.user)), ("password", writer.string($0.password))])
      }
      return writer.table([("bearer_command", command), ("sigv4", keys), ("digest", digest)])
    })
}

/// Reads a target's `auth` table.
private struct AuthReader {
  let templates: TemplateReader

  private static let ways = ["basic", "bearer", "bearer_command", "digest", "sigv4"]

  /// Adds the credentials in the table to the target, whose header fields must already have been read.
  func read(_ node: ConfigNode, into target: inout Target) throws(ConfigError) {
    let entries = try node.table(Self.ways)
    guard entries.count == 1 else {
      throw node.fault("expected one of \(Self.ways.joined(separator: ", "))")
    }
    guard !target.headers.contains(where: { $0.name.lowercased() == "authorization" }) else {
      throw node.fault("the target has an Authorization header as well; leave one of the two out")
    }
    if let node = entries["bearer_command"] { target.tokenCommand = try command(node) }
    if let node = entries["bearer"] {
      let token = try secret(node).hidden(as: "bearer_token")
      guard !token.fixedText.trimming(\.isWhiteSpace).isEmpty else {
        throw node.fault("expected a token, found nothing")
      }
      target.headers.append(try header(Template(literal: "Bearer ") + token, node))
    }
    if let node = entries["basic"] {
      let (account, secret) = try pair(node)
      // A server's reply may repeat the password itself as well as the encoded credentials, so both must be hidden.
      target.ingredients += account.secrets.map(\.value) + [secret.fixedText]
      let pair = Data("\(account.fixedText):\(secret.fixedText)".utf8).base64EncodedString()
      let credentials = Template.Secret(
        name: "basic_credentials", value: pair, source: secret.isLiteral ? .literal : .derived)
      target.headers.append(
        try header(Template(literal: "Basic ") + Template(credentials), node))
    }
    if let node = entries["digest"] {
      let (account, password) = try pair(node)
      target.ingredients += account.secrets.map(\.value) + [password.fixedText]
      target.digest = DigestAuth(user: account, password: password.hidden(as: "password"))
    }
    if let node = entries["sigv4"] {
      let keys = try keys(node)
      let parts = [keys.key, keys.secret, keys.token].compactMap(\.self)
      target.ingredients += parts.flatMap(\.secrets).map(\.value)
      target.sigV4 = keys
    }
  }

  /// `{ region = "…", service = "…", key = "…", secret = "…", token = "…" }`.
  private func keys(_ node: ConfigNode) throws(ConfigError) -> SigV4Auth {
    let entries = try node.table(["region", "service", "key", "secret", "token"])
    guard let region = entries["region"], let key = entries["key"], let hidden = entries["secret"]
    else { throw node.fault("\"region\", \"key\" and \"secret\" are all needed") }
    var keys = SigV4Auth(
      region: try word(region), key: try header(key),
      secret: try filled(hidden).hidden(as: "secret_access_key"))
    // In the header field, these characters separate the key from the text after it.
    guard !keys.key.fixedText.utf8.contains(where: { "/, ".utf8.contains($0) }) else {
      throw key.fault("an access key cannot contain a slash, comma or space")
    }
    if let service = entries["service"] { keys.service = try word(service) }
    if let token = entries["token"] { keys.token = try header(token).hidden(as: "session_token") }
    return keys
  }

  /// A name in AWS's format, such as `eu-central-1` or `s3`.
  private func word(_ node: ConfigNode) throws(ConfigError) -> String {
    let text = try node.fixed()
    guard !text.isEmpty, text.utf8.allSatisfy({ $0.isAlphanumeric || "-_".utf8.contains($0) })
    else { throw node.fault("expected a name such as \"eu-central-1\" or \"s3\"") }
    return text
  }

  /// A secret that is not empty.
  private func filled(_ node: ConfigNode) throws(ConfigError) -> Template {
    let text = try secret(node)
    guard !text.fixedText.isEmpty else { throw node.fault("expected a key, found nothing") }
    return text
  }

  /// A secret that is part of a header field.
  private func header(_ node: ConfigNode) throws(ConfigError) -> Template {
    let text = try filled(node)
    _ = try header(text, node)
    return text
  }

  /// `{ user = "…", password = "…" }`.
  private func pair(
    _ node: ConfigNode
  ) throws(ConfigError) -> (user: Template, password: Template) {
    let entries = try node.table(["user", "password"])
    guard let user = entries["user"], let password = entries["password"] else {
      throw node.fault("\"user\" and \"password\" are both needed")
    }
    let (account, secret) = (try secret(user), try secret(password))
    // Basic credentials cannot represent a colon in a user name (RFC 7617 §2).
    guard !account.fixedText.utf8.contains(UInt8(ascii: ":")) else {
      throw user.fault("a user name cannot contain a colon")
    }
    return (account, secret)
  }

  private func command(_ node: ConfigNode) throws(ConfigError) -> TokenCommand {
    let words = try node.array().map { (element) throws(ConfigError) in
      let word = try element.foreign()
      guard !word.utf8.contains(0) else { throw element.fault("a word cannot contain a NUL") }
      return word
    }
    guard words.first?.isEmpty == false else {
      throw node.fault("expected a program and its arguments, found nothing")
    }
    return TokenCommand(words)
  }

  /// A string in which only `{env.NAME}` and `{secret.NAME}` are filled in. It never appears in a message.
  private func secret(_ node: ConfigNode) throws(ConfigError) -> Template {
    _ = try node.string()
    let template = try templates.secret(node, scope: Template.Placeholder.ofFile)
    guard template.placeholders.isEmpty else {
      throw node.fault("only {env.NAME} and {secret.NAME} can be filled in here")
    }
    try node.refuseEmptyVariables(of: template)
    return template
  }

  private func header(_ value: Template, _ node: ConfigNode) throws(ConfigError) -> Target.Field {
    try node.checked { try HeaderRule.check(name: "Authorization", value: value.fixedText) }
    return Target.Field(name: "Authorization", value: value)
  }
}
