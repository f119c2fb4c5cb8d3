import Foundation
import ScalarText

/// The page at `/`: a form to send files, and a list of those that have arrived.
enum IndexPage {
  /// The most files that are shown. All further files are only counted.
  private static let maxShown = 1_000

  static func html(_ entries: [Inbox.Entry], maxFiles: Int) -> String {
    let rows = entries.prefix(maxShown).map { entry in
      """
      <tr><td><a href="\(entry.url.markup())">\(entry.name.markup())</a></td>\
      <td class="n">\(entry.size)</td><td>\(entry.modified.formatted(.iso8601))</td></tr>
      """
    }
    let more = entries.count - rows.count
    return page(
      """
      <h1>Send files</h1>
      <form method="post" action="/multiupload" enctype="multipart/form-data">
      <p><input type="file" name="file" multiple required> <button>Send</button></p>
      <p>Up to \(maxFiles) files at a time. No file replaces another.</p>
      </form>
      <h1>Received files</h1>
      <table><thead><tr><th>Name</th><th class="n">Bytes</th><th>Received</th></tr></thead><tbody>
      \(rows.joined(separator: "\n"))
      </tbody></table>
      <p>\(entries.count) files\(more > 0 ? ", \(more) of them not shown" : "")</p>
      """)
  }

  /// The page that says why nothing was stored.
  static func refusal(_ refusal: Refusal) -> String {
    page(
      """
      <h1>Not stored</h1>
      <p>\(refusal.message.markup())</p>
      <p><a href="/">Back</a></p>
      """)
  }

  private static func page(_ content: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en"><head><meta charset="utf-8"><title>hoist receive</title>
    <meta name="viewport" content="width=device-width">
    <style>
    body { font: 16px system-ui, sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em }
    table { border-collapse: collapse; width: 100% }
    th, td { text-align: left; padding: .25em .5em; border-bottom: 1px solid #8884; overflow-wrap: anywhere }
    .n { text-align: right; font-variant-numeric: tabular-nums }
    :root { color-scheme: light dark }
    </style></head><body>
    \(content)
    </body></html>

    """
  }
}
