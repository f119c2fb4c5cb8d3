import Digests
import Foundation
import MultipartForm
import UploadModel

/// The bytes of a resumable upload: those of its file, or of the form around it. Every attempt sends the same bytes.
struct Representation {
  /// The plan of the target's own request.
  let plan: RequestPlan
  /// The whole body.
  let body: FormBody
  /// The data for making the same form again; nil if the file is sent without a form.
  let form: ResumePoint.Form?

  /// The number of bytes before the file's.
  var lead: Int64 { body.contentRanges.last?.lowerBound ?? 0 }

  /// Makes a new representation or, given the `form` of earlier attempts, the same one again.
  init(
    _ upload: UploadJob, on occasion: Occasion, of file: HeldFile, to url: URL,
    credentials: RequestHead.Credentials, form known: ResumePoint.Form?, now: Date
  ) throws(Failure.Cause) {
    let made = known?.made ?? now
    do throws(UploadRequest.Fault) {
      plan = try UploadRequest.plan(
        [upload], on: occasion, at: url == upload.target.url ? .target : .other(url),
        credentials: credentials, now: made)
    } catch { throw error.cause }
    do throws(BodyError) {
      guard case .form(let parts) = plan.content else {
        body = try FormBody(plan.content, boundary: .random(), of: [upload.item.id: file])
        form = nil
        return
      }
      let boundary = known.flatMap { try? Boundary($0.boundary) } ?? .random()
      body = try FormBody(plan.content, boundary: boundary, of: [upload.item.id: file])
      form = ResumePoint.Form(
        boundary: boundary.text, made: made, seal: Self.seal(parts),
        lead: body.contentRanges.last?.lowerBound ?? 0)
    } catch {
      throw Failure.Cause(error, wasSeen: upload.item.identity != nil)
    }
  }

  /// A hash of the parts. Secrets enter it by name only, so that no trace of their values is stored.
  private static func seal(_ parts: [RequestPlan.Part]) -> String {
    var hash = SHA256()
    for part in parts {
      let value =
        switch part.value {
        case .text(let text, type: _): "text \(text.shown)"
        case .file(let file): "file \(file.name)"
        }
      for text in [part.name, value, part.type ?? ""] {
        hash.update("\(text.utf8.count) \(text)".utf8)
      }
    }
    return hash.finalize().hexadecimal
  }
}
