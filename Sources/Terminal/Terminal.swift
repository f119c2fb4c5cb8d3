import CNcurses
import CTerminalRescue
import Dispatch
import Foundation
import Screens

/// The terminal: keys in, frames out. Only this module uses ncurses, which is not thread-safe.
///
/// Nothing is polled: keys and signals arrive through dispatch sources on the main queue, which must be running. Only
/// one terminal can exist at a time.
package final class Terminal {
  /// Called with keys, pastes, sizes and signals. Events that arrive together are passed in one call, so that one frame
  /// shows the result.
  package var onEvents: ([AppEvent]) -> Void = { _ in }

  /// Whether the locale says that the terminal shows UTF-8; if not, frames should be in ASCII.
  package let isUTF8: Bool
  /// The current size of the screen.
  package var size: Size { Size(width: Int(getmaxx(screen)), height: Int(getmaxy(screen))) }

  private let output = STDOUT_FILENO
  private let input: Int32
  /// The terminal's settings before it was taken over.
  private var before = termios()
  private let screen: UnsafeMutablePointer<WINDOW>
  private let keyboard: UnsafeMutablePointer<WINDOW>
  private var palette: Palette
  private var painter: Painter
  /// Whether the terminal has a window or status line with a title.
  private let hasTitle: Bool
  private let features: TerminalFeatures
  private let usesMouse: Bool

  private var decoder = KeyDecoder()
  private var sources: [any DispatchSourceProtocol] = []
  /// What the terminal shows; `nil` if unknown.
  private var shown: Frame?
  private var isOpen = true
  /// Whether the terminal has saved the window's original title.
  private var keepsTitle = false
  /// Whether answers of the terminal are still due.
  private var awaitsAnswer = false
  /// Whether kitty's keyboard protocol is on, since the terminal has said that it supports it.
  private var hasKeyboard = false

  /// Takes the terminal over: alternate screen, raw keys, hidden cursor. Until `restore`, signals that would end or
  /// stop the program arrive as events. With `usesMouse`, clicks and the wheel are events, and the terminal selects
  /// text only with Shift held down.
  package init(usesMouse: Bool = true) throws(TerminalError) {
    setlocale(LC_ALL, "")
    isUTF8 = curses_is_utf8() != 0
    let environment = ProcessInfo.processInfo.environment
    let type = environment["TERM"] ?? ""
    guard isatty(output) == 1 else { throw TerminalError("standard output is not a terminal") }
    input = isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : open("/dev/tty", O_RDONLY | O_CLOEXEC)
    guard input >= 0, tcgetattr(input, &before) == 0 else {
      throw TerminalError("there is no terminal to read keys from (\(Self.reason))")
    }

    // Must come before `newterm`, since ncurses installs its own handlers only for signals that have no handler yet.
    let signals = [SIGWINCH, SIGTSTP, SIGCONT, SIGTERM, SIGHUP, SIGINT]
    let news = signals_open(signals, signals.count)
    guard news >= 0 else { throw TerminalError("signals cannot be caught: \(Self.reason)") }
    guard let keys = fdopen(input, "r"), Self.begin(type, keys), let screen = curses_screen(),
      let keyboard = newpad(1, 1)
    else {
      signals_close()
      throw TerminalError(
        "nothing is known about a terminal of type \"\(type)\"; "
          + "set TERM to your terminal's type, for example xterm-256color")
    }
    guard !ControlSequences.capability("cup").isEmpty, type != "dumb" else {
      endwin()
      signals_close()
      throw TerminalError("a terminal of type \"\(type)\" cannot move its cursor")
    }
    self.screen = screen
    // Reading from a window refreshes it, so keys are read from a pad that is never shown.
    self.keyboard = keyboard
    let colors = Palette.Colors(environment: environment)
    palette = Palette(.usual, colors: colors, background: .unknown)
    features = TerminalFeatures(environment: environment)
    painter = Painter(showsLinks: features.showsLinks)
    self.usesMouse = usesMouse
    hasTitle = !ControlSequences.capability("tsl").isEmpty || ControlSequences.flag("XT")

    armRescue()
    raw()
    noecho()
    nonl()
    keypad(keyboard, true)
    nodelay(keyboard, true)
    set_escdelay(25)
    define_key("\u{1B}[200~", KeyDecoder.pasteStart)
    define_key("\u{1B}[201~", KeyDecoder.pasteEnd)
    define_key("\u{1B}[<", KeyDecoder.mouseStart)
    define_key("\u{1B}[?", KeyDecoder.reportStart)
    define_key("\u{1B}]11;", KeyDecoder.backgroundStart)
    define_key("\u{1B}[I", KeyDecoder.focusIn)
    define_key("\u{1B}[O", KeyDecoder.focusOut)
    curs_set(0)
    enter()
    listen(on: input) { [unowned self] in readKeys() }
    listen(on: news) { [unowned self] in readSignals(from: news) }
  }

  /// Repaints everything with the next frame.
  package func redraw() {
    shown = nil
    // Makes ncurses clear the screen, and first enter the alternate screen if it has not done so since `newterm` or
    // `endwin`. ncurses draws nothing else.
    clearok(screen, true)
    wrefresh(screen)
  }

  package func ring() {
    if isOpen { beep() }
  }

  /// Puts text on the clipboard of the user's machine, if the terminal allows that.
  package func copy(_ text: String) {
    if isOpen { send(ControlSequences.copy(text)) }
  }

  /// Shows a desktop notification. The text must not contain control characters.
  package func notify(_ text: String) {
    if isOpen { send(ControlSequences.notification(text, features.notification)) }
  }

  /// Starts ncurses for a terminal of this type, or of a compatible one if terminfo does not know it.
  private static func begin(_ type: String, _ keys: UnsafeMutablePointer<FILE>) -> Bool {
    if newterm(nil, curses_stdout(), keys) != nil { return true }
    guard let substitute = TerminalFeatures.substitute(for: type) else { return false }
    return newterm(substitute, curses_stdout(), keys) != nil
  }

  private func armRescue() {
    let rescue = Array(
      ControlSequences.rescue(hasKeyboard: hasKeyboard, hasLinks: features.showsLinks).utf8CString)
    rescue_arm(output, &before, rescue, rescue.count - 1)
  }

  private func enter() {
    send(
      ControlSequences.enter + ControlSequences.focusOn
        + (usesMouse ? ControlSequences.mouseOn : ""))
    // This is done only once, since the second time would save our own title.
    if !keepsTitle { send(ControlSequences.keepTitle) }
    keepsTitle = true
    redraw()
    // Terminals with few colours are old and have nothing to report.
    guard ControlSequences.number("colors") >= 256 else { return }
    // With fewer than 256 colours, the terminal's own are used, which suit its background.
    let hasBackground = palette.colors.count >= 256
    ask(
      (hasBackground ? ControlSequences.watchBackground + ControlSequences.askBackground : "")
        + ControlSequences.askKeyboard)
  }

  /// Asks the terminal something. All terminals answer the last question; after that answer, no others will come.
  private func ask(_ questions: String) {
    awaitsAnswer = true
    send(questions + ControlSequences.askLast)
  }

  private func leave() {
    let progress =
      features.showsProgress && shown?.progress != nil ? ControlSequences.progress(nil) : ""
    send(
      progress + (hasKeyboard ? ControlSequences.popKeyboard : "") + ControlSequences.focusOff
        + (usesMouse ? ControlSequences.mouseOff : "")
        + (palette.colors.count >= 256 ? ControlSequences.unwatchBackground : "")
        + ControlSequences.leave)
    (keepsTitle, hasKeyboard) = (false, false)
    if awaitsAnswer { dropAnswer() }
    awaitsAnswer = false
  }

  /// Waits for answers that are still due, and drops them, since they would later reach the shell as input.
  private func dropAnswer() {
    let end = ContinuousClock.now + .milliseconds(500)
    var (bytes, seen) = ([UInt8](repeating: 0, count: 256), [UInt8]())
    var descriptor = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    while case let left = (end - .now) / .milliseconds(1), left > 0,
      poll(&descriptor, 1, Int32(left.rounded(.up))) > 0
    {
      let count = read(input, &bytes, bytes.count)
      guard count > 0 else { return }
      seen += bytes.prefix(count)
      // The last answer is `ESC [ ? … c`, which every terminal sends.
      guard let start = seen.lastIndex(of: UInt8(ascii: "?")) else { continue }
      if seen[start...].contains(UInt8(ascii: "c")) { return }
    }
  }

  /// Gives the terminal back, stops the process, and takes the terminal over again when the process resumes.
  /// Uploads stop meanwhile, too.
  package func suspend() {
    guard isOpen else { return }
    leave()
    endwin()
    rescue_disarm()
    signals_stop()
    reclaim()
  }

  /// Restores the terminal's original state. May be called more than once; nothing is drawn afterwards.
  package func restore() {
    guard isOpen else { return }
    isOpen = false
    for source in sources { source.cancel() }
    sources = []
    leave()
    curs_set(1)
    endwin()
    tcsetattr(input, TCSADRAIN, &before)
    rescue_disarm()
    signals_close()
  }

  // MARK: Output

  /// Shows `frame`, sending only the cells that have changed.
  package func draw(_ frame: Frame) {
    guard isOpen, frame != shown else { return }
    if frame.theme != palette.theme { repaint(frame.theme, palette.background) }
    var head = ControlSequences.beginUpdate
    if hasTitle, frame.title != shown?.title { head += ControlSequences.title(frame.title) }
    if features.showsProgress, frame.progress != shown?.progress {
      head += ControlSequences.progress(frame.progress)
    }
    var bytes = Array(head.utf8)
    let old = shown?.size == frame.size ? shown : nil
    bytes += painter.paint(frame, over: old, within: size, &palette)
    if shown == nil || (frame.cursor == nil) != (shown?.cursor == nil) {
      bytes += ControlSequences.capability(frame.cursor == nil ? "civis" : "cnorm").utf8
    }
    send(bytes + ControlSequences.endUpdate.utf8)
    shown = frame
  }

  /// Makes the next frame repaint everything in other colours.
  private func repaint(_ theme: Theme, _ background: Theme.Background) {
    palette = Palette(theme, colors: palette.colors, background: background)
    shown = nil
  }

  private func send(_ text: String) { send(Array(text.utf8)) }

  private func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return
      }
    }
  }

  // MARK: Input

  private func listen(on descriptor: Int32, _ handle: @escaping @MainActor () -> Void) {
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    source.setEventHandler { MainActor.assumeIsolated(handle) }
    source.resume()
    sources.append(source)
  }

  private func readKeys() {
    guard isOpen else { return }
    var codes: [KeyDecoder.Code] = []
    var code: wint_t = 0
    reading: while true {
      switch wget_wch(keyboard, &code) {
      case OK: codes.append(.character(code))
      case KEY_CODE_YES: codes.append(.function(Int32(bitPattern: code)))
      default: break reading
      }
    }
    if codes.isEmpty, hasHungUp { return onEvents([.hangUp]) }
    let events = decoder.decode(codes)
    for answer in decoder.takeAnswers() { take(answer) }
    if !events.isEmpty { onEvents(events) }
  }

  private func take(_ answer: KeyDecoder.Answer) {
    switch answer {
    case .end: awaitsAnswer = false
    case .backgroundChanged: ask(ControlSequences.askBackground)
    case .keyboard:
      guard !hasKeyboard else { return }
      hasKeyboard = true
      armRescue()
      send(ControlSequences.pushKeyboard)
    case .background(let background):
      guard background != palette.background, let frame = shown else { return }
      repaint(palette.theme, background)
      draw(frame)
    }
  }

  /// Whether the terminal is gone. If so, its descriptor stays readable forever, so all sources are cancelled.
  private var hasHungUp: Bool {
    var descriptor = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    guard poll(&descriptor, 1, 0) > 0,
      Int32(descriptor.revents) & (POLLHUP | POLLERR | POLLNVAL) != 0
    else { return false }
    for source in sources { source.cancel() }
    sources = []
    return true
  }

  private func readSignals(from descriptor: Int32) {
    guard isOpen else { return }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return }
    let numbers = Set(bytes.prefix(count).map(Int32.init))
    if !numbers.isDisjoint(with: [SIGTERM, SIGINT]) { return onEvents([.terminate]) }
    if numbers.contains(SIGHUP) { return onEvents([.hangUp]) }
    if numbers.contains(SIGTSTP) {
      suspend()
    } else if numbers.contains(SIGCONT) {
      reclaim()
    } else if numbers.contains(SIGWINCH) {
      resize()
      onEvents([.resized(size)])
    }
  }

  /// Takes the terminal back. The shell may have changed everything meanwhile.
  private func reclaim() {
    armRescue()
    reset_prog_mode()
    resize()
    enter()
    onEvents([.resized(size), .resumed])
  }

  private func resize() {
    var (columns, rows): (Int32, Int32) = (0, 0)
    if curses_window_size(output, &columns, &rows) == 0, columns > 0, rows > 0 {
      resizeterm(rows, columns)
    }
    shown = nil
  }

  private static var reason: String { String(cString: strerror(errno)) }
}

/// Why the screen cannot be opened. Uploads are possible without it.
package nonisolated struct TerminalError: Error, CustomStringConvertible {
  package let description: String

  init(_ why: String) { description = "cannot open the screen: \(why)" }
}
