import UploadModel

/// Everything that the screen shows, as far as the engine and the person have said so.
///
/// It changes only through `reduce`. It knows no clock: `now` is the last moment it was told.
public struct AppState: Sendable {
  /// The name of the target.
  public var target: String
  /// Where uploads go, without secrets.
  public var url: String
  /// Whether the screen keeps to ASCII, for terminals without UTF-8.
  public var isASCII: Bool
  /// How many files are sent at once.
  public internal(set) var lanes: Int
  /// The most that is sent in all, in bytes a second; `nil` for no bound.
  public internal(set) var rateLimit: Int64?
  /// Whether further files begin.
  public internal(set) var isStarted = true
  /// The size of the screen.
  public internal(set) var size: Size
  /// The last moment that an event told.
  public internal(set) var now: Moment

  /// A line that stays, such as where received files lie.
  var notice: String?
  /// Something to tell, until the next key.
  var message: String?
  var queue = Queue()
  var speeds = Speeds()
  /// The row that the cursor is on; 0 in an empty queue.
  var cursor = 0
  /// The first row on the screen.
  var scroll = 0
  var marks: Set<ItemID> = []
  var dialog: Dialog?
  /// Whether to leave when nothing is left to send.
  var leavesWhenDone = false

  /// An empty queue for the target called `target` at `url`.
  public init(
    target: String, url: String, lanes: Int = 4, rateLimit: Int64? = nil, isASCII: Bool = false,
    size: Size = Size(width: 80, height: 24),
    now: Moment = Moment(seconds: 0), notice: String? = nil
  ) {
    self.target = target
    self.url = url
    self.lanes = lanes
    self.rateLimit = rateLimit
    self.isASCII = isASCII
    self.size = size
    self.now = now
    self.notice = notice
  }

  /// Whether something on the screen changes by time alone: speeds that fall, seconds that count.
  public var needsTicks: Bool { queue.totals.active + queue.totals.retrying > 0 }

  /// What has the keyboard.
  public var mode: Mode { dialog?.mode ?? .queue }

  /// The item that the cursor is on.
  public var selected: UploadItem? {
    queue.rows.indices.contains(cursor) ? queue.rows[cursor].item : nil
  }

  /// What an action applies to: the marked items in their order, else the one under the cursor.
  var targets: [UploadItem] {
    if marks.isEmpty { return selected.map { [$0] } ?? [] }
    return marks.compactMap { queue.position(of: $0) }.sorted().map { queue.rows[$0].item }
  }

  var layout: Layout { Layout(size: size, hasNotice: notice != nil) }

  /// Puts the cursor on a row that exists, and the window of rows where the cursor is.
  mutating func moveCursor(to row: Int) {
    cursor = min(max(0, row), max(0, queue.count - 1))
    scroll = layout.firstRow(scroll: scroll, cursor: cursor, count: queue.count)
  }
}
