import ScalarText

/// Features that this terminal is known to have beyond its terminfo entry. Terminals should ignore unknown sequences,
/// but some show them as text or as notifications.
nonisolated struct TerminalFeatures {
  /// The sequence for desktop notifications.
  enum Notification {
    /// OSC 9, introduced by iTerm2.
    case osc9
    /// OSC 99, kitty's own.
    case osc99
    /// OSC 777, introduced by rxvt and adopted by VTE, foot and others; all other terminals ignore it.
    case osc777
  }

  /// Whether the terminal shows progress beside its title (OSC 9;4, introduced by ConEmu).
  var showsProgress = false
  var notification = Notification.osc777
  /// Whether text can be a link (OSC 8).
  var showsLinks = false

  init(environment: [String: String]) {
    // Inside tmux and screen, the outer terminal's variables are still set.
    guard environment["TMUX"] == nil, environment["STY"] == nil else {
      // tmux passes links on if the terminal around it supports them, and drops them if not.
      showsLinks = environment["STY"] == nil
      return
    }
    let program = environment["TERM_PROGRAM"] ?? ""
    let type = environment["TERM"] ?? ""
    if type.contains(scalars: "kitty") { notification = .osc99 }
    if ["iTerm.app", "WezTerm", "ghostty"].contains(program) { notification = .osc9 }
    let vte = environment["VTE_VERSION"].flatMap { Int($0) } ?? 0
    let konsole = environment["KONSOLE_VERSION"].flatMap { Int($0) } ?? 0
    showsLinks =
      vte >= 5000 || konsole >= 201_200 || environment["WT_SESSION"] != nil
      || Self.programsWithLinks.contains(program)
      || Self.typesWithLinks.contains { type.contains(scalars: $0) }
    showsProgress =
      environment["WT_SESSION"] != nil || environment["ConEmuANSI"] == "ON"
      || program == "ghostty" || vte >= 7900
  }

  private static let programsWithLinks = [
    "iTerm.app", "WezTerm", "ghostty", "vscode", "rio", "Hyper", "Tabby", "zed",
  ]
  /// Parts of the types of terminals that support links; over ssh, the type is all that is known.
  private static let typesWithLinks = [
    "kitty", "ghostty", "foot", "alacritty", "contour", "wezterm", "rio",
  ]

  /// The type to assume for a terminal without an entry in terminfo; nil if nothing is known about it.
  static func substitute(for type: String) -> String? {
    let isKnown =
      type.hasPrefix(scalars: "xterm") || typesWithLinks.contains { type.contains(scalars: $0) }
      || ["tmux", "screen", "st-", "konsole", "vte", "gnome", "iterm", "mintty"].contains {
        type.hasPrefix(scalars: $0)
      }
    return isKnown ? "xterm-256color" : nil
  }
}
