/// How the program ends, for scripts.
package enum ExitStatus: Int32 {
  case success = 0
  case someFailed = 1
  case usage = 2
  case interrupted = 130
}
