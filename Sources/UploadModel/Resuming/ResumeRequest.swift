import Foundation

/// One of the requests that make up a resumable upload.
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

  mutating func add(_ name: String, _ value: String) {
    headers.append(RequestHead.Header(name: name, value: [.text(value)]))
  }

  init(
    _ method: String, _ url: URL, _ headers: [(String, String)] = [], content: Range<Int64>? = nil,
    checksum: ContentDigests.Algorithm? = nil
  ) {
    (self.method, self.url) = (method, url)
    (self.content, self.checksum) = (content, checksum)
    for (name, value) in headers { add(name, value) }
  }
}
