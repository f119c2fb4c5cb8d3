import ScalarText

extension Failure {
  /// What to do about a refusal by the words of the server, which say more than a status that stands for any mistake in
  /// the request; nil if there are none, or the status says it all.
  static func advice(on message: String?, _ status: Int?) -> String? {
    guard let message, let status, [400, 409, 412, 422].contains(status),
      // The status in words says nothing that the status does not.
      message.lowercased() != statusLine(status).lowercased(),
      message.lowercased() != phrases[status]?.lowercased()
    else { return nil }
    let words = message.lowercased()
    let kind = kinds.first { $0.signs.contains { words.contains(scalars: $0) } }
    if let kind { return "Retrying will not help: \(kind.advice)" }
    return status == 400 || status == 422
      ? "Retrying will not help: fix what the server reports, in the target or in the file."
      : nil
  }

  /// Whether the words of a server say that a name is taken.
  static func meansTakenName(_ message: String?) -> Bool {
    guard let words = message?.lowercased(), let taken = kinds.first else { return false }
    return taken.signs.contains { words.contains(scalars: $0) }
  }

  /// What servers say, in lower case, and what it comes to. The first that fits counts.
  private static let kinds: [(signs: [String], advice: String)] = [
    (
      [
        "already exist", "already_exist", "alreadyexist", "already been taken", "already uploaded",
        "already in use", "duplicate", "name conflict",
      ],
      "the server has such a file already. Send this one under another name, or delete the one there."
    ),
    (
      [
        "quota", "insufficient storage", "insufficient space", "no space left", "storage limit",
        "storage is full", "out of space", "over limit",
      ], "make room on the server, or send it elsewhere."
    ),
    (
      [
        "too large", "toolarge", "too_large", "too big", "maximum size", "maximum file size",
        "maximum allowed size", "file size limit", "size exceeds", "exceeds the limit",
        "exceeds the maximum", "may not be greater than", "must not be greater than",
      ], "the server does not accept files of this size."
    ),
    (
      [
        "unsupported file type", "unsupported media type", "unsupported format",
        "invalid file type",
        "file type is not", "file type not", "filetype", "mime type", "mimetype", "content type",
        "content-type", "file extension", "must be a file of type", "not a valid image",
      ], "the server does not accept this type. Send it elsewhere, or correct its type."
    ),
    (
      [
        "expired", "invalid signature", "signature does not match", "signaturedoesnotmatch",
        "accesskey", "access key", "api key", "apikey", "api_key",
        "invalid token", "invalid_token", "invalidtoken", "unauthorized", "not authorized",
        "not authenticated", "csrf",
      ], "give the target credentials that the server accepts."
    ),
    (
      [
        "required", "missing", "not present", "no file", "can't be blank", "may not be null",
        "unknown field", "unexpected field", "not permitted", "parameter", "header",
      ], "check which fields and header fields the target sends."
    ),
  ]
}
