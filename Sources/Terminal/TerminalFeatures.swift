import ScalarText

/// What this terminal is known to support beyond its terminfo entry. Terminals should ignore unknown sequences,
/// but some show them as text or as notifications.
nonisolated struct TerminalFeatures: Equatable {
  /// The sequence for desktop notifications.
  enum Notification: Equatable {
    /// OSC 9, introduced by iTerm2.
    case osc9
    /// OSC 99, kitty's own.
    case osc99
    /// OSC 777, introduced by rxvt and adopted by VTE, foot and others; the rest ignore it.
    case osc777
  }

  /// Whether the terminal shows progress beside its title (OSC 9;4, introduced by ConEmu).
  var showsProgress = false
  var notification = Notification.osc777

  init(environment: [String: String]) {
    let program = environment["TERM_PROGRAM"] ?? ""
    let type = environment["TERM"] ?? ""
    if type.contains(scalars: "kitty") { notification = .osc99 }
    if ["iTerm.app", "WezTerm", "ghostty"].contains(program) { notification = .osc9 }
    // Inside tmux and screen, the outer terminal's variables are still set.
    guard environment["TMUX"] == nil, environment["STY"] == nil else {
      notification = .osc777
      return
    }
    let vte = environment["VTE_VERSION"].flatMap { Int($0) } ?? 0
    showsProgress =
      environment["WT_SESSION"] != nil || environment["ConEmuANSI"] == "ON"
      || program == "ghostty" || vte >= 7900
  }
}
