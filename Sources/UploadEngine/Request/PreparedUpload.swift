import Foundation

/// What was prepared for one attempt at an upload.
struct PreparedUpload: Sendable {
  /// The number of the attempt.
  let attempt: Int
  /// The upload with the file and the fields that are sent.
  var upload: UploadJob
  /// Where it goes, if a ticket says so.
  var address: URL?
  /// Gone with the attempt, and the file in it.
  var folder: TemporaryFolder?
}
