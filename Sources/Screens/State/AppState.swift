import ScalarText
import Scheduling
import UploadModel

/// The state of the screen, as told by the engine, the store and the user.
///
/// It changes only through `reduce`. It reads no clock: `now` is the latest time that came with an event.
package struct AppState: Sendable {
  /// The name of the target that files are added for.
  package internal(set) var target: String { didSet { known.chosenTarget = target } }
  /// The URL that uploads go to, without secrets.
  package internal(set) var url: String
  /// Whether the screen keeps to ASCII, for terminals without UTF-8.
  package var isASCII: Bool
  /// How many requests may be sent to the target at once, as it is configured.
  package internal(set) var configured: Concurrency
  /// What is known of the queue.
  var known: QueueState
  /// Whether this is a first start: there is no target and no queue yet.
  var isSetup = false
  /// The form for the first target, while it is closed.
  var closedSetup: Form?
  package internal(set) var size: Size
  /// The latest time that came with an event.
  package internal(set) var now: Instant
  /// What the session gives the screen to work with.
  package var options = Options()

  /// A message, shown for four seconds, or until the next key that does something.
  var message: String? { didSet { (messageBegan, news) = (nil, nil) } }
  /// The news that the message says; nil if it answers what the user did.
  private var news: Remark?
  /// News to show after the message.
  private var newsToCome: Remark?
  /// The time of the first tick since the message came; nil if there is no message, or no tick yet.
  private var messageBegan: Instant?
  /// How the queue ended, shown until the next key.
  var summary: EndSummary?
  /// Whether the window is known to have the focus.
  var hasFocus = false
  /// Whether rows are being marked with the mouse.
  var isDragging = false
  /// The action that a message has marked rows for; nil if the user has marked them.
  var marksAreFor: Action.Name?
  /// The items that were paused all together rather than one by one.
  var pausedTogether: Set<ItemID> = []
  /// How the queue was last sorted, and the version of the queue after that.
  var sorted: Sorted?
  var following = Following()
  /// What was being sent when it was last looked at; nil if nothing has been.
  var sentLast: SentLast?
  /// The view of the queue.
  var list = MarkedList<ItemID>()
  /// The search that `n` and `N` repeat.
  var sought = Matcher("")
  var edits = EditHistory()
  var names = NameQuestions()
  var pane = Pane.queue
  var server = PaneList<ServerEntry>()
  var history = PaneList<HistoryRow>()
  var targets = PaneList<TargetRow>()
  /// The results of trying targets, by their names.
  var trials: [String: Trial] = [:]
  var historyOrder = HistoryRow.Order.time
  /// What the history was asked for last.
  var historyRequest = HistoryRequest()
  /// How many files the history has, if they were counted; whether more match than are listed; and how many files the
  /// words of the filter find in all of it, if that was asked for.
  var historyExtent: (total: Int?, isCut: Bool, counts: [String: Int]?) = (nil, false, nil)
  var log = SessionLog()
  /// The dialogs over the panes, the uppermost last.
  private(set) var dialogs: [Dialog] = []
  /// The long texts about the selected file, laid out for the pane beside the list.
  let sideTexts = Memoized<ItemDetails.TextSource, ItemDetails.Texts>()
  /// Until when files of each target back off as asked, by its name.
  private let backOffs = Memoized<ItemList.Version, [String: Instant]>()
  /// The files for each target, by its name.
  let targetCounts = Memoized<ItemList.Version, [String: TargetCounts]>()
  /// Which copy of its file each file of the queue is.
  private let copyNumbers = Memoized<ItemList.CopiesVersion, [ItemID: Int]>()
  /// The file whose retry comes next.
  let nextRetryFound = Memoized<ItemList.Version, ItemID?>()
  /// The rows of the files that match a word on the command line.
  let offeredFiles = Memoized<OfferedFiles, [[ItemID]]>()
  /// The preview that was requested last, and the answer once it has come.
  var previewed: (request: FilePreview.Request?, preview: FilePreview?)
  /// The item whose attempts were requested last, as it was then.
  var attemptsRead: UploadItem?
  /// The folder from which files were chosen last.
  var lastFolder: [UInt8]?
  /// The lines that were entered on the command line, the latest last.
  var commands: [String] = []
  /// What must finish before the screen closes by itself; `nil` if it stays open.
  var finishing: Finishing?

  /// What must finish before leaving.
  enum Finishing: Sendable {
    /// Everything in the queue.
    case queue
    /// Only the items under way, because the queue was stopped.
    case underWay
  }

  /// How many files must finish before the screen closes by itself; `nil` if it stays open.
  var filesToFinish: Int? {
    finishing.map { $0 == .queue ? queue.totals.busy - heldBack : queue.totals.active }
  }

  /// The theme that was chosen on the screen; nil for the configured one.
  var chosenTheme: Theme?
  var theme: Theme { chosenTheme ?? options.theme }

  package struct Options: Sendable {
    package var targets: [TargetRow] = []
    /// The services that the form for a new target knows.
    package var services: [ServiceChoice] = []
    /// What waits for the first target, since the command line names it: "a.txt and 2 more"; empty if nothing does.
    package var waiting = ""
    /// Where secrets that are typed into a form are kept, for display.
    package var secretsPlace = ""
    package var keymap = Keymap.usual
    /// The theme that the configuration names.
    package var theme = Theme.usual
    /// Whether the target has a way to list the files on the server.
    package var listsServer = false
    /// What to do when nothing is left to send.
    package var endSignal = EndSignal.none
    /// Whether to run the user's command when nothing is left to send.
    package var hasEndCommand = false
    /// The local time at instant 0, in seconds since midnight.
    package var midnight = 0.0
    /// Instant 0 in seconds since 1970.
    package var epoch = 0.0
    /// Whether there is a target to choose, or a configuration to add one to.
    var hasTargets: Bool { configuration != nil || !targets.isEmpty }
    /// Whether anything was sent before this session.
    package var hasHistory = false
    /// The user's home folder, which `~/` stands for; nil if it is not known.
    package var home: String?
    /// The folder that relative paths start from, for display.
    package var folder = ""
    /// Where the configuration is, for display; nil if there is no configuration to choose targets from.
    package var configuration: String?
    /// Whether another process can continue with the queue when the screen is left.
    package var background = Background.unavailable

    package init() {}
  }

  package enum Background: Sendable {
    case unavailable
    /// The user may choose this.
    case offered
    /// This is the first button, and the default when the terminal is closed.
    case preferred
  }

  /// How the user is told that nothing is left to send.
  package enum EndSignal: String, Sendable, CaseIterable {
    case none
    case bell
    /// With a desktop notification, if the terminal supports it.
    case notify
    /// With a desktop notification by a separate program.
    case desktop
  }

  /// An empty queue for the target called `target` at `url`.
  package init(
    target: String, url: String, concurrency: Concurrency = 4, isASCII: Bool = false,
    size: Size = Size(width: 80, height: 24), now: Instant = Instant(seconds: 0),
    isReading: Bool = false, notice: String? = nil
  ) {
    self.target = target
    self.url = url
    known = QueueState(isReading: isReading, notice: notice)
    known.urls = [target: url]
    known.chosenTarget = target
    configured = concurrency
    self.isASCII = isASCII
    self.size = size
    self.now = now
  }

  /// Whether something on the screen changes with time alone: falling speeds, running seconds.
  package var needsTicks: Bool {
    queue.totals.active + queue.totals.retrying > 0 || message != nil || newsToCome != nil
      || isBetweenFiles
      || settings.isStarted && (nextProbe != nil || nextWait != nil)
  }

  /// How long a message is shown, in seconds.
  static let messageTime = 4.0

  /// Time has passed.
  mutating func tick(at instant: Instant) {
    now = max(now, instant)
    goOnFollowing()
    if message == nil, let news = newsToCome { announce(news) }
    guard message != nil else { return }
    guard let began = messageBegan else {
      messageBegan = now
      return
    }
    if now - began >= Self.messageTime { message = nil }
    if message == nil, let news = newsToCome { announce(news) }
  }

  /// Shows news; first of all, an answer to what the user did has its time.
  mutating func announce(_ remark: Remark) {
    guard message == nil || news != nil else {
      newsToCome = remark
      return
    }
    (message, newsToCome) = (words(of: remark), nil)
    news = remark
  }

  /// Ends the message, and forgets the news behind it, once they are no longer so.
  mutating func takeBackMessage() {
    if let news, !known.holds(news) { message = nil }
    if let news = newsToCome, !known.holds(news) { newsToCome = nil }
    if queue.count > 0, message?.hasSuffix(scalars: Self.nothingQueued) == true { message = nil }
  }

  /// The message in lines for a screen of this width, above the keys.
  func messageLines(in width: Int) -> [ArraySlice<Glyph>] {
    guard let message else { return [] }
    return TextFitting.wrapped(
      Glyphs.of(message, ascii: isASCII), to: max(2, width - 2), lines: max(3, size.height / 5),
      ascii: isASCII)
  }

  /// The uppermost dialog, which has the keyboard focus. Setting it replaces that dialog, or closes it if it is `nil`.
  var dialog: Dialog? {
    get { dialogs.last }
    set {
      _ = dialogs.popLast()
      if let newValue { dialogs.append(newValue) }
    }
  }

  /// Opens a dialog over those that are open.
  mutating func open(_ dialog: Dialog) {
    // The same dialog cannot be open twice.
    dialogs.removeAll { $0.mode == dialog.mode }
    dialogs.append(dialog)
  }

  /// Changes all open dialogs, including those under another. If `change` returns `nil`, the dialog is closed.
  mutating func changeDialogs(_ change: (Dialog) -> Dialog?) {
    dialogs = dialogs.compactMap(change)
  }

  /// What has the keyboard focus.
  package var mode: Mode { dialog?.mode ?? pane.mode }

  package var selected: UploadItem? { row(list.cursor)?.item }

  package func item(_ id: ItemID) -> UploadItem? { queue.item(id) }

  package var items: some Collection<UploadItem> { queue.items }

  var order: [ItemID] { queue.order }

  typealias Outage = QueueState.Outage

  /// The unreachable server that is tried next; `nil` if all can be reached, or there is nothing to send.
  var nextProbe: (server: String, outage: Outage)? {
    guard queue.totals.busy > 0 else { return nil }
    return outages.min { ($0.value.nextTry ?? now, $0.key) < ($1.value.nextTry ?? now, $1.key) }
      .map { ($0.key, $0.value) }
  }

  /// What the files of a server or a target wait for, and until when.
  struct Wait {
    /// The server's address, or the target's name.
    var place: String
    var reason: Reason
    var until: Instant
    /// The target that was asked to wait, if that is not the chosen one.
    var target: String?

    enum Reason {
      /// The server has asked for it.
      case asked
      /// The target's server takes no more requests before.
      case pace
    }
  }

  /// The first wait that ends; `nil` if none is under way, or there is nothing to send.
  var nextWait: Wait? {
    guard queue.totals.busy > 0 else { return nil }
    let targets = queue.targetNames.filter { name in
      queue.isBusy(name) && !waitsForCredentials(name.isEmpty ? target : name)
    }
    let asked = waits.compactMap { server, wait -> Wait? in
      let isNeeded = targets.contains { Self.lies(url(ofTarget: $0), on: server) }
      guard isNeeded, let next = wait.nextTry else { return nil }
      return Wait(
        place: server, reason: .asked, until: next, target: asker(of: wait, besides: target))
    }
    let paced = known.paces.filter { !waitsForCredentials($0.key) }
      .map { Wait(place: $0, reason: .pace, until: $1) }
    return (asked + paced).filter { now < $0.until }
      .min { ($0.until, $0.place) < ($1.until, $1.place) }
  }

  /// The host of a server's address, with its port.
  static func host(of server: String) -> String? {
    server.split(scalar: "/", omittingEmptySubsequences: true).last
  }

  /// Whether an address is one of this server, however it writes the host and the port.
  static func lies(_ url: String, on server: String) -> Bool {
    url == server || url.hasPrefix(scalars: server + "/")
      || Origin(text: url)?.description == server
  }

  /// How many requests may be sent to a target at once: what the user has chosen, or else what is configured.
  private func concurrency(of name: String) -> Concurrency {
    settings.lanes[name] ?? configuredConcurrency(of: name)
  }

  /// How many requests may be sent to a target at once, as it is configured.
  func configuredConcurrency(of name: String) -> Concurrency {
    if name == target { return configured }
    return options.targets.first { $0.name == name }?.concurrency ?? configured
  }

  /// Whether it is known how many requests may be sent to a target at once. For a target that an earlier session used
  /// with options, or that only the sending process has, it may be any number.
  private func knowsLanes(of name: String) -> Bool {
    isConfigured(name) || settings.lanes[name] != nil || lanesFound[name] != nil
  }

  private func isConfigured(_ name: String) -> Bool {
    name == target || options.targets.contains { $0.name == name }
  }

  /// How many requests may be sent to a target at once now.
  package func lanes(of name: String) -> LaneCount {
    if refusals[name] == .forbidden { return LaneCount(1, isFound: false) }
    if settings.lanes[name] == nil, let found = lanesFound[name], !isConfigured(name) {
      return LaneCount(found, isFound: true)
    }
    return switch concurrency(of: name) {
    case .fixed(let count): LaneCount(count, isFound: false)
    case .auto: LaneCount(lanesFound[name] ?? concurrency(of: name).first, isFound: true)
    }
  }

  /// The targets that files are being sent to, if hoist finds the number of their lanes or the user has set it.
  private var targetsOfLanes: Set<String> {
    targetsInUse.filter { concurrency(of: $0).isAuto || settings.lanes[$0] != nil }
  }

  /// The lanes of all these targets.
  var lanesInUse: LaneCount? {
    targetsOfLanes.map(lanes(of:))
      .reduce(nil) { sum, lanes in sum.map { $0 + lanes } ?? lanes }
  }

  /// Whether more requests are under way than there are lanes: if there are fewer lanes than before, the requests that
  /// have begun go on. False if files share requests, since files are all that is counted here.
  func exceeds(_ lanes: LaneCount) -> Bool { exceeds(lanes, of: targetsOfLanes) }

  func exceeds(_ lanes: LaneCount, of targets: Set<String>) -> Bool {
    guard !options.targets.contains(where: { $0.isBatched && targets.contains($0.name) })
    else { return false }
    return active(on: targets) > lanes.count
  }

  /// How many files are under way to these targets.
  func active(on targets: Set<String>) -> Int {
    targets.flatMap { $0 == target ? [$0, ""] : [$0] }.reduce(0) { $0 + queue.active(on: $1) }
  }

  /// Which copy of its file a file of the queue is, in the order of sending; 1 if there is no other for its target.
  func copyNumber(of item: UploadItem) -> Int {
    guard queue.copies(of: item) > 1 else { return 1 }
    return copyNumbers.value(for: queue.copiesVersion) { _ in queue.copyNumbers }[item.id] ?? 1
  }

  /// Why a waiting item is not being sent; nil if nothing holds it up.
  func obstacle(for item: UploadItem) -> StateLabel.WaitReason? {
    guard settings.isStarted else { return .stopped(key: keyLabel(.startStop)) }
    let trouble = refusals[targetName(of: item)]
    if let trouble, trouble.holdsAll { return .credentials(trouble) }
    if !outages.isEmpty, let outage = outage(at: url(ofTarget: item.target)) {
      return .noServer(outage)
    }
    let wait = waits.isEmpty ? nil : wait(at: url(ofTarget: item.target))
    // Where both hold, the later one decides.
    if let pace = pace(of: targetName(of: item)), wait?.nextTry.map({ $0 < pace }) ?? true {
      return .paced(until: pace)
    }
    if let wait { return .asked(wait) }
    if trouble == .forbidden { return .oneAtATime }
    let name = targetName(of: item)
    guard knowsLanes(of: name) else { return nil }
    let (lanes, active) = (lanes(of: name), active(on: [name]))
    guard active >= lanes.count else { return nil }
    return .lanesInUse(exceeds(lanes, of: [name]) ? active : lanes.count)
  }

  /// Whether no file goes to this target until its credentials are tried again.
  package func waitsForCredentials(_ target: String) -> Bool {
    refusals[target]?.holdsAll == true
  }

  /// How many files wait for credentials: nothing goes to their targets until a person acts.
  var heldBack: Int { settings.isStarted ? known.countHeldBack(target) : 0 }

  /// Whether a target has refused the credentials of files that are in the queue: they wait, or failed because of that.
  package func refusedCredentials(of target: String) -> Bool {
    waitsForCredentials(target)
      || queue.items.contains {
        $0.target == target && $0.state.isFailed && $0.state.failure?.isOfCredentials == true
      }
  }

  /// Whether files for a target are held back, or have failed, for a reason that may be over.
  package func holdsBack(_ target: String) -> Bool {
    let url = url(ofTarget: target)
    return refusedCredentials(of: target) || outage(at: url) != nil || wait(at: url) != nil
      || pace(of: target) != nil
  }

  func targetName(of item: UploadItem) -> String { item.target.isEmpty ? target : item.target }

  func outage(at url: String) -> Outage? {
    outages.first { Self.lies(url, on: $0.key) }?.value
  }

  /// The wait that a server has asked for, unless it is over.
  func wait(at url: String) -> Outage? {
    waits.first { Self.lies(url, on: $0.key) && isUnderWay($0.value) }?.value
  }

  /// The target that a server asked to wait, if that is known and is not `name`. Files without the name of a target go to
  /// the chosen one.
  func asker(of wait: Outage, besides name: String) -> String? {
    wait.target.map { $0.isEmpty ? target : $0 }.flatMap { $0 == name ? nil : $0 }
  }

  /// The targets of files that wait because their servers have asked for it, and until when.
  var askedToWait: (targets: [String], until: Instant)? {
    var ends: [String: Instant] = [:]
    func note(_ end: Instant, _ name: String) {
      let name = name.isEmpty ? target : name
      if end > now { ends[name] = max(ends[name] ?? end, end) }
    }
    for name in queue.targetNames where queue.idle(for: name) > 0 {
      if let end = wait(at: url(ofTarget: name))?.nextTry { note(end, name) }
    }
    for (name, end) in askedBackOffs { note(end, name) }
    return ends.values.max().map { (ends.keys.sorted(), $0) }
  }

  /// Until when a target's files back off because its server has asked for that; nil if none does.
  func askedBackOff(of name: String) -> Instant? {
    let names = name == target ? [name, ""] : [name]
    return names.compactMap { askedBackOffs[$0] }.max().flatMap { $0 > now ? $0 : nil }
  }

  /// Until when files back off because their servers have asked them for it, by their targets.
  private var askedBackOffs: [String: Instant] {
    guard queue.totals.retrying > 0 else { return [:] }
    return backOffs.value(for: queue.stateVersion) { _ in
      items.reduce(into: [:]) { ends, item in
        guard case .retrying(let failure, _, _, let next) = item.state, failure.retryAfter != nil
        else { return }
        ends[item.target] = max(ends[item.target] ?? next, next)
      }
    }
  }

  /// When the next file of a target can begin, if its server takes no more requests now.
  func pace(of target: String) -> Instant? {
    known.paces.isEmpty ? nil : known.paces[target].flatMap { now < $0 ? $0 : nil }
  }

  /// Whether something else than the user or the lanes hold files back.
  var isHeldUp: Bool {
    guard queue.totals.busy > 0 else { return false }
    return !outages.isEmpty || refusals.values.contains(where: \.holdsAll)
      || waits.values.contains(where: isUnderWay) || known.paces.values.contains { now < $0 }
  }

  private func isUnderWay(_ wait: Outage) -> Bool { wait.nextTry.map { $0 > now } == true }

  func url(ofTarget name: String) -> String {
    if name.isEmpty { return url }
    return urls[name] ?? options.targets.first { $0.name == name }?.url ?? name
  }

  var keymap: Keymap { options.keymap }

  var layout: Layout { layout(in: size) }

  func layout(in size: Size) -> Layout {
    Layout(
      size: size, hasNotice: shownNotice != nil, pane: pane, isEmpty: queue.count == 0,
      messageLines: dialog == nil ? messageLines(in: size.width).count : 0)
  }
}
