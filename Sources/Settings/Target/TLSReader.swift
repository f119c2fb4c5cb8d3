import Foundation
import ScalarText
import UploadModel

extension Schema<Target>.Key {
  /// `tls`: whom to trust, and the client's own certificate.
  static let tls = Self(
    name: "tls",
    read: { node, target, reader in
      target.tls = try TLSReader(paths: reader.paths).rules(node, for: target.url)
    },
    write: { target, _, writer in
      writer.table([
        ("ca_file", target.tls.caFile.map(TOMLText.string)),
        ("pin", target.tls.pin.map { TOMLText.string($0.description) }),
        ("client_cert", target.tls.clientCertificate.map(TOMLText.string)),
        ("client_key", target.tls.clientKey.map(TOMLText.string)),
      ])
    })
}

/// Reads a target's `tls` table and checks the files that it names.
private struct TLSReader {
  /// Resolves relative paths.
  let paths: FilePath

  func rules(_ node: ConfigNode, for url: URL) throws(ConfigError) -> TLSRules {
    let entries = try node.table(["ca_file", "pin", "client_cert", "client_key"])
    guard url.scheme?.lowercased() == "https" else {
      throw node.fault(
        "tls rules need an https:// URL, and this target's is \(TargetURL.shown(url))")
    }
    var rules = TLSRules()
    if let node = entries["ca_file"] { rules.caFile = try pem(node, with: "CERTIFICATE").path }
    if let node = entries["pin"] {
      guard let pin = PublicKeyPin(try node.string()) else {
        throw node.fault(
          "expected \"sha256//\" and the base64 of 32 bytes; to see a server's pin, run hoist trust URL"
        )
      }
      rules.pin = pin
    }
    if let key = entries["client_key"], entries["client_cert"] == nil {
      throw key.fault("a key needs its certificate: \"client_cert\" is missing")
    }
    if let certificate = entries["client_cert"] {
      let (path, text) = try pem(certificate, with: "CERTIFICATE")
      rules.clientCertificate = path
      if let node = entries["client_key"] {
        let key = try pem(node, with: "PRIVATE KEY")
        try refuseEncrypted(key.text, node)
        rules.clientKey = key.path
      } else if text.contains(scalars: "PRIVATE KEY-----") {
        try refuseEncrypted(text, certificate)
      } else {
        throw certificate.fault(
          "contains no private key; name the file with the key in \"client_key\"")
      }
    }
    return rules
  }

  /// Refuses encrypted keys: uploads run unattended, so nobody can enter a pass phrase.
  private func refuseEncrypted(_ text: String, _ node: ConfigNode) throws(ConfigError) {
    guard !text.contains(scalars: "ENCRYPTED") else {
      throw node.fault(
        "the key has a pass phrase, which hoist cannot ask for; openssl pkey -in KEY -out NEW "
          + "writes a copy without a pass phrase, readable only by you")
    }
  }

  /// Reads a PEM file (RFC 7468) and checks that it has the expected contents.
  private func pem(
    _ node: ConfigNode, with label: String
  ) throws(ConfigError) -> (path: String, text: String) {
    let path = paths.absolute(try node.foreign())
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw node.fault("\(path): \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw node.fault("\(path) is not a file") }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw node.fault("\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    let text = String(decoding: data, as: UTF8.self)
    guard text.contains(scalars: "-----BEGIN "), text.contains(scalars: "\(label)-----") else {
      throw node.fault("\(path) contains no \(label.lowercased()) in PEM format")
    }
    return (path, text)
  }
}
