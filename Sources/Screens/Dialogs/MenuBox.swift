/// A menu to choose from.
struct MenuBox {
  let menu: Menu
  let size: Size

  /// How many choices are visible at once.
  static func lines(_ menu: Menu, in size: Size) -> Int {
    // A long list leaves the edges of the pane behind it.
    max(1, min(menu.choices.count, size.height - (menu.isFiltered ? 9 : 6)))
  }

  /// The line of the first visible choice, and the columns of the box.
  var place: (top: Int, columns: Range<Int>) {
    // A filter needs some room, however short the choices are.
    let least = menu.isFiltered ? 40 : 0
    let width = max(least, menu.title.count + 8, nameWidth + noteWidth + 8)
    let height = Self.lines(menu, in: size) + 2 + field
    let top = menu.place.map { min($0.row, size.height - 2 - height) } ?? (size.height - height) / 2
    return (max(1, top) + 1 + field, size.columns(of: width, from: menu.place?.column))
  }

  /// The number of lines for the filter.
  private var field: Int { menu.isFiltered ? 1 : 0 }
  private var nameWidth: Int { menu.choices.map(\.count).max() ?? 0 }
  private var noteWidth: Int { (menu.notes.map(\.count).max() ?? 0) + (menu.notes.isEmpty ? 0 : 2) }

  func paint(on canvas: inout Canvas) {
    let (top, columns) = place
    // As the filter leaves fewer choices, the lower edge moves up, and what is typed stays where it is.
    let visible = max(1, min(menu.shown.count, Self.lines(menu, in: size)))
    canvas.box(
      row: top - 1 - field, columns: columns, height: visible + 2 + field, title: menu.title,
      isDimming: !menu.showsColors)
    let inner = columns.dropFirst(2).dropLast(2)
    if menu.isFiltered {
      let label = "type to filter "
      canvas.put(label, row: top - 1, column: inner.lowerBound, style: Style(.dim))
      let start = inner.lowerBound + label.count
      canvas.field(menu.filter, row: top - 1, columns: start..<max(start + 1, inner.upperBound))
    }
    if menu.shown.isEmpty {
      canvas.put("nothing matches", row: top, columns: inner, style: Style(.warning))
    }
    if menu.shown.count > visible {
      let place = "\(menu.list.cursor + 1) of \(menu.shown.count)"
      canvas.putRight(" \(place) ", row: top + visible, columns: inner, style: Style(.dim))
    }
    let rows = menu.list.visible(of: menu.shown.count, height: visible)
    for (row, index) in zip(top..<top + visible, rows) {
      let (choice, isLit) = (menu.shown[index], index == menu.list.cursor)
      let matcher = menu.extra(choice) != nil ? nil : Matcher(menu.filter.text)
      canvas.choice(menu.choices[choice], row: row, columns: inner, isLit: isLit, lighting: matcher)
      let start = inner.lowerBound + 4 + nameWidth
      if start < inner.upperBound - 4 {
        // Matches are highlighted in the note only if the name does not match.
        let isNamed = matcher?.rank(menu.choices[choice], isLoose: true) != nil
        canvas.putEnd(
          menu.note(choice), row: row, columns: start..<inner.upperBound,
          style: Style(isLit ? .button : .dim), lighting: isNamed ? nil : matcher)
      }
    }
  }
}
