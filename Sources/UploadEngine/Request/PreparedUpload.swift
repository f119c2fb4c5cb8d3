import Foundation

/// What was prepared for one attempt at an upload.
struct PreparedUpload: Sendable {
  let attempt: Int
  /// The upload with the file and the fields that are sent.
  var upload: UploadJob
  /// Where it goes, if a ticket says so.
  var address: URL?
  /// Holds the prepared file; removed once the attempt is over.
  var folder: TemporaryFolder?
}
