import Foundation
import ScalarText
import Screens
import UploadModel
import UploadStore

/// A report as an HTML page: one file that needs no scripts and no other files.
struct ReportPage {
  let report: UploadReport
  /// When the page is made.
  let now: Date

  /// A list with more files than this is collapsed.
  private static let mostListed = 20

  var html: HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <meta name="referrer" content="no-referrer">
    <meta name="viewport" content="width=device-width">
    <title>\(title)</title>
    <style>
    \(Self.style)
    </style>
    </head>
    <body>
    <header>
    <h1>\(title)</h1>
    <p class="dim">\(subtitle)</p>
    </header>
    \(report.files.isEmpty ? "" : content)
    <footer class="dim">
    <p>Made by hoist \(UserAgent.version) at \(now.local), from the history on this machine. Times are those of this \
    machine's clock (\(now.zone)). Secrets in addresses are left out, and such addresses are not links.</p>
    </footer>
    </body>
    </html>
    """
  }

  private var content: HTML {
    let reasons = report.reasons
    let failures: HTML =
      reasons.isEmpty
      ? ""
      : """
      <section>
      <h2>What did not arrive, and why</h2>
      \(reasons.map(section))
      </section>

      """
    return """
      \(summary)
      \(SpeedChart(report: report).html)
      \(failures)<section>
      <h2>Every file</h2>
      \(table)
      </section>
      """
  }

  private var title: String {
    guard let span = report.span else { return "Nothing was sent" }
    let (from, to) = (span.lowerBound, span.upperBound)
    let end = from.localDay == to.localDay ? to.clockMinute : to.localMinute
    return "Sent on \(from.localMinute)" + (from.localMinute == to.localMinute ? "" : " to \(end)")
  }

  private var subtitle: String {
    guard let span = report.span else { return "The history has no attempts in this period." }
    let targets = Set(report.files.map(\.latest.target))
    let names =
      targets.count <= 3
      ? SecretQuery.hidden(in: targets.sorted().joined(separator: ", "))
      : HumanReadable.count(targets.count, "target")
    let seconds = HumanReadable.seconds(span.upperBound.timeIntervalSince(span.lowerBound))
    return "\(HumanReadable.count(report.files.count, "file")) to \(names), in \(seconds)"
  }

  // MARK: The summary

  private var summary: HTML {
    let parts = report.counts
    let counts = parts.map { end, count -> HTML in
      """
      <li class="\(end.rawValue)"><b>\(count)</b> \(end.words)</li>

      """
    }
    let stretches = parts.map { end, count -> HTML in
      "<i class=\"\(end.rawValue)\" style=\"flex-grow:\(count)\"></i>"
    }
    return """
      <section>
      <ul class="counts">
      \(counts)<li><b>\(HumanReadable.bytes(report.bytes))</b> arrived</li>
      </ul>
      <p class="share" aria-hidden="true">\(stretches)</p>
      </section>
      """
  }

  // MARK: Failures

  private func section(_ group: FailureGroup<UploadReport.File>) -> HTML {
    let isLong = group.members.count > Self.mostListed
    let list: HTML = """
      <ul>
      \(group.members.map(item))</ul>
      """
    let count = HumanReadable.count(group.members.count, "file")
    let first = group.members.first?.latest
    return """
      <article class="\(first?.end == .unknown ? "unknown" : "failed")">
      <h3>\(SecretQuery.hidden(in: group.reason.words)) <span class="dim">\(count)</span></h3>
      <p>\(SecretQuery.hidden(in: first?.message ?? ""))</p>
      \(isLong ? "<details><summary>The files</summary>\n\(list)\n</details>" : list)
      </article>

      """
  }

  private func item(_ file: UploadReport.File) -> HTML {
    """
    <li>\(name(file.latest))</li>

    """
  }

  // MARK: The table

  private var table: HTML {
    var day = ""
    var rows: [HTML] = []
    for file in report.files {
      let next = file.latest.moment.localDay
      if next != day {
        day = next
        rows.append("<tr class=\"day\"><th colspan=\"6\" scope=\"rowgroup\">\(day)</th></tr>\n")
      }
      rows.append(row(file))
    }
    return """
      <div class="wide"><table>
      <thead><tr><th>When</th><th>File</th><th class="n">Size</th><th class="n">Took</th><th class="n">Speed</th>\
      <th>Outcome</th></tr></thead>
      <tbody>
      \(rows)</tbody>
      </table></div>
      """
  }

  private func row(_ file: UploadReport.File) -> HTML {
    let entry = file.latest
    let took = entry.ended.map { HumanReadable.seconds($0.timeIntervalSince(entry.began)) } ?? ""
    let speed = entry.meanSpeed.map { HumanReadable.speed($0) } ?? ""
    let earlier: HTML =
      file.earlier.isEmpty
      ? ""
      : """
      <details><summary>\(HumanReadable.count(file.earlier.count, "attempt")) before that</summary>
      <ul>\(file.earlier.map(attempt))</ul></details>
      """
    return """
      <tr class="\(entry.end.rawValue)"><td>\(entry.moment.localClock)</td><td>\(name(entry))</td>\
      <td class="n">\(HumanReadable.bytes(entry.size))</td><td class="n">\(took)</td><td class="n">\(speed)</td>\
      <td><span class="end">\(SecretQuery.hidden(in: entry.outcomeWords))</span>\(address(entry))\(earlier)</td></tr>

