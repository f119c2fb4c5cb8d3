import Foundation

/// A request besides the target's own: one of those that make up a resumable upload, as its protocol defines it, or a
/// `Call` with its placeholders filled in. It says nothing of the target's header fields and credentials.
package struct ResumeRequest: Hashable, Sendable {
  package var method: String
  package var url: URL
  /// The header fields that the protocol or the configuration asks for, in order.
  package var headers: [RequestHead.Header] = []
  /// Which of the file's bytes the request carries; nil if it carries none.
  package var content: Range<Int64>?
  /// The number of the request among those under way. The end of the request has the same number.
  package var number = 0
  /// Whether this is the request that the target describes, with the target's method, header fields and form. `headers`
  /// are then added to it, and `content` counts the form's bytes.
  package var isTargetsOwn = false
  /// Whether the end of its content is held back until the machine has prepared for it (`handleHeldEnd`).
  package var holdsEnd = false
  /// Whether it is the last request of an upload in pieces, which the server joins before it answers.
  package var endsUpload = false
  /// Whether the request is about a folder. It then lacks the header fields that are about a file.
  package var isAboutFolder = false
  /// Whether an origin other than the target's own has chosen where the request goes. The request then carries no
  /// credentials, even if it goes back to the target's own origin.
  package var staysAway = false
  /// The kind of checksum to send along with the content. The sender of the request computes it.
  package var checksum: ContentDigests.Algorithm?
  /// The request as the target's configuration describes it, with its secrets marked; nil if a protocol defines it.
  package var described: Described?

  /// A request that a target's configuration describes.
  package struct Described: Hashable, Sendable {
    package var address: RequestHead.Text
    /// Whether a reply has named that address.
    package var isAddressFromReply = false
    /// The body, if it is a text.
    package var text: RequestHead.Text?
    /// The media type of the body; nil for the usual type.
    package var type: String?
    /// Whether the piece that it carries is in the target's form.
    package var isForm = false

    package init(
      address: RequestHead.Text, isAddressFromReply: Bool = false, text: RequestHead.Text? = nil,
      type: String? = nil
    ) {
      (self.address, self.isAddressFromReply) = (address, isAddressFromReply)
      (self.text, self.type) = (text, type)
    }
  }

  /// Whether the request may carry the target's credentials to its address.
  package func mayCarryCredentials(of target: Target) -> Bool {
    !staysAway && Origin(url) == target.origin
  }

  /// Adds the checksum of the content (tus 1.0.0, "Checksum"), given in hexadecimal digits.
  package mutating func addChecksum(_ algorithm: ContentDigests.Algorithm, _ digits: String) {
    add("Upload-Checksum", "\(algorithm.rawValue) \(Template.Filter.base64(digits: digits))")
  }

  package mutating func add(_ name: String, _ value: String) {
    headers.append(RequestHead.Header(name: name, value: [.text(value)]))
  }

  package init(
    _ method: String, _ url: URL, _ headers: [(String, String)] = [], content: Range<Int64>? = nil,
    checksum: ContentDigests.Algorithm? = nil
  ) {
    (self.method, self.url) = (method, url)
    (self.content, self.checksum) = (content, checksum)
    for (name, value) in headers { add(name, value) }
  }
}

extension ResumeRequest {
  /// A call with its placeholders filled in. Throws if they cannot be, or if it leads where the target's requests must
  /// not go.
  package init(
    _ call: Call, of target: Target, _ values: Template.Values
  ) throws(Failure.Cause) {
    for template in call.templates {
      if let obstacle = template.obstacle(with: values) { throw .unsendable(obstacle) }
    }
    // A header field is left out, but an address or a body would say -1.
    if values.piece.range.isEmpty, call.saysEnd {
      throw .unsendable("it is empty, so it has no last byte whose offset {piece.end} could be")
    }
    var fields: [RequestHead.Header] = []
    for field in call.headers {
      if let header = try field.header(with: values) { fields.append(header) }
    }
    let isFromReply = if case .reply = call.address { true } else { false }
    var whole = call.address.template
    var query = call.query
    if case .base = call.address {
      whole = (target.resume.pieces?.base(of: target) ?? Template(literal: "")) + whole
      if target.resume.pieces?.url == nil { query = target.query + query }
    }
    let address = whole.hidingQuery().address(with: values, query: query)
    // In a preview, an address from a reply is still a placeholder, not a URL.
    let isSent = values.gaps == .none
    let written = isSent ? address.written : target.url.absoluteString
    guard let url = URL(written: written, relativeTo: target.url)?.absoluteURL, Origin(url) != nil,
      !url.pathComponents.contains(where: { $0 == ".." || $0 == "." })
    else { throw .unsendable("the address is invalid once its placeholders are filled in") }
    let form = call.form.encoded(with: values)
    self.init(call.method, url)
    if isFromReply, isSent {
      guard url.user == nil, url.password == nil else { throw .unresumable(.badLocation) }
      if Origin(url).map(target.isDowngrade) == true { throw .unencrypted(at: url) }
      // Another server must not choose where the target's credentials go.
      staysAway = values.upload.isFromAway
    }
    headers = fields
    described = Described(
      address: address, isAddressFromReply: isFromReply,
      text: (call.json ?? call.text)?.stretches(with: values) ?? (form.isEmpty ? nil : form),
      type: call.contentType)
  }
}

extension ResumeRequest {
  /// The request that makes a folder; nil if its address is no URL.
  package init?(_ folder: FolderPath.Folder, by rule: FolderRule) {
    guard let url = URL(string: folder.address) else { return nil }
    self.init(rule.method, url)
    isAboutFolder = true
  }

  /// The requests that make the folders on the way to a file, if it lacks them, from the outermost on. They are only
  /// shown.
  package static func folders(of plan: SendPlan, _ values: Template.Values) -> [ResumeRequest] {
    guard let rule = plan.target.folders, let path = plan.folders(with: values) else { return [] }
    return path.folders[path.indices].compactMap { folder in
      var request = ResumeRequest(folder, by: rule)
      request?.described = Described(
        address: [.text(plan.secrets.hidden(in: folder.address))])
      return request
    }
  }
}
