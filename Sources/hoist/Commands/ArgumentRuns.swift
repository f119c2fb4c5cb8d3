import ScalarText
import Synchronization

/// Long runs of files, numbers or identifiers on a command line, kept out of ArgumentParser's hands: it takes
/// a time that grows with the square of their number, a quarter of a minute for five thousand.
///
/// No option takes more than one value, and no command more than one word before those of which there may be
/// many: a command of its own, as in `queue retry`, or a target, as in `rm`. So of several words in a row that
/// are no options all but the first two are such, whatever stands before them. A long run of them is folded
/// into one, which stands for them at the same place. It begins with a NUL, as no argument of a program can.
/// Every command that takes any number of words unfolds them.
enum ArgumentRuns {
  private static let shortest = 64
  private static let runs = Mutex<[[String]]>([])

  /// The arguments with long runs folded.
  static func folded(_ arguments: [String]) -> [String] {
    guard arguments.count > shortest else { return arguments }
    var folded: [String] = []
    var run: [String] = []
    var toKeep = 2
    var rest = arguments[...]
    func close() {
      if run.count < shortest {
        folded += run
      } else {
        folded.append(
          runs.withLock { runs in
            runs.append(run)
            return "\0\(runs.count - 1)"
          })
      }
      run = []
    }
    while let word = rest.popFirst() {
      if word.hasPrefix(scalars: "-"), word != "-" {
        close()
        folded.append(word)
        toKeep = 2
        // Everything after it is a file.
        if word == "--" {
          run = Array(rest)
          break
        }
      } else if toKeep > 0 {
        folded.append(word)
        toKeep -= 1
      } else {
        run.append(word)
      }
    }
    close()
    return folded
  }

  /// The files with everything in it that was folded.
  static func unfolded(_ files: [String]) -> [String] {
    guard files.contains(where: { $0.hasPrefix(scalars: "\0") }) else { return files }
    let runs = runs.withLock { $0 }
    return files.flatMap { file -> [String] in
      guard file.hasPrefix(scalars: "\0"), let index = Int(file.dropFirst()),
        runs.indices.contains(index)
      else { return [file] }
      return runs[index]
    }
  }
}
