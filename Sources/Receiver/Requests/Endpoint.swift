import NIOHTTP1

/// What the receiver speaks besides plain uploads, so that every kind of target can be tried on one
/// machine.
enum Endpoint: Hashable {
  /// A JSON part `request` and its photos, with a bearer token.
  case notes
  /// The catch log: forms with a file, and answers whose `rc` tells failure.
  case addCatch, listCatches, deleteCatch
  /// Records in JSON.
  case bookmarks
  case bookmark(id: String)
  /// Leave to upload, and where it is used (a POST policy of S3).
  case presign, bucket

  /// The endpoint at a path; nil where there is none.
  init?(path: String) {
    switch path {
    case "/notes": self = .notes
    case "/fishingserver/catches/add.htm": self = .addCatch
    case "/fishingserver/catches/catches.json": self = .listCatches
    case "/fishingserver/catches/delete.htm": self = .deleteCatch
    case "/bookmarks": self = .bookmarks
    case "/presign": self = .presign
    case "/bucket": self = .bucket
    default:
      guard let id = path.after("/bookmarks/")?.removingPercentEncoding else { return nil }
      self = .bookmark(id: id)
    }
  }

  /// What may be done there.
  var methods: [HTTPMethod] {
    switch self {
    case .notes, .addCatch, .deleteCatch, .presign, .bucket: [.POST]
    case .listCatches: [.GET, .HEAD]
    case .bookmarks: [.GET, .HEAD, .POST]
    case .bookmark: [.GET, .HEAD, .DELETE]
    }
  }
}
