import Scheduling
import UploadModel

/// The first line: where files go, and the state. On a narrow screen the words are shortened, and the least
/// important ones left out; the target and the most important word are always shown.
struct Header {
  let state: AppState
  private var totals: Totals { state.queue.totals }

  /// The rank of what is left out first.
  private static let lastRank = 4

  /// A piece of the right half: its wordings, from the fullest to the shortest, and its rank. If there is no room for
  /// all pieces, those with the highest ranks are left out.
  private typealias Piece = (rank: Int, forms: [Canvas.Spans])

  func paint(on canvas: inout Canvas) {
    let width = canvas.size.width
    let (shown, url) = state.targetInUse
    let target = Glyphs.width(Glyphs.of(shown, ascii: canvas.ascii))
    let name = width < 60 ? 0 : Self.name.reduce(0) { $0 + $1.text.count }
    // Files that are added now may go to another target than those that are being sent.
    func words(_ start: String) -> Canvas.Spans {
      shown == state.target ? [] : [("  \(start): ", .dim), (state.target, .plain)]
    }
    func count(_ spans: Canvas.Spans) -> Int {
      spans.reduce(0) { $0 + Glyphs.width(Glyphs.of($1.text, ascii: canvas.ascii)) }
    }
    let reserved = width < 60 ? 0 : min(24, count(words("new")))
    let right = pieces(fitting: width - min(target, 16) - name - reserved - 3)
    let used = right.reduce(0) { $0 + $1.text.count }
    let room = width - used - 3
    let isNamed = name + min(target, 16) <= room && room > 16
    var left: Canvas.Spans = isNamed ? Self.name : []
    left.append((shown, .plain))
    let space = room - (isNamed ? name : 0)
    let other = [words("new files"), words("new")].first { target + count($0) <= space } ?? []
    let taken = target + count(other)
    // The address is added if more than a few letters of it fit, or all of it before something else. A target without a
    // name is its address already.
    let least = other.isEmpty ? 22 : Glyphs.width(Glyphs.of(url, ascii: canvas.ascii)) + 3
    if shown != url, taken + least < space { left += [(" → ", .rule), (url, .dim)] }
    left += other
    canvas.put(left, row: 0, column: 1, width: room)
    canvas.put(right, row: 0, column: width - used - 1)
  }

  private static let name: Canvas.Spans = [("hoist", .heading), (" · ", .rule)]

  /// The pieces that fit, by rank. One is shortened before another one is left out, unless that is of the last rank. Two
  /// spaces separate them.
  private func pieces(fitting width: Int) -> Canvas.Spans {
    var room = width + 2
    var chosen: [Int: Canvas.Spans] = [:]
    func taken(_ form: Canvas.Spans) -> Int { form.reduce(2) { $0 + $1.text.count } }
    func take(_ form: Canvas.Spans?, _ index: Int) {
      guard let form else { return }
      room -= taken(form) - (chosen[index].map(taken) ?? 0)
      chosen[index] = form
    }
    let byRank = pieces.enumerated().sorted { $0.element.rank < $1.element.rank }
    for (index, piece) in byRank where piece.rank < Self.lastRank {
      take(piece.forms.last { taken($0) <= room }, index)
    }
    for (index, piece) in byRank {
      let room = room + (chosen[index].map(taken) ?? 0)
      take(piece.forms.first { taken($0) <= room }, index)
    }
    return Canvas.Spans(
      chosen.sorted { $0.key < $1.key }.map(\.value).joined(separator: [("  ", .plain)]))
  }

