import Foundation
import MultipartForm
import Testing

@testable import UploadModel

struct PieceCountTests {
  private func point(
    size: Int64 = 10, start: Int64, offset: Int64, done: PieceSet? = nil, hasTaken: Bool = true
  ) -> ResumePoint {
    var pieces = PieceProgress(id: "i", size: 4, seal: "")
    (pieces.done, pieces.hasTaken) = (done, hasTaken)
    var point = ResumePoint(
      url: URL(filePath: "/"), target: "t",
      identity: FileIdentity(device: 1, inode: 2, size: size, modified: 3), pieces: pieces)
    (point.start, point.offset) = (start, offset)
    return point
  }

  @Test("the count is that of the point, whatever the order of the pieces")
  func counts() {
    #expect(point(start: 0, offset: 8).pieceCount == PieceCount(count: 3, sent: 2))
    #expect(point(start: 4, offset: 10).pieceCount == PieceCount(count: 3, resumed: 1, sent: 2))
    // The server has taken half of a piece.
    #expect(point(start: 0, offset: 6).pieceCount == PieceCount(count: 3, sent: 1))
    // The last one, of two bytes, came first.
    var last = PieceSet()
    last.insert(2)
    #expect(point(start: 0, offset: 2, done: last).pieceCount == PieceCount(count: 3, sent: 1))
    last.insert(0)
    #expect(
      point(start: 2, offset: 6, done: last).pieceCount
        == PieceCount(count: 3, resumed: 1, sent: 1))
    #expect(
      point(size: 0, start: 0, offset: 0, hasTaken: false).pieceCount
        == PieceCount(count: 1, sent: 0))
    #expect(point(size: 0, start: 0, offset: 0).pieceCount == PieceCount(count: 1, sent: 1))
    var other = point(start: 0, offset: 0)
    other.pieces = nil
    #expect(other.pieceCount == nil)
  }

  @Test("in words")
  func words() {
    #expect(PieceCount(count: 1, sent: 1).words == "1 piece")
    #expect(PieceCount(count: 12, sent: 12).words == "12 pieces")
    #expect(
      PieceCount(count: 12, resumed: 9, sent: 3).words
        == "12 pieces, 3 of them sent by this attempt")
    #expect(PieceCount(count: 12, sent: 3).words == "3 of 12 pieces")
    #expect(
      PieceCount(count: 12, resumed: 9, sent: 2).words
        == "11 of 12 pieces, 2 of them sent by this attempt")
  }
}
