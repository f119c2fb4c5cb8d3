extension Theme {
  /// All themes, the usual one first.
  package static let all: [Theme] = [
    usual, dark, light, nord, gruvbox, dracula, solarized, rosePine, contrast, plain,
  ]

  /// `dark` or `light`, whichever suits the terminal.
  package static let usual = Theme("default", dark: dark, light: light)

  /// Only attributes, without colours.
  package static let plain = Theme(
    "plain",
    [
      .bad: "bold", .heading: "bold", .dim: "dim", .rule: "dim", .barRest: "dim",
      .field: "underline", .button: "reverse", .selection: "reverse", .match: "bold underline",
    ])

  /// For any dark background.
  package static let dark = Theme(
    "dark",
    [
      .accent: "#5fd7e7", .good: "#7fd88f", .bad: "bold #ff6b6b", .warning: "#ffbf69",
      .heading: "bold #f2f4f8", .dim: "#8b93a1", .rule: "#4b5260", .barFull: "#4f9cff",
      .barEnd: "#5ce6b8", .barRest: "#4b5260", .field: "#f2f4f8 on #2a3140",
      .button: "bold #10141c on #5fd7e7", .selection: "#f2f4f8 on #2b3444", .marked: "on #352d45",
      .match: "bold underline #ffd75f", .media: "#d7a6ff", .archive: "#e8b86d",
    ])

  /// For any light background.
  package static let light = Theme(
    "light",
    [
      .accent: "#0a6c8f", .good: "#1c7a3a", .bad: "bold #b3202a", .warning: "#92560a",
      .heading: "bold #14181f", .dim: "#656d78", .rule: "#b3bac4", .barFull: "#1d63d8",
      .barEnd: "#0a9a7d", .barRest: "#c3c9d1", .field: "#14181f on #e6ebf2",
      .button: "bold #ffffff on #0a6c8f", .selection: "#14181f on #d8e4f2", .marked: "on #efe4f7",
      .match: "bold underline #a3480b", .media: "#8a3ab9", .archive: "#8a5a00",
    ])

  private static let nord = Theme(
    "nord",
    [
      .plain: "#d8dee9 on #2e3440", .accent: "#88c0d0", .good: "#a3be8c", .bad: "bold #d0707a",
      .warning: "#ebcb8b", .heading: "bold #eceff4", .dim: "#8f9bb0", .rule: "#4c566a",
      .barFull: "#81a1c1", .barEnd: "#8fbcbb", .barRest: "#4c566a", .field: "#eceff4 on #3b4252",
      .button: "bold #2e3440 on #88c0d0", .selection: "#eceff4 on #434c5e", .marked: "on #473f57",
      .match: "bold underline #ebcb8b", .media: "#c3a2bd", .archive: "#d9a184",
    ])

  private static let gruvbox = Theme(
    "gruvbox",
    [
      .plain: "#ebdbb2 on #282828", .accent: "#83a598", .good: "#b8bb26", .bad: "bold #fb4934",
      .warning: "#fabd2f", .heading: "bold #fbf1c7", .dim: "#a89984", .rule: "#504945",
      .barFull: "#fe8019", .barEnd: "#b8bb26", .barRest: "#504945", .field: "#fbf1c7 on #3c3836",
      .button: "bold #282828 on #fabd2f", .selection: "#fbf1c7 on #45403d", .marked: "on #4a3c45",
      .match: "bold underline #fabd2f", .media: "#d3869b", .archive: "#fe9f4b",
    ])

  private static let dracula = Theme(
    "dracula",
    [
      .plain: "#f8f8f2 on #282a36", .accent: "#8be9fd", .good: "#50fa7b", .bad: "bold #ff6e6e",
      .warning: "#ffb86c", .heading: "bold #ffffff", .dim: "#8d99c6", .rule: "#565a78",
      .barFull: "#bd93f9", .barEnd: "#ff79c6", .barRest: "#565a78", .field: "#f8f8f2 on #383a4a",
      .button: "bold #282a36 on #bd93f9", .selection: "#ffffff on #44475a", .marked: "on #3b3556",
      .match: "bold underline #f1fa8c", .media: "#ff92d0", .archive: "#f1fa8c",
    ])

  private static let solarized = Theme(
    "solarized",
    [
      .plain: "#586e75 on #fdf6e3", .accent: "#1f6fa8", .good: "#5f7300", .bad: "bold #c02a27",
      .warning: "#96650a", .heading: "bold #073642", .dim: "#7c8b8d", .rule: "#c9c5b1",
      .barFull: "#268bd2", .barEnd: "#2aa198", .barRest: "#d5d0bb", .field: "#073642 on #eee8d5",
      .button: "bold #fdf6e3 on #268bd2", .selection: "#073642 on #e6dfc8", .marked: "on #efe0e3",
      .match: "bold underline #a5480b", .media: "#b03a79", .archive: "#a55a16",
    ])

  private static let rosePine = Theme(
    "rose-pine",
    [
      .plain: "#e0def4 on #191724", .accent: "#9ccfd8", .good: "#8fc7a4", .bad: "bold #eb6f92",
      .warning: "#f6c177", .heading: "bold #f5f3ff", .dim: "#908caa", .rule: "#403d52",
      .barFull: "#c4a7e7", .barEnd: "#ebbcba", .barRest: "#403d52", .field: "#e0def4 on #26233a",
      .button: "bold #191724 on #ebbcba", .selection: "#f5f3ff on #312e47", .marked: "on #3a2a40",
      .match: "bold underline #f6c177", .media: "#c4a7e7", .archive: "#f0c08a",
    ])

  /// Strong contrasts, and states that people who cannot tell red from green can tell apart.
  private static let contrast = Theme(
    "contrast",
    [
      .plain: "#ffffff on #000000", .accent: "bold #56d8ff", .good: "#4cc9f0", .bad: "bold #ff9f1c",
      .warning: "#ffe66d", .heading: "bold #ffffff", .dim: "#c6c6c6", .rule: "#8a8a8a",
      .barFull: "#ffffff", .barEnd: "#4cc9f0", .barRest: "#707070", .field: "#ffffff on #303030",
      .button: "bold #000000 on #ffe66d", .selection: "#ffffff on #1f3f7a", .marked: "on #40206a",
      .match: "bold underline #ffe66d", .media: "#e0a9ff", .archive: "#ffc36b",
    ])
}
