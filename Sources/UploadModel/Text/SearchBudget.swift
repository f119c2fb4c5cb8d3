import CPCRE2

/// Limits the cost of one search, so that no text makes it take forever.
///
/// PCRE2's own match limit is not enough: it starts anew at each place where a match may begin, and ignores how far a
/// repetition such as `\w+` runs. On 64 KiB of text, `(a|b)*c` takes over a minute without reaching that limit. So
/// PCRE2 calls `spend` before each item of the expression (pcre2callout(3)), and `spend` counts the steps of the whole
/// search.
package struct SearchBudget {
  /// The most memory that a search may use for backtracking, in KiB.
  static let kibibytes: UInt32 = 64 * 1024

  /// How many steps a search may take by default: a few tenths of a second.
  package static let steps = 10_000_000

  /// How many steps are left.
  private var steps: Int
  private var place = 0
  /// Whether the expression has back references, which take time in proportion to the captured text.
  private let countsGroups: Bool

  init(steps: Int, countsGroups: Bool) {
    self.steps = steps
    self.countsGroups = countsGroups
  }

  /// Charges one step for an item, and another for every eight bytes that were read before it. Returns false if the
  /// budget is exceeded.
  private mutating func spend(_ block: pcre2_callout_block_8) -> Bool {
    var bytes = abs(block.current_position - place)
    place = block.current_position
    if countsGroups, let places = block.offset_vector {
      // Checking each group takes time too.
      bytes += Int(block.capture_top)
      for group in 1..<max(Int(block.capture_top), 1) {
        bytes += max(places[2 * group + 1] - places[2 * group], 0)
      }
    }
    steps -= 1 + bytes / 8
    return steps >= 0
  }

  /// Called by PCRE2, with a pointer to a budget; a negative number ends the search.
  static let spend:
    @convention(c) (UnsafeMutablePointer<pcre2_callout_block_8>?, UnsafeMutableRawPointer?) -> Int32 =
      { block, budget in
        guard let block, let budget = budget?.assumingMemoryBound(to: SearchBudget.self) else {
          return PCRE2_ERROR_CALLOUT
        }
        return budget.pointee.spend(block.pointee) ? 0 : PCRE2_ERROR_CALLOUT
      }
}
