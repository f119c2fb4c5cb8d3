import Foundation
import UploadModel
import UploadStore

/// A chart (SVG) of how fast files were sent in the period of a report, while anything was sent, with a cross where an
/// attempt failed.
struct SpeedChart {
  let report: UploadReport

  private static let (width, height) = (720, 150)
  private static let count = 120

  /// The figure; empty if the history does not know how fast anything was sent.
  var html: HTML {
    let parts = report.parts(Self.count)
    let speeds = parts.map(\.speed)
    guard let span = report.span, let top = speeds.max(), top > 0 else { return "" }
    let edge = edge(of: speeds, top: top)
    let whole = parts.reduce(into: UploadReport.Part()) { whole, part in
      whole.bytes += part.bytes
      whole.seconds += part.seconds
    }
    let isOneDay = span.lowerBound.localDay == span.upperBound.localDay
    let ends = [span.lowerBound, span.upperBound].map { isOneDay ? $0.localClock : $0.localMinute }
    let words =
      "Speed over time: at most \(HumanReadable.speed(top)), on average \(HumanReadable.speed(whole.speed)) while anything was sent"
    return """
      <figure>
      <svg viewBox="0 -16 \(Self.width) \(Self.height + 36)" role="img" aria-label="\(words)">
      <line class="axis" x1="0" x2="\(Self.width)" y1="0" y2="0"/>
      <line class="axis" x1="0" x2="\(Self.width)" y1="\(Self.height)" y2="\(Self.height)"/>
      <path class="area" d="M0 \(Self.height)L\(edge)\(Self.width) \(Self.height)Z"/>
      <path class="edge" d="M\(edge)"/>
      \(crosses(span))<text x="0" y="-5">\(HumanReadable.speed(top))</text>
      <text x="0" y="\(Self.height + 16)">\(ends[0])</text>
      <text x="\(Self.width)" y="\(Self.height + 16)" text-anchor="end">\(ends[1])</text>
      </svg>
      <figcaption class="dim">\(words). Each attempt is drawn with its mean speed, since the history stores no more; a \
      cross marks failed attempts.</figcaption>
      </figure>
      """
  }

  /// The points of the curve, from left to right, with a space at the end.
  private func edge(of speeds: [Double], top: Double) -> String {
    let step = Double(Self.width) / Double(speeds.count)
    return speeds.enumerated().map { part, speed in
      let y = Self.tenths(Double(Self.height) * (1 - speed / top))
      let (left, right) = (Double(part) * step, Double(part + 1) * step)
      return "\(Self.tenths(left)) \(y) \(Self.tenths(right)) \(y) "
    }.joined()
  }

  /// A cross for each part of the chart in which at least one attempt failed.
  private func crosses(_ span: Range<Date>) -> [HTML] {
    let length = max(1, span.upperBound.timeIntervalSince(span.lowerBound))
    let failed = report.files.flatMap { [$0.latest] + $0.earlier }.filter { $0.end == .failed }
    let places = Set(
      failed.map { Int($0.moment.timeIntervalSince(span.lowerBound) / length * Double(Self.count)) }
    )
    return places.sorted().map { part in
      let x = min(Self.width - 4, max(4, part * Self.width / Self.count))
      let (left, right) = (x - 4, x + 4)
      let (top, bottom) = (Self.height - 12, Self.height - 4)
      return
        "<path class=\"cross\" d=\"M\(left) \(top)L\(right) \(bottom)M\(left) \(bottom)L\(right) \(top)\"/>\n"
    }
  }

  private static func tenths(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
  }
}
