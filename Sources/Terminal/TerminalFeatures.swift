import ScalarText

/// What this terminal is known to support beyond its description. Terminals should ignore unknown sequences,
/// but some show them as text or as notifications.
nonisolated struct TerminalFeatures: Equatable {
  /// The sequence for desktop notifications.
  enum Notification: Equatable {
    /// OSC 9, as iTerm2 began it.
    case osc9
    /// OSC 99 of kitty.
    case osc99
    /// OSC 777 of rxvt, which VTE, foot and others took over, and the rest ignore.
    case osc777
  }

  /// Whether it shows progress beside its title (OSC 9;4 of ConEmu).
  var showsProgress = false
  var notification = Notification.osc777

  init(environment: [String: String]) {
    let program = environment["TERM_PROGRAM"] ?? ""
    let type = environment["TERM"] ?? ""
    if type.contains(scalars: "kitty") { notification = .osc99 }
    if ["iTerm.app", "WezTerm", "ghostty"].contains(program) { notification = .osc9 }
    // Within tmux and screen, the variables of the outer terminal are still set.
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
