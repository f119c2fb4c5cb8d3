import UploadModel

/// What the keys do while a target is asked for.
extension AppState {
  /// The screen of a first start: nothing but the questions for a target.
  public static func setup(
    isASCII: Bool, size: Size, now: Instant, keymap: Keymap
  ) -> AppState {
    var state = AppState(
      target: "no target yet", url: "no target yet", isASCII: isASCII, size: size, now: now)
    state.options.keymap = keymap
    state.open(.setup(SetupForm(isFirst: true)))
    return state
  }

  mutating func perform(_ name: Action.Name, in form: SetupForm) -> [Effect] {
    var form = form
    switch name {
    case .close where form.isFirst: return [.quit(.idle)]
    case .close:
      dialog = nil
      return []
    case .next, .previous: form.moveFocus(by: name == .next ? 1 : -1)
    case .accept:
      guard !form.isTrying else { return [] }
      guard !form[.url].text.isEmpty else {
        form.focus = .url
        form.complaint = "it needs a URL; Esc leaves"
        dialog = .setup(form)
        return [.bell]
      }
      form.isTrying = true
      dialog = .setup(form)
      return [.setUp(form.answers, isGoodEnough: form.isGoodEnough)]
    default:
      edit(name)
      return []
    }
    dialog = .setup(form)
    return []
  }

  /// The answers cannot be taken as they are.
  mutating func refuseSetup(_ words: String, isGoodEnough: Bool) -> [Effect] {
    guard case .setup(var form) = dialog else { return [] }
    (form.isTrying, form.isGoodEnough) = (false, isGoodEnough)
    form.complaint = isGoodEnough ? "\(words); Enter writes it all the same" : words
    dialog = .setup(form)
    return [.bell]
  }
}