  private var pieces: [Piece] {
    var pieces: [Piece] = []
    func add(_ rank: Int, _ forms: Canvas.Spans...) { pieces.append((rank, forms)) }
    if !state.settings.isStarted { add(1, [("stopped", .warning)]) }
    if let count = state.filesToFinish {
      add(
        1, [("quits after \(HumanReadable.grouped(count)) more", .warning)],
        [("quits when done", .warning)])
      add(Self.lastRank, [("\(state.keyLabel(.quit)) changes that", .dim)])
    }
    let sending = state.sending
    if let next = state.nextProbe {
      let other = name(of: next.server)
      let server = other.map { "cannot reach \($0)" } ?? "no server"
      let soon = next.outage.nextTry.map {
        HumanReadable.seconds(max(0, $0 - state.now).rounded(.up))
      }
      let brief = other.map { "\($0) is away" } ?? "no server"
      let tries: [Canvas.Spans] = [
        [("\(server) · \(next.outage.words(at: state.now))", .warning)],
        [("\(brief) · \(soon ?? "now")", .warning)],
      ]
      // A stopped queue does not try servers.
      let least = other == nil ? [] : [[("server away", .warning)]] as [Canvas.Spans]
      let forms = (state.settings.isStarted ? tries : []) + [[(brief, .warning)]] + least
      // While files are sent, that comes before another target's server.
      pieces.append((other != nil && sending > 0 ? 3 : 0, forms))
    }
    if totals.awaitsReplies {
      add(
        3, [(state.repliesAwaited, .accent)],
        [("\(HumanReadable.grouped(totals.awaiting)) replies", .accent)])
    } else if sending > 0 {
      let speed = "▲ \(state.speeds.totalSpeed(at: state.now).map(HumanReadable.speed) ?? "—")"
      add(
        3, [("\(HumanReadable.grouped(sending)) active  ", .plain), (speed, .accent)],
        [(speed, .accent)])
    } else if totals.busy > 0, state.settings.isStarted, state.nextProbe == nil {
      if let wait = state.nextWait {
        add(
          3, [(words(of: wait), .warning)],
          [("waiting · \(seconds(to: wait.until))", .warning)],
          [("wait \(seconds(to: wait.until))", .warning)])
      } else if let (name, trouble) = state.troubleOfAll {
        let place = name == state.target ? "" : "\(name): "
        add(
          3, [("\(place)\(trouble.words)", .warning)], [(trouble.words, .warning)],
          [("denied", .warning)])
      } else if let retry = state.nextRetry {
        let place = retry.target == state.target ? "" : "\(retry.target): "
        let next = AppState.Outage.words(until: retry.until, at: state.now)
        add(
          3, [("\(place)\(retry.cause) · \(next)", .warning)], [(next, .warning)],
          [("retry \(seconds(to: retry.until))", .warning)])
      } else {
        // Nothing is known to hold the files up.
        add(3, [("nothing is being sent", .plain)], [("idle", .plain)])
      }
    }
    if sending > 0, state.refusals[state.target] == .forbidden {
      add(1, [(CredentialTrouble.forbidden.words, .warning)], [("1 lane", .warning)])
    } else if let lanes = state.lanesInUse {
      let soon = state.exceeds(lanes) ? "soon " : ""
      let short = HumanReadable.count(lanes.count, "lane")
      add(Self.lastRank, [(soon + lanes.words, .dim)], [(soon + short, .dim)])
    }
    if let limit = state.settings.limit {
      add(2, [("limit \(HumanReadable.speed(Double(limit)))", .warning)])
    }
    return pieces
  }

  /// How long it takes until then, in words.
  private func seconds(to instant: Instant) -> String {
    HumanReadable.seconds(max(0, instant - state.now).rounded(.up))
  }

  /// What is waited for while nothing is under way, and until when.
  private func words(of wait: AppState.Wait) -> String {
    let next = AppState.Outage.words(until: wait.until, at: state.now)
    switch wait.reason {
    case .asked: return "\(server(of: wait)) asks to wait · \(next)"
    case .pace:
      let target = wait.place == state.target ? "" : " for \(wait.place)"
      return "too many requests\(target) · \(next)"
    }
  }

  /// The server that asks to wait: by its name, unless it asked the chosen target, which stands beside this.
  private func server(of wait: AppState.Wait) -> String {
    (wait.target == nil ? name(of: wait.place) : AppState.host(of: wait.place)) ?? "server"
  }

  /// The host of a server's address, unless it is the chosen target's: the files that wait may belong to another one.
  private func name(of server: String) -> String? {
    AppState.lies(state.url, on: server) ? nil : AppState.host(of: server)
  }
}

extension AppState {
  /// The next retry of a file: when it comes, why, and the file's target; nil if none is to come.
  fileprivate var nextRetry: (until: Instant, cause: String, target: String)? {
    guard queue.totals.retrying > 0 else { return nil }
    // Looking for it takes long in a long queue, and while only time passes it stays the same.
    let found = nextRetryFound.value(for: queue.stateVersion) { _ in
      queue.rows.lazy.compactMap { row -> (id: ItemID, until: Instant)? in
        guard case .retrying(_, _, _, let until) = row.item.state else { return nil }
        return (row.item.id, until)
      }.min { $0.until < $1.until }?.id
    }
    guard let item = found.flatMap(item), case .retrying(let failure, _, _, let until) = item.state
    else { return nil }
    return (until, failure.status.map(String.init) ?? failure.headline, targetName(of: item))
  }

  /// Why none of the files that are left can be sent, if all of them wait for credentials; with the chosen target if it
  /// is one of theirs, or else another of theirs.
  fileprivate var troubleOfAll: (target: String, trouble: CredentialTrouble)? {
    let names = queue.targetNames.filter(queue.isBusy).map { $0.isEmpty ? target : $0 }
    guard !names.isEmpty, names.allSatisfy(waitsForCredentials) else { return nil }
    let name = names.contains(target) ? target : names.min() ?? target
    return refusals[name].map { (name, $0) }
  }

  /// The target that files are being sent to, and its address; if that is not one other target, the target that files
  /// are added for.
  var targetInUse: (name: String, url: String) {
    let used = targetsInUse
    guard used.count == 1, let name = used.first, name != target else { return (target, url) }
    return (name, url(ofTarget: name))
  }

  /// "awaiting 2 replies".
  var repliesAwaited: String {
    let count = queue.totals.awaiting
    return "awaiting \(HumanReadable.grouped(count)) \(count == 1 ? "reply" : "replies")"
  }
}
