import MultipartForm

/// The requests of an upload in pieces as they would be sent.
package struct PiecePreview: Hashable, Sendable {
  /// How many bytes each piece but the last has.
  package let size: Int64
  /// How many pieces there are.
  package let count: Int
  /// The most pieces that are sent at once.
  package let parallel: Int
  /// The request that begins the upload; nil if there is none.
  package let begin: ResumeRequest?
  /// The request before each piece; nil if there is none.
  package let ticket: ResumeRequest?
  package let piece: ResumeRequest
  /// The request that finishes the upload; nil if there is none.
  package let finish: ResumeRequest?

  /// The requests for a file. Values that only replies give are shown by their placeholders.
  ///
  /// - Parameter digests: the digests of the first piece.
  /// - Throws: why the requests cannot be sent.
  package init(
    _ rules: PieceRules, of target: Target, identity: FileIdentity, _ values: Template.Values,
    digests: ContentDigests?
  ) throws(Failure.Cause) {
    size = try rules.size(for: identity.size)
    count = PieceRules.count(of: size, for: identity.size)
    parallel = min(rules.parallel, count)
    var values = values
    values.gaps = .ofReplies
    values.upload.count = count
    var shown = rules.piece(from: 0, of: size, in: identity.size)
    shown.digests = digests
    values.piece = shown
    func request(_ call: PieceCall?) throws(Failure.Cause) -> ResumeRequest? {
      guard let call else { return nil }
      return try ResumeRequest(call, of: target, values)
    }
    begin = try request(rules.begin)
    ticket = try request(rules.ticket)
    finish = try request(rules.finish)
    let first = rules.call(for: shown)
    var piece = try ResumeRequest(first, of: target, values)
    piece.content = shown.range
    piece.described?.isForm = first.body == .multipart
    self.piece = piece
  }
}
