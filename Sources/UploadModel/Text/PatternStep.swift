/// A step of an expression that has been compiled.
enum PatternStep: Sendable {
  case scalar(PatternSet)
  case split(Int, Int)
  case jump(Int)
  case save(Int)
  case check(PatternNode.Place)
  case match
}
