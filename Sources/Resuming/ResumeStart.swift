import Foundation
import MultipartForm
import UploadModel

/// The starting point of an attempt at an upload in several requests. Values that only some protocols need are computed
/// on demand.
package struct ResumeStart {
  let plan: SendPlan
  var target: Target { _read { yield plan.target } }
  /// The file as it is now.
  let identity: FileIdentity
  /// Where the attempt goes: to the target's address, or where a redirect has led.
  let url: URL
  /// Where an earlier attempt left off; nil if the upload starts from the beginning.
  let point: ResumePoint?
  /// What is known about the server; nil if the server has not been asked.
  let server: ResumeServer?
  /// The most bytes of the content that the server has ever had.
  let furthest: Int64
  /// The value of `{upload.id}` in a new upload.
  let id: String
  let now: Date
  /// The placeholder values for a request that is made at this time.
  let values: (Date) -> Template.Values
  /// Where the target's requests go with these values.
  let creation: (Template.Values) throws(Failure.Cause) -> URL
  /// Makes the body of the target's own request, in the same way as the earlier attempt made it.
  let body: () throws(Failure.Cause) -> Body

  /// A body: its size in bytes, and the form around the file; nil if the file goes without one.
  package typealias Body = (length: Int64, form: ResumePoint.Form?)

  package init(
    plan: SendPlan, identity: FileIdentity, url: URL, point: ResumePoint?, server: ResumeServer?,
    furthest: Int64, id: String, now: Date, values: @escaping (Date) -> Template.Values,
    creation: @escaping (Template.Values) throws(Failure.Cause) -> URL,
    body: @escaping () throws(Failure.Cause) -> Body
  ) {
    (self.plan, self.identity, self.url) = (plan, identity, url)
    (self.point, self.server, self.furthest) = (point, server, furthest)
    (self.id, self.now) = (id, now)
    (self.values, self.creation, self.body) = (values, creation, body)
  }
}
