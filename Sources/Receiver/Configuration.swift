import MultipartForm

extension UploadReceiver {
  /// Where a receiver listens, where it stores files, and what it refuses.
  public struct Configuration: Sendable {
    /// The address to listen on, a name or a number. By default only this machine can reach it.
    public var host = "127.0.0.1"
    /// The TCP port. 0 takes a free one, which ``UploadReceiver/start()`` returns.
    public var port = 0
    /// The names by which clients reach it, in addition to ``host``, the host of ``publicURL`` and `localhost`. A
    /// request with another name in `Host` is refused with 421. One with an address is not.
    public var names: [String] = []
    /// The folder that files are stored in. It is made if it is missing.
    public var directory: String
    /// If not nil, every request needs it: `Authorization: Bearer TOKEN`, or Basic with the token as the
    /// password and any user name, which is what a browser can send.
    public var token: String?
    /// The part of a file's URL before `/files/`, for example `https://files.example.org`. If nil, the
    /// request's Host header gives it.
    public var publicURL: String?

    /// How much forms may hold. `FormLimits.fileBytes` is also the longest file that comes without a form, and
    /// `FormLimits.bodyBytes` the longest body of any request. What fields and headers take is kept in memory.
    public var limits = FormLimits(allFieldBytes: 1 << 20)
    /// The most files in one request to `/multiupload`.
    public var maxFiles = 10
    /// The most bytes of a request's head; a single header field may take half of it.
    public var maxHeadBytes = 64 << 10
    /// The most connections that are served at once. As many more wait until one ends or has been idle for some
    /// seconds. If still more come, those that have waited longest are closed. In any case, connections use no more
    /// than a quarter of the process's limit on open files.
    public var maxConnections = 256
    /// The most connections from one address that are served at once. Of an IPv6 address only the first 64 bits
    /// count. A proxy counts as one client.
    public var maxConnectionsPerAddress = 64
    /// Bytes of the disk to leave free. An upload that would use them is refused with 507.
    public var reservedBytes: Int64 = 0

    /// How long a client may take to send a complete request head, and how long an idle connection stays open.
    public var headTimeout: Duration = .seconds(30)
    /// How long a client may send nothing of a body, or read nothing of a reply.
    public var stallTimeout: Duration = .seconds(60)
    /// The lowest average speed at which a client may send a body, in bytes a second, over each
    /// ``stallTimeout`` that the receiver spends waiting for it. 0 for no limit.
    public var minBytesPerSecond = 100
    /// How long, after an early reply, the rest of the request is read and discarded, so that the client sees
    /// the reply, not a reset.
    public var lingerTimeout: Duration = .seconds(10)
    /// The most bytes to discard after an early reply.
    public var lingerBytes: Int64 = 1 << 30
    /// How long ``UploadReceiver/stop()`` waits for running uploads.
    public var stopTimeout: Duration = .seconds(10)

    /// How long an upload in several requests is kept if no more of it comes.
    public var uploadLifetime: Duration = .seconds(24 * 3600)
    /// The same for an upload of which nothing has arrived, since anybody can begin many of those.
    public var emptyUploadLifetime: Duration = .seconds(600)
    /// The most unfinished uploads; more are hardly an accident.
    var maxUnfinishedUploads = 10_000
    /// Whether the receiver's own paths are served: `/`, `/upload`, `/multiupload`, `/uploads/…` and `/files/…`. If not,
    /// all paths belong to endpoints, and nobody can store or fetch a file but through them.
    public var servesUploads = true
    /// Whether clients may delete stored files with `DELETE /files/NAME`. Set a ``token`` as well if anyone other
    /// than the owners of the files can reach the receiver.
    public var allowsDeletion = false
    /// Whether `%22`, `%0D` and `%0A` in file names are turned back into `"`, CR and LF. Browsers, curl and hoist
    /// escape these three, but not `%` itself, so a name that really has `%22` in it comes out changed.
    public var decodesEscapedNames = false
    /// Whether a file and its folder are flushed to the disk before the client is told that it is stored.
    public var syncsToDisk = false

    /// Whether a text can be one of ``names``: a host name or an address, without a port.
    public static func isName(_ text: String) -> Bool {
      let authority = Authority(text) ?? Authority("[\(text)]")
      return authority.map { $0.port == nil } == true && text.utf8.last != UInt8(ascii: ":")
    }

    /// The defaults, storing into a folder.
    public init(directory: String) { self.directory = directory }
  }
}
