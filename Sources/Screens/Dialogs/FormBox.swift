import ScalarText
import UploadModel

/// Text fields to fill in, under a few words about what they are for.
struct FormBox {
  let form: Form
  let state: AppState
  let size: Size

  func paint(on canvas: inout Canvas) {
    let columns = size.columns(of: form.mode == .form ? 84 : 76)
    let (left, width) = (columns.lowerBound, columns.count)
    // The longest label decides, but leaves more room for the values.
    let labels = min(width / 3, max(10, form.rows.map(\.label.count).max() ?? 0))
    func wrapped(_ text: String) -> [ArraySlice<Glyph>] {
      TextFitting.wrapped(Glyphs.of(text, ascii: canvas.ascii), to: width - 4)
    }
    let lines = wrapped(place ?? introduction)
    // The box keeps its size as the focus moves.
    let gap = introduction.isEmpty ? 0 : wrapped(introduction).count + 1
    // On a small screen, the fields matter more than the preview of the new names.
    let names = min(form.newNames.count, max(0, size.height - gap - form.rows.count - 6))
    // What is wrong is said in full, as far as there is room.
    let complaint = form.isTrying ? nil : form.complaint
    let room = max(1, size.height - gap - form.rows.count - (names > 0 ? names + 1 : 0) - 4)
    let words = TextFitting.wrapped(
      Glyphs.of(complaint ?? advice, ascii: canvas.ascii), to: width - 4,
      lines: complaint == nil ? 1 : min(3, room), ascii: canvas.ascii)
    let height =
      gap + form.rows.count + (names > 0 ? names + 1 : 0) + 2 + max(1, words.count)
    let top = max(1, (size.height - height) / 2 - 1)
    canvas.box(row: top, columns: columns, height: height, title: title)
    for (index, line) in lines.enumerated() {
      canvas.put(line, row: top + 1 + index, column: left + 2, style: Style(.dim))
    }
    for (index, row) in form.rows.enumerated() {
      let line = top + 1 + gap + index
      let hasFocus = index == form.focus
      canvas.putEnd(
        row.label, row: line, columns: left + 2..<left + 2 + labels,
        style: Style(hasFocus ? .accent : .dim), lighting: nil)
      let columns = left + labels + 4..<left + width - 2
      if hasFocus, row.field.isChoice || row.field.isSwitch {
        canvas.choice(row.text.text, row: line, columns: columns, isLit: true)
      } else if hasFocus {
        canvas.field(row.isHidden ? row.text.hidden : row.text, row: line, columns: columns)
      } else if row.isHidden {
        canvas.put(row.text.hidden.text, row: line, columns: columns, style: Style(.plain))
      } else if row.isMixed, row.text.text.isEmpty {
        canvas.putMiddle("(several)", row: line, columns: columns, style: Style(.dim))
      } else if form.mode == .form {
        canvas.putMiddle(row.text.text, row: line, columns: columns, style: Style(.plain))
      } else {
        // The host of a URL matters more than its end.
        canvas.put(row.text.text, row: line, columns: columns, style: Style(.plain))
      }
    }
    // The last line says how many names are not shown.
    let hidden = names == 0 || form.count == names ? 0 : form.count - names + 1
    let firstName = top + 2 + gap + form.rows.count
    for (index, name) in form.newNames.prefix(hidden > 0 ? names - 1 : names).enumerated() {
      paint(name, row: firstName + index, columns: left + 2..<left + width - 2, on: &canvas)
    }
    if hidden > 0 {
      canvas.put(
        "… and \(HumanReadable.grouped(hidden)) more", row: firstName + names - 1, column: left + 2,
        style: Style(.dim))
    }
    for (index, line) in words.enumerated() {
      canvas.put(
        line, row: top + height - 1 - words.count + index, column: left + 2,
        style: Style(complaint == nil ? .dim : .warning))
    }
  }

  /// Paints the current name of a file and its new one.
  private func paint(_ name: Form.NewName, row: Int, columns: Range<Int>, on canvas: inout Canvas) {
    let half = (columns.count - 3) / 2
    let role: Role = name.isTwice ? .warning : name.new == name.old ? .dim : .plain
    let arrow = columns.lowerBound + half
    canvas.putMiddle(name.old, row: row, columns: columns.lowerBound..<arrow, style: Style(.dim))
    canvas.put("→", row: row, column: arrow + 1, width: 1, style: Style(.rule))
    canvas.putMiddle(
      name.new.isEmpty ? "(no name)" : name.new, row: row, columns: arrow + 3..<columns.upperBound,
      style: Style(name.new.isEmpty ? .warning : role))
  }

  private var title: String {
    switch form.subject {
    case .target: "Where should files go?"
    case .edited(let row): "Edit the target \(row.name)"
    case .items(let ids):
      "Edit \(ids.count > 1 ? HumanReadable.count(ids.count, "file") : form.name)" + others
    }
  }

  /// Says how many of the chosen files are left out, and why.
  private var others: String {
    let (sent, active) = (form.alreadySent, form.beingSent)
    let count = sent + active
    guard count > 0 else { return "" }
    let state =
      active == 0 ? "sent already" : sent == 0 ? "being sent" : "sent already or being sent"
    return ", \(HumanReadable.grouped(count)) more \(count == 1 ? "is" : "are") \(state)"
  }

  private var introduction: String {
    guard case .target(let isFirst) = form.subject, size.height >= 20 else { return "" }
    if let service = form.service { return service.introduction }
    let demo = isFirst ? " If you do not have one, run hoist demo to see how it all works." : ""
    let services = form.rows.first?.field == .service
    return "A target is a URL that accepts files as a web form does. Enter one, and hoist tests it "
      + "and saves it." + (services ? " For Nextcloud, S3 and others, choose a service (↑)." : "")
      + demo
  }

  /// Where a secret goes that is typed into the row with the focus, or where it comes from; nil for other rows.
  private var place: String? {
    let (place, row) = (state.options.secretsPlace, form.rows[form.focus])
    guard row.isSecret, !place.isEmpty, !introduction.isEmpty else { return nil }
    return switch SecretAnswer(row.text.text) {
    case .variable: "It is read from this variable each time; the configuration has only its name."
    case .file: "It is read from this file each time; the configuration has only its path."
    case .value, nil:
      "What you type here goes into a file of its own in \(place), which only you can read."
    }
  }

  private var advice: String {
    if form.isTrying { return "testing the target…" }
    if form.isLookedUp { return "checking whether it is there already…" }
    if !form.candidates.isEmpty {
      let names = form.candidates.map { path in
        path.split(scalar: "/", omittingEmptySubsequences: true).last ?? path
      }
      return
        "\(HumanReadable.grouped(names.count)) start with this: \(names.joined(separator: ", "))"
    }
    return form.rows[form.focus].explanation
  }
}
