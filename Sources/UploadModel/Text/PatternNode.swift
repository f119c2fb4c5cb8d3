/// An expression as a tree.
indirect enum PatternNode: Sendable {
  enum Place: Sendable { case start, end, wordEdge, noWordEdge }

  case empty
  case set(PatternSet)
  case place(Place)
  case sequence([PatternNode])
  case choice([PatternNode])
  case group(Int, PatternNode)
  case repeated(PatternNode, least: Int, most: Int?, isLazy: Bool)
}
