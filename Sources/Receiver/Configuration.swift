import MultipartForm

extension UploadReceiver {
  /// Where a receiver listens, where it stores files, and what it refuses.
  public struct Configuration: Sendable {
    /// The address to listen on: a host name or an IP address. By default only this machine can reach it.
    public var host = "127.0.0.1"
    /// The TCP port. 0 chooses a free one, which ``UploadReceiver/start()`` returns.
    public var port = 0
    /// The names by which clients reach the receiver, besides ``host``, the host of ``publicURL`` and `localhost`. A
    /// request with any other name in `Host` is refused with 421; one with an IP address is not.
    public var names: [String] = []
    /// The folder in which files are stored. It is created if it does not exist.
    public var directory: String
    /// If not nil, every request needs this token: `Authorization: Bearer TOKEN`, or, for browsers, Basic with any user
    /// name and the token as the password.
    public var token: String?
    /// The part of a file's URL before `/files/`, for example `https://files.example.org`. If nil, it is taken from the
    /// request's Host header.
    public var publicURL: String?

    /// How much forms may contain. `FormLimits.fileBytes` also limits a file that is sent without a form, and
    /// `FormLimits.bodyBytes` the body of any request. Fields and headers are kept in memory.
    public var limits = FormLimits(allFieldBytes: 1 << 20)
    /// The most files in one request to `/multiupload`.
    public var maxFiles = 10
    /// The most bytes of a request's head; a single header field may take half of that.
    public var maxHeadBytes = 64 << 10
    /// The most connections that are served at once. Up to four times as many wait until a served connection ends or
    /// has been idle for a second or two. If still more come, the address with the most waiting connections loses the
    /// one that has waited longest. In any case, connections use no more than a quarter of the process's limit on open
    /// files.
    public var maxConnections = 256
    /// The most connections from one address that are served at once. Only the first 64 bits of an IPv6 address count.
    /// A proxy counts as one client.
    public var maxConnectionsPerAddress = 64
    /// How many bytes of the disk to leave free. An upload that would use them is refused with 507.
    public var reservedBytes: Int64 = 0

    /// How long a client may take to send a complete request head, and how long an idle connection stays open.
    public var headTimeout: Duration = .seconds(30)
    /// How long a client may stall while it sends a body or reads a reply.
    public var stallTimeout: Duration = .seconds(60)
    /// The lowest average speed at which a client may send a body, in bytes per second. It is checked each time the
    /// receiver's waits for the client add up to ``stallTimeout``. 0 for no limit.
    public var minBytesPerSecond = 100
    /// How long the rest of a request is read and discarded after an early reply, so that the client sees that reply
    /// rather than a connection reset.
    public var lingerTimeout: Duration = .seconds(10)
    /// The most bytes to discard after an early reply.
    public var lingerBytes: Int64 = 1 << 30
    /// How long ``UploadReceiver/stop()`` waits for running uploads.
    public var stopTimeout: Duration = .seconds(10)

    /// How long an unfinished upload in several requests is kept if no more of it arrives.
    public var uploadLifetime: Duration = .seconds(24 * 3600)
    /// How long an unfinished upload is kept while it has no bytes. Keep this short, since anybody can create many
    /// empty uploads.
    public var emptyUploadLifetime: Duration = .seconds(600)
    /// The most unfinished uploads. A larger number can hardly be an accident.
    var maxUnfinishedUploads = 10_000
    /// Whether the receiver's own paths are served: `/`, `/upload`, `/multiupload`, `/uploads/…` and `/files/…`. If
    /// not, all paths belong to endpoints, and files can be stored and fetched only through them.
    public var servesUploads = true
    /// Whether clients may delete stored files with `DELETE /files/NAME`. Set a ``token`` as well if anyone other
    /// than the owners of the files can reach the receiver.
    public var allowsDeletion = false
    /// Whether `%22`, `%0D` and `%0A` in file names are decoded to `"`, CR and LF. Browsers, curl and hoist escape
    /// these three, but not `%` itself, so a name that really contains `%22` comes out changed.
    public var decodesEscapedNames = false
    /// Whether a file and its folder are flushed to the disk before the client is told that it is stored.
    public var syncsToDisk = false

    /// Whether a text can be one of ``names``: a host name or an address, without a port.
    public static func isName(_ text: String) -> Bool {
      let authority = Authority(text) ?? Authority("[\(text)]")
      return authority.map { $0.port == nil } == true && text.utf8.last != UInt8(ascii: ":")
    }

    /// The default configuration, with a folder in which files are stored.
    public init(directory: String) { self.directory = directory }
  }
}
