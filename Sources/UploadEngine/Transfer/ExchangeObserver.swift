import HTTPTransport
import UploadModel

/// Is told what happens to a request before its end.
protocol ExchangeObserver: AnyObject {
  /// The request has begun after waiting for a lane.
  func exchangeBegan(_ exchange: Exchange, at instant: Instant, on engine: isolated UploadEngine)
  /// The request was prepared, but will not begin: its files go back in line.
  func exchangeWasTakenBack(_ exchange: Exchange, on engine: isolated UploadEngine)
  /// The other side has acknowledged more of the body.
  func exchangeProgressed(_ exchange: Exchange, on engine: isolated UploadEngine)
  /// An interim reply has come.
  func exchangeReceived(
    _ interim: ReplyHead, _ exchange: Exchange, on engine: isolated UploadEngine)
  /// Everything but the end of the body has been handed over, and the rest waits.
  func exchangeHoldsEnd(_ exchange: Exchange, on engine: isolated UploadEngine)
  /// The body has waited long enough for an offer.
  func exchangeWaitedForOffer(_ exchange: Exchange, on engine: isolated UploadEngine)
}

extension ExchangeObserver {
  func exchangeBegan(_ exchange: Exchange, at instant: Instant, on engine: isolated UploadEngine) {}
  func exchangeWasTakenBack(_ exchange: Exchange, on engine: isolated UploadEngine) {}
  func exchangeReceived(
    _ interim: ReplyHead, _ exchange: Exchange, on engine: isolated UploadEngine
  ) {
    exchange.task.releaseBody()
  }
  func exchangeHoldsEnd(_ exchange: Exchange, on engine: isolated UploadEngine) {
    exchange.task.releaseBody()
  }
  func exchangeWaitedForOffer(_ exchange: Exchange, on engine: isolated UploadEngine) {}
}
