import Foundation

extension RequestHead {
  /// The beginning of one of the requests that a resumable upload consists of.
  ///
  /// - Throws: why such a request cannot be sent.
  public init(
    _ asked: ResumeRequest, of target: Target, credentials: Credentials, values: Template.Values
  ) throws(Failure.Cause) {
    self.init(method: asked.method, address: [.text(asked.url.absoluteString)], accept: "*/*")
    try add(credentials, of: target, values)
    for header in asked.headers { set(header.name, header.value) }
  }
}
