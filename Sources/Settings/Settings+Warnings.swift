import Foundation
import UploadModel

/// Warnings about settings that are valid but not advisable.
extension Settings {
  /// A warning for each secret that is written in the configuration, if other users can read the file.
  package var warnings: [String] {
    var status = stat()
    guard let file, stat(file, &status) == 0, status.st_mode & (S_IRGRP | S_IROTH) != 0 else {
      return []
    }
    return targetNames.flatMap { name -> [String] in
      guard let target = blueprint(of: name) else { return [] }
      let places = target.places(hasAuth: hasAuth(name))
        .filter { $0.value.secrets.contains { $0.source == .literal } }
      return places.map { key, _ in
        let error = ConfigError(
          keyPath: "targets.\(name).\(key)",
          "holds a secret, and others can read this file; chmod 600 it, or keep the secret elsewhere with "
            + "[secrets]")
        return error.placed(in: file, lines).description
      }
    }
  }

  /// Recommendations for targets whose rules say only what a bad reply looks like. An empty reply, or a proxy's page,
  /// then counts as a good one.
  package var advice: [String] {
    targetNames.flatMap { name -> [String] in
      guard let target = blueprint(of: name) else { return [] }
      return target.rulesWithoutGoodReply.map { key in
        let error = ConfigError(
          keyPath: "targets.\(name).\(key)",
          "nothing says what a good reply looks like, so an empty reply or a proxy's page counts as one: add what a good "
            + "reply has to \"fail_when\", as { pointer = \"/id\", missing = true } or { regex = '</Result>', not = true }"
        )
        return error.placed(in: file ?? "", lines).description
      }
    }
  }

  private func hasAuth(_ name: String) -> Bool {
    guard case .table(let entries)? = nodes[name]?.value else { return false }
    return entries["auth"] != nil
  }
}

extension Target {
  /// The keys of the rules that judge the reply to the whole file and do not say what a good one looks like, although
  /// files would be removed because of it, pieces joined, or bad replies told apart.
  fileprivate var rulesWithoutGoodReply: [String] {
    var keys: [String] = []
    if !response.namesGoodReply, !response.failures.isEmpty || !after.finals.isEmpty {
      keys.append("response")
    }
    if let pieces = resume.pieces, pieces.finish != nil,
      !pieces.response(of: self).namesGoodReply
    {
      keys.append("pieces.finish")
    }
    return keys
  }

  /// The keys that may contain secrets, with their values. `hasAuth` says whether `Authorization` comes from `auth`.
  fileprivate func places(hasAuth: Bool) -> [(key: String, value: Template)] {
    let tables = [("fields", fields), ("headers", headers), ("query", query)]
    let inTables = tables.flatMap { table, fields in
      fields.map { field in
        let isAuth = hasAuth && field.name == "Authorization"
        return (key: isAuth ? "auth" : "\(table).\(field.name)", value: field.value)
      }
    }
    // With a ticket, the target's address is that of the ticket request.
    let address = (address ?? Template(literal: url.absoluteString)).hidingQuery()
    let keys: [(String, Template?)] = [
      ("url", ticket == nil ? address : nil),
      ("ticket.url", ticket?.call.address.template),
      ("server.list.url", server.list?.call.address.template),
      ("server.get.url", server.get?.address.template),
      ("server.delete.url", server.delete?.address.template),
      ("server.create.url", server.create?.address.template),
      ("auth.digest.password", digest?.password), ("auth.sigv4.secret", sigV4?.secret),
      ("auth.sigv4.token", sigV4?.token),
    ]
    return keys.compactMap { key, template in template.map { (key, $0) } } + inTables
  }
}
