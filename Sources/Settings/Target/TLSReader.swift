import Foundation
import ScalarText
import UploadModel

extension Schema<Target>.Key {
  /// `tls`: whom to trust, and the client's own certificate.
  static let tls = Self(
    name: "tls",
    read: { node, target, reader in
      target.tls = try TLSRules(node, for: target.url, reader.paths)
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

extension TLSRules {
  /// Reads a target's `tls` table and checks the files that it names.
  fileprivate init(_ node: ConfigNode, for url: URL, _ paths: FilePath) throws(ConfigError) {
    self.init()
    let entries = try node.table(["ca_file", "pin", "client_cert", "client_key"])
    guard url.scheme?.lowercased() == "https" else {
      throw node.fault(
        "tls rules need an https:// URL, and this target's is \(TargetURL.shown(url))")
    }
    caFile = try entries["ca_file"]?.pem(with: "CERTIFICATE", paths).path
    if let node = entries["pin"] {
      pin = PublicKeyPin(try node.string())
      guard pin != nil else {
        throw node.fault(
          "expected \"sha256//\" and the base64 of 32 bytes; to see a server's pin, run hoist trust URL"
        )
      }
    }
    try entries.refuse(
      "client_key", "a key needs its certificate: \"client_cert\" is missing",
      if: entries["client_cert"] == nil)
    guard let certificate = entries["client_cert"] else { return }
    let (path, text) = try certificate.pem(with: "CERTIFICATE", paths)
    clientCertificate = path
    if let node = entries["client_key"] {
      let key = try node.pem(with: "PRIVATE KEY", paths)
      try node.refuseEncrypted(key.text)
      clientKey = key.path
    } else if text.contains(scalars: "PRIVATE KEY-----") {
      try certificate.refuseEncrypted(text)
    } else {
      throw certificate.fault(
        "contains no private key; name the file with the key in \"client_key\"")
    }
  }
}

extension ConfigNode {
  /// Refuses encrypted keys: uploads run unattended, so nobody can enter a pass phrase.
  fileprivate func refuseEncrypted(_ text: String) throws(ConfigError) {
    guard !text.contains(scalars: "ENCRYPTED") else {
      throw fault(
        "the key has a pass phrase, which hoist cannot ask for; openssl pkey -in KEY -out NEW "
          + "writes a copy without a pass phrase, readable only by you")
    }
  }

  /// Reads a PEM file (RFC 7468) and checks that it has the expected contents.
  fileprivate func pem(
    with label: String, _ paths: FilePath
  ) throws(ConfigError) -> (path: String, text: String) {
    let path = paths.absolute(try foreign())
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw fault("\(path): \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw fault("\(path) is not a file") }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw fault("\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    let text = String(decoding: data, as: UTF8.self)
    guard text.contains(scalars: "-----BEGIN "), text.contains(scalars: "\(label)-----") else {
      throw fault("\(path) contains no \(label.lowercased()) in PEM format")
    }
    return (path, text)
  }
}
