import Foundation
import JSONText
import ScalarText

/// What a WebDAV server says about the resources in a folder (RFC 4918 §13).
package enum MultiStatus {
  /// The body of the request that asks for it.
  package static let request = """
    <?xml version="1.0" encoding="utf-8"?>
    <D:propfind xmlns:D="DAV:"><D:prop><D:resourcetype/><D:getcontentlength/><D:getlastmodified/></D:prop></D:propfind>
    """

  /// The files of a folder as a list of JSON objects, by their names: `id`, the name, and, if the server says so, `size`
  /// in bytes, and `time` in seconds since 1970. Folders are left out. Nil if the text is no answer of this kind.
  package static func files(in text: String, of folder: URL) -> JSONValue? {
    let page = Markup(bytes: text.rawBytes)
    guard page.has("multistatus") else { return nil }
    let own = path(of: folder)
    return .array(
      page.elements("response").compactMap { response in
        guard !response.has("collection"), let href = response.text(of: "href"),
          let url = URL(written: href.trimming(\.isWhiteSpace), relativeTo: folder)
        else { return nil }
        let path = path(of: url.absoluteURL)
        guard path.starts(with: own), path.count > own.count else { return nil }
        let name = String(
          rawBytes: Array(path[own.count...].joined(separator: [UInt8(ascii: "/")])))
        var entry: [String: JSONValue] = ["id": .string(name)]
        entry["size"] = response.text(of: "getcontentlength").flatMap { Int64($0) }.map {
          .integer($0)
        }
        entry["time"] = response.text(of: "getlastmodified").flatMap(seconds).map { .integer($0) }
        return .object(entry)
      })
  }

  /// The decoded names in the path of a URL.
  private static func path(of url: URL) -> [[UInt8]] {
    let text = Array(url.absoluteString.utf8).prefix { $0 != UInt8(ascii: "?") }
    return text.split(separator: UInt8(ascii: "/")).dropFirst(2).map { PercentEncoding.decode($0) }
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The time in seconds since 1970 that a date says: "Sun, 29 Nov 2026 15:05:59 GMT" (RFC 9110 §5.6.7). Foundation's
  /// reader would take seconds for a long list.
  static func seconds(_ text: String) -> Int64? {
    let words = text.split(scalar: " ")
    guard words.count == 6, let day = Int64(words[1]), let month = months.firstIndex(of: words[2]),
      let year = Int64(words[3]), (1...31).contains(day), (0...9999).contains(year)
    else { return nil }
    let clock = words[4].split(scalar: ":").map { Int64($0) }
    guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
      (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    let days = DateFormat.days(before: year, month: month + 1) + day - 1
    return ((days * 24 + hour) * 60 + minute) * 60 + second
  }
}
