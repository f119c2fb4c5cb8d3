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
  /// What to say when the program is suspended; nil for nothing.
  package var wordsOnSuspension: () -> String? = { nil }

  /// Whether the locale says that the terminal shows UTF-8; if not, frames should be in ASCII.
  package let isUTF8: Bool
  /// The current size of the screen.
  package var size: Size { Size(width: Int(getmaxx(screen)), height: Int(getmaxy(screen))) }

  private let output = STDOUT_FILENO
  private let input: Int32
  /// The terminal's settings before it was taken over.
  private var before = termios()
  private let screen: curses_window
  private var palette: Palette
  private var drawer: Drawer
  /// Whether the terminal has a window or status line with a title.
  private let hasTitle: Bool
  private let features: TerminalFeatures
  private let usesMouse: Bool

  private var functionKeys: FunctionKeys
  private var decoder: KeyDecoder
  private var sources: [any DispatchSourceProtocol] = []
  /// Reads keys; suspended while the shell has the terminal.
  private var keySource: (any DispatchSourceProtocol)?
  /// What the terminal shows; `nil` if unknown.
  private var shown: Frame?
  private var isOpen = true
  /// Looks whether the process is the terminal's again, while the shell has the terminal and the process goes on: it
  /// then neither draws nor asks nor reads. Nil while the terminal is the process's.
  private var watch: (any DispatchSourceTimer)?
  /// Whether the terminal has saved the window's original title.
  private var keepsTitle = false
  /// The character that has begun to arrive.
  private var character = mbstate_t()
  /// Gives up a sequence whose rest does not arrive.
  private var patience: (any DispatchSourceTimer)?
  /// Whether answers of the terminal are still due, and whether it has ever answered.
  private var awaitsAnswer = false
  private var hasAnswered = false
  private var hasAsked = false
  /// Whether kitty's keyboard protocol is on, since the terminal has said that it supports it.
  private var hasKeyboard = false

  /// Takes the terminal over: alternate screen, raw keys, hidden cursor. Until `restore`, signals that would end or
  /// stop the program arrive as events. With `usesMouse`, clicks and the wheel are events, and the terminal selects
  /// text only with Shift held down.
  package init(usesMouse: Bool = true) throws(TerminalError) {
    let environment = ProcessInfo.processInfo.environment
    Self.setLocale(environment)
    isUTF8 = curses_is_utf8() != 0
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
    guard let keys = fdopen(input, "r"), let captured = CapturedOutput(output) else {
      signals_close()
      throw TerminalError(Self.reason)
    }
    guard let kind = Self.begin(type, captured.stream, keys, environment),
      let screen = curses_screen()
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
    palette = Palette(.usual, colors: kind.colors, background: .unknown)
    features = TerminalFeatures(environment: environment)
    drawer = Drawer(on: screen, captured, showsLinks: features.showsLinks)
    self.usesMouse = usesMouse
    hasTitle = kind.hasTitle
    // Lines may be slow. ncurses itself obeys the variable.
    if environment["ESCDELAY"].flatMap({ Int($0) }) == nil { set_escdelay(300) }
    let delay = Duration.milliseconds(get_escdelay())
    functionKeys = FunctionKeys(delay: delay) { Self.keyNumber(of: $0) }
    decoder = KeyDecoder(patience: delay)

    armRescue()
    raw()
    noecho()
    nonl()
    enter()
    // Where these are keys for ncurses, they are for `KeyDecoder` all the same: the mouse, and the window's focus.
    for report in ["\u{1B}[<", "\u{1B}[M", "\u{1B}[I", "\u{1B}[O"] { define_key(report, 0) }
    keySource = listen(on: input) { [unowned self] in readKeys() }
    listen(on: news) { [unowned self] in readSignals(from: news) }
  }

  /// Repaints everything with the next frame.
  package func redraw() {
    shown = nil
    // Also enters the alternate screen, if that has not been done since `newterm` or `endwin`.
    drawer.clear()
  }

  package func ring() {
    if isShown { beep() }
  }

  /// Puts text on the clipboard of the user's machine, if the terminal allows that.
  package func copy(_ text: String) {
    if isShown { send(ControlSequences.copy(text)) }
  }

  /// Shows a desktop notification. The text must not contain control characters.
  package func notify(_ text: String) {
    if isShown { send(ControlSequences.notification(text, features.notification)) }
  }

  /// What is known about a terminal, besides what ncurses is told.
  private struct Kind {
    var colors: Palette.Colors
    /// Whether it has a window or status line with a title.
    var hasTitle: Bool
  }

  /// Sets the locale that the environment asks for, or, if it asks for UTF-8 in one that is not installed, as ssh may pass
  /// on, a locale of no language.
  private static func setLocale(_ environment: [String: String]) {
    guard setlocale(LC_ALL, "") == nil else { return }
    let wanted = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
    guard let name = wanted?.lowercased(),
      ["utf-8", "utf8"].contains(where: name.contains(scalars:))
    else { return }
    setlocale(LC_CTYPE, "C.UTF-8")
  }

  /// Starts ncurses for a terminal of this type, or of a compatible one if terminfo does not know it; nil if nothing is
  /// known about it.
  private static func begin(
    _ type: String, _ output: UnsafeMutablePointer<FILE>, _ keys: UnsafeMutablePointer<FILE>,
    _ environment: [String: String]
  ) -> Kind? {
    let types = [type, TerminalFeatures.substitute(for: type)].compactMap { $0 }
    guard let type = types.first(where: { curses_describe($0, STDOUT_FILENO) == 0 }) else {
      return nil
    }
    var kind = Kind(
      colors: Palette.Colors(environment: environment),
      hasTitle: !ControlSequences.capability("tsl").isEmpty || ControlSequences.flag("XT"))
    var description = TerminalDescription()
    if kind.colors.isDirect { description.addDirectColors() }
    curses_forget_description()
    // Only ncurses is to read it, and not the programs that hoist starts.
    let before = environment["TERMINFO"]
    setenv("TERMINFO", "b64:" + Data(description.compiled(for: type)).base64EncodedString(), 1)
    defer { if let before { setenv("TERMINFO", before, 1) } else { unsetenv("TERMINFO") } }
    guard newterm(type, output, keys) != nil else { return nil }
    // A program with privileges may not describe terminals, and gets the terminal's own description.
    kind.colors.isDirect = ControlSequences.number("colors") > TerminalDescription.firstDirectColor
    if kind.colors.count > 0, start_color() != OK || use_default_colors() != OK {
      kind.colors = .none
    }
    return kind
  }

  private func armRescue() {
    let rescue = Array(
      ControlSequences.rescue(hasKeyboard: hasKeyboard, hasLinks: features.showsLinks).utf8CString)
    rescue_arm(output, &before, rescue, rescue.count - 1)
  }

  private func enter() {
    // Leaving the screen turns it off.
    keypad(screen, true)
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

  /// Asks the terminal something. All terminals answer the last question; after that answer, no others will come. One that
  /// has not answered the first time is not asked again.
  private func ask(_ questions: String) {
    guard hasAnswered || !hasAsked else { return }
    (awaitsAnswer, hasAsked) = (true, true)
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
    if !awaitsAnswer, hasAnswered { ask("") }
    if awaitsAnswer { dropAnswer() }
    awaitsAnswer = false
    functionKeys = FunctionKeys(delay: functionKeys.delay) { Self.keyNumber(of: $0) }
    decoder = KeyDecoder(patience: functionKeys.delay)
  }

  /// Waits for the last answer that is due, and drops all that arrives until then, since it would reach the shell as input:
  /// other answers, and what the mouse has done.
  private func dropAnswer() {
    defer { tcflush(input, TCIFLUSH) }
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
    if watch == nil {
      leave()
      endwin()
      if let words = wordsOnSuspension() { send("\(words)\n") }
      rescue_disarm()
    }
    signals_stop()
    goOn()
  }

  /// Restores the terminal's original state. May be called more than once; nothing is drawn afterwards.
  package func restore() {
    guard isOpen else { return }
    isOpen = false
    let isAside = endWatch()
    for source in sources { source.cancel() }
    sources = []
    patience?.cancel()
    if !isAside {
      leave()
      endwin()
      tcsetattr(input, TCSADRAIN, &before)
    }
    rescue_disarm()
    signals_close()
  }

  // MARK: Output

  /// Shows `frame`, sending only the cells that have changed.
  package func draw(_ frame: Frame) {
    guard isShown, frame != shown else { return }
    if frame.theme != palette.theme { repaint(frame.theme, palette.background) }
    var head = ControlSequences.beginUpdate
    if hasTitle, frame.title != shown?.title { head += ControlSequences.title(frame.title) }
    if features.showsProgress, frame.progress != shown?.progress {
      head += ControlSequences.progress(frame.progress)
    }
    let cells = drawer.draw(frame, over: shown, &palette)
    send(Array(head.utf8) + cells + ControlSequences.endUpdate.utf8)
    shown = frame
  }

  /// Makes the next frame repaint everything in other colours.
  private func repaint(_ theme: Theme, _ background: Theme.Background) {
    palette = palette.changed(to: theme, on: background)
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

  @discardableResult
  private func listen(
    on descriptor: Int32, _ handle: @escaping @MainActor () -> Void
  ) -> any DispatchSourceProtocol {
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    source.handleOnMain(handle)
    source.resume()
    sources.append(source)
    return source
  }

  /// The number that ncurses has for the key with these bytes; 0 if it has none, and negative if keys begin with them.
  private static func keyNumber(of bytes: [UInt8]) -> Int32 {
    // Pastes and reports begin with Escape, too, also where no key does.
    if bytes == [0x1B] { return -1 }
    guard !bytes.contains(0) else { return 0 }
    return key_defined(bytes.map { CChar(bitPattern: $0) } + [0])
  }

  private func readKeys() {
    guard isOpen else { return }
    // What has been dropped meanwhile cannot be read, and would be waited for.
    let count = min(Int(curses_waiting(input)), 4096)
    guard count > 0 else {
      if hasHungUp { onEvents([.hangUp]) }
      return
    }
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
      filled = max(0, read(input, bytes.baseAddress, count))
    }
    let now = ContinuousClock.now
    handle(decoder.decode(codes(of: functionKeys.take(bytes, at: now)), at: now))
  }

  private func codes(of pieces: [FunctionKeys.Piece]) -> [KeyDecoder.Code] {
    pieces.compactMap { piece in
      switch piece {
      case .byte(let byte): character(byte).map { .character($0) }
      case .key(let number): .function(number)
      }
    }
  }

  /// The character that this byte completes, in the locale's encoding.
  private func character(_ byte: UInt8) -> UInt32? {
    var (wide, byte): (wchar_t, CChar) = (0, CChar(bitPattern: byte))
    switch mbrtowc(&wide, &byte, 1, &character) {
    // What is no character is left out.
    case -1:
      character = mbstate_t()
      return nil
    // More belongs to it.
    case -2: return nil
    default: return UInt32(bitPattern: wide)
    }
  }

  private func handle(_ events: [AppEvent]) {
    awaitRest()
    for answer in decoder.takeAnswers() { take(answer) }
    if !events.isEmpty { onEvents(events) }
  }

  /// Sees to it that a sequence that has begun is given up in time.
  private func awaitRest() {
    patience?.cancel()
    patience = nil
    guard let deadline = [functionKeys.deadline, decoder.deadline].compactMap(\.self).min() else {
      return
    }
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + max(0, (deadline - .now) / .seconds(1)))
    timer.handleOnMain { [unowned self] in expire() }
    timer.resume()
    patience = timer
  }

  private func expire() {
    guard isOpen else { return }
    // The rest may have come in time, while the machine did something else.
    if curses_waiting(input) > 0 { return readKeys() }
    let now = ContinuousClock.now
    let given = decoder.expire(at: now)
    handle(given + decoder.decode(codes(of: functionKeys.expire(at: now)), at: now))
  }

  private func take(_ answer: KeyDecoder.Answer) {
    switch answer {
    case .end: (awaitsAnswer, hasAnswered) = (false, true)
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
      goOn()
    } else if numbers.contains(SIGWINCH), watch == nil {
      resize()
      onEvents([.resized(size)])
    }
  }

  /// Whether frames are shown: the terminal is open, and the shell does not have it.
  private var isShown: Bool { isOpen && watch == nil }

  /// Whether the process is in the foreground of the terminal. If the terminal does not control it, no shell does.
  private var isInForeground: Bool {
    let group = tcgetpgrp(input)
    return group < 0 || group == getpgrp()
  }

  /// Goes on after the process was stopped: takes the terminal back, unless the process was continued in the background
  /// (`bg`, `kill -CONT`). The terminal is then the shell's.
  private func goOn() {
    guard !isInForeground else {
      _ = endWatch()
      return reclaim()
    }
    guard watch == nil else { return }
    rescue_disarm()
    patience?.cancel()
    // A process that reads keys in the background is stopped.
    keySource?.suspend()
    // A shell that knows that the process runs gives it the terminal without a signal.
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + Self.watchInterval, repeating: Self.watchInterval)
    timer.handleOnMain { [unowned self] in
      if isInForeground { goOn() }
    }
    timer.resume()
    watch = timer
  }

  private static let watchInterval = 0.2

  /// Ends the wait for the terminal. Returns whether the shell had it.
  private func endWatch() -> Bool {
    guard let timer = watch.take() else { return false }
    timer.cancel()
    keySource?.resume()
    return true
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
    drawer.distrust()
  }

  private static var reason: String { String(cString: strerror(errno)) }
}

/// Why the screen cannot be opened. Uploads are possible without it.
package nonisolated struct TerminalError: Error, CustomStringConvertible {
  package let description: String

  init(_ why: String) { description = "cannot open the screen: \(why)" }
}

extension DispatchSourceProtocol {
  /// Has `body` handle the events of this source, whose queue is the main queue.
  fileprivate func handleOnMain(_ body: @escaping @MainActor () -> Void) {
    setEventHandler { MainActor.assumeIsolated(body) }
  }
}