      """
  }

  private func attempt(_ entry: HistoryEntry) -> HTML {
    "<li>\(entry.moment.local) \(SecretQuery.hidden(in: entry.outcomeWords))\(address(entry))</li>"
  }

  private func name(_ entry: HistoryEntry) -> HTML {
    let path = entry.location.description
    return """
      <b>\(entry.name)</b> <span class="dim">→ \(SecretQuery.hidden(in: entry.target))<br>\(path)</span>
      """
  }

  /// Where the file can be found: a link only if it leads to a web server and no part of the address is hidden.
  private func address(_ entry: HistoryEntry) -> HTML {
    guard let url = entry.url else { return "" }
    let shown = SecretQuery.hidden(in: url)
    let isWhole = shown.hasSameScalars(as: url) && SafeText.line(url).hasSameScalars(as: url)
    guard isWhole, Origin(text: url) != nil else {
      return "<br><span class=\"dim\">\(shown)</span>"
    }
    return "<br><a href=\"\(url)\" rel=\"noreferrer\">\(url)</a>"
  }

  private static let style: HTML = """
    :root { color-scheme: light dark; --text: #1d2330; --dim: #667085; --line: #d9dde5; --page: #fff; --box: #f5f7fa;
      --sent: #1a7f4b; --failed: #c4262e; --unknown: #9a6700; --open: #667085; --speed: #2f6fde }
    @media (prefers-color-scheme: dark) {
      :root { --text: #e4e8f0; --dim: #97a1b3; --line: #323a48; --page: #12161d; --box: #1a202a;
        --sent: #4ac685; --failed: #ff7b7b; --unknown: #e3b341; --open: #97a1b3; --speed: #74a7ff }
    }
    body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); max-width: 68em;
      margin: 2.5em auto; padding: 0 1.2em }
    h1 { font-size: 1.7em; line-height: 1.2; margin: 0 } h2 { font-size: 1.15em; margin: 2.2em 0 .6em }
    h3 { font-size: 1em; margin: 0 } header p { margin: .3em 0 0 }
    .dim { color: var(--dim); font-weight: normal; font-size: .9em; overflow-wrap: anywhere }
    .n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
    .counts { list-style: none; display: flex; flex-wrap: wrap; gap: .4em 2em; padding: 0; margin: 1.6em 0 .6em }
    .counts b { font-size: 1.6em; font-variant-numeric: tabular-nums }
    .share { display: flex; gap: 2px; height: 8px; margin: 0; border-radius: 4px; overflow: hidden }
    .share i { min-width: 3px; background: var(--open) } i.sent { background: var(--sent) }
    i.failed { background: var(--failed) } i.unknown, i.doubtful { background: var(--unknown) }
    li.sent b, tr.sent .end { color: var(--sent) } li.failed b, tr.failed .end, .failed h3 { color: var(--failed) }
    li.unknown b, tr.unknown .end, .unknown h3, li.doubtful b, tr.doubtful .end { color: var(--unknown) } tr.open .end { color: var(--open) }
    figure { margin: 1.8em 0 0 } svg { display: block; width: 100%; height: auto; overflow: visible }
    svg text { font: 11px system-ui, sans-serif; fill: var(--dim) } .area { fill: var(--speed); opacity: .25 }
    .edge { fill: none; stroke: var(--speed); stroke-width: 1.5 } .axis { stroke: var(--line) }
    .cross { stroke: var(--failed); stroke-width: 2 } figcaption { margin-top: .4em }
    article { background: var(--box); border-left: 3px solid var(--failed); padding: .8em 1em; margin: .7em 0;
      border-radius: 0 6px 6px 0 }
    article.unknown { border-color: var(--unknown) } article p { margin: .3em 0 } article ul { margin: .4em 0;
      padding-left: 1.2em }
    q { color: var(--unknown); overflow-wrap: anywhere } .wide { overflow-x: auto }
    table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top;
      padding: .45em .7em .45em 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
    td:first-child { font-variant-numeric: tabular-nums; white-space: nowrap } thead th, .day th { color: var(--dim);
      font-weight: 600; font-size: .9em } .day th { padding-top: 1.2em }
    td:nth-child(2) { min-width: 14em } a { color: var(--speed) } summary { cursor: pointer; color: var(--dim) }
    footer { margin-top: 3em; border-top: 1px solid var(--line) }
    """
}
