/// The tables of the queue.
enum Schema {
  /// What a file is to this version of hoist.
  enum Content {
    case queue
    /// There is nothing in the file yet.
    case empty
    /// Another version of hoist wrote the file, or another program.
    case foreign
  }

  /// "hois", which tells a queue from the databases of other programs (`PRAGMA application_id`).
  private static let application: Int64 = 0x686F_6973

  /// The version of these tables and of the values that they store as JSON (`PRAGMA user_version`).
  private static let version: Int64 = 6

  static func content(_ db: Database) throws -> Content {
    let found: [Int64?] = try [
      db.value("PRAGMA application_id"), db.value("PRAGMA user_version"),
      db.value("SELECT COUNT(*) FROM sqlite_master"),
    ]
    if found == [0, 0, 0] { return .empty }
    return found.prefix(2) == [application, version] ? .queue : .foreign
  }

  /// Makes the tables, unless another process has made them in the meantime.
  static func create(_ db: Database) throws {
    guard try content(db) == .empty else { return }
    try db.executeScript(
      "\(tables) PRAGMA application_id = \(application); PRAGMA user_version = \(version);")
  }

  /// The waits that servers have asked for: their addresses, when the waits are over, and the failures with which they
  /// were asked for, as JSON. Made with the first wait.
  static let serverWaits = """
    CREATE TABLE IF NOT EXISTS server_wait (
      address TEXT PRIMARY KEY,
      until REAL NOT NULL,
      failure TEXT NOT NULL
    ) STRICT, WITHOUT ROWID
    """

  // Times are in seconds since 1970. `modified` is in nanoseconds, as text, since 64 bits end in 2262.
  private static let tables = """
    -- `revision` counts changes: a reader that has seen revision n asks for newer rows. `stopped` says whether the user
    -- has stopped the queue, and `rate_limit` is the bandwidth limit that the user has set, in bytes per second; both
    -- outlast the session.
    CREATE TABLE queue (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      revision INTEGER NOT NULL,
      reordered INTEGER NOT NULL,
      stopped INTEGER NOT NULL CHECK (stopped IN (0, 1)),
      rate_limit INTEGER CHECK (rate_limit > 0)
    ) STRICT;
    INSERT INTO queue VALUES (1, 0, 0, 0, NULL);

    -- One row for each file that was ever queued. The rows of files that left the queue stay for the history.
    --
    -- The first columns are those of its record (`ItemRecord`). `position` has gaps, so that moving an item writes only
    -- one row.
    --
    -- As JSON: `failure` (`Failure`); where the upload can resume (`ResumePoint`); what is known about a file that
    -- its server has accepted but not finished processing (`Processing`), whose state is 'handed over'; and what is
    -- still to be done with the local file of a finished item (`Disposal`). `run` is the run in which the item was last
    -- sent.
    CREATE TABLE item (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      \(RecordColumns.definitions),
      position INTEGER NOT NULL UNIQUE,
      listed INTEGER NOT NULL CHECK (listed IN (0, 1)),
      revision INTEGER NOT NULL,
      device INTEGER, inode INTEGER, modified TEXT,
      size INTEGER NOT NULL CHECK (size >= 0),
      sum BLOB CHECK (sum IS NULL OR length(sum) = 32),
      state TEXT NOT NULL CHECK (
        state IN ('waiting', 'paused', 'sending', 'handed over', 'done', 'failed')),
      failure TEXT,
      resume_point TEXT,
      processing TEXT,
      disposal TEXT,
      run TEXT,
      added REAL NOT NULL,
      CHECK ((device IS NULL) = (inode IS NULL) AND (inode IS NULL) = (modified IS NULL)),
      CHECK ((state = 'failed') = (failure IS NOT NULL))
    ) STRICT;
    CREATE INDEX item_listed ON item (position) WHERE listed;
    CREATE INDEX item_revision ON item (revision);
    -- Finds finished items at startup without reading the whole queue.
    CREATE INDEX item_listed_done ON item (id) WHERE listed AND state = 'done';
    -- Finds earlier uploads from a path.
    CREATE INDEX item_done ON item (path_key) WHERE state = 'done';
    CREATE INDEX item_sum ON item (sum, target) WHERE state = 'done' AND sum IS NOT NULL;
    CREATE INDEX item_disposal ON item (id) WHERE disposal IS NOT NULL;

    -- `start` is the offset at which the attempt began. The columns `sent_…` say what the server was told, which the
    -- target can derive from the item; `sent_size` is not the size of the file if the target's command changed the
    -- content, or if the file has changed since. `verified` is the algorithm of a server's checksum that matches the
    -- file's, such as "sha-256". `pieces` says how far the attempt has come with a file that is sent in pieces, as JSON
    -- (`PieceCount`). `arrival` is what is known about a file that failed, on the server; NULL if it did not arrive.
    -- `deletion_url` is the page that deletes the file on the server, if the reply named one. `doubtful` is what the reply
    -- says if it seems to say no although the file counts as sent. `grown` is how many bytes the file had gained since it
    -- was opened to be sent.
    CREATE TABLE attempt (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      item INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
      number INTEGER NOT NULL CHECK (number > 0),
      began REAL NOT NULL,
      ended REAL,
      start INTEGER CHECK (start >= 0),
      bytes INTEGER CHECK (bytes >= 0),
      sent_as TEXT,
      sent_type TEXT,
      sent_size INTEGER CHECK (sent_size >= 0),
      status INTEGER CHECK (status BETWEEN 100 AND 999),
      outcome TEXT,
      arrival TEXT CHECK (arrival IN ('arrived', 'unclear')),
      message TEXT,
      reply TEXT,
      reply_type TEXT,
      reply_is_cut INTEGER NOT NULL DEFAULT 0 CHECK (reply_is_cut IN (0, 1)),
      url TEXT,
      deletion_url TEXT,
      verified TEXT,
      pieces TEXT,
      doubtful TEXT,
      grown INTEGER CHECK (grown > 0),
      UNIQUE (item, number),
      CHECK ((ended IS NULL) = (outcome IS NULL))
    ) STRICT;
    -- Also finds the items that are under way.
    CREATE UNIQUE INDEX attempt_open ON attempt (item) WHERE ended IS NULL;
    -- Finds uploads that may or may not have arrived, without reading the whole history.
    CREATE INDEX attempt_arrival ON attempt (item) WHERE arrival IS NOT NULL;

    -- The records of items as their attempts have sent them, if the items have been changed since: a later edit must
    -- not change the history.
    CREATE TABLE sent_record (
      attempt INTEGER PRIMARY KEY REFERENCES attempt (id) ON DELETE CASCADE,
      \(RecordColumns.definitions)
    ) STRICT;

    -- Files that were sent without the queue, one row each. The number of a row is not the number of any item or
    -- attempt.
    CREATE TABLE pushed (
      id INTEGER PRIMARY KEY,
      \(RecordColumns.definitions),
      device INTEGER, inode INTEGER, modified TEXT,
      size INTEGER NOT NULL,
      sum BLOB,
      sent_as TEXT,
      sent_type TEXT,
      sent_size INTEGER,
      number INTEGER NOT NULL,
      began REAL NOT NULL,
      ended REAL NOT NULL,
      bytes INTEGER,
      status INTEGER,
      outcome TEXT NOT NULL,
      arrival TEXT CHECK (arrival IN ('arrived', 'unclear')),
      message TEXT,
      reply TEXT,
      reply_type TEXT,
      reply_is_cut INTEGER NOT NULL,
      url TEXT,
      deletion_url TEXT,
      verified TEXT,
      pieces TEXT,
      doubtful TEXT,
      grown INTEGER CHECK (grown > 0)
    ) STRICT;
    CREATE INDEX pushed_done ON pushed (path_key) WHERE outcome = 'done';
    CREATE INDEX pushed_sum ON pushed (sum, target) WHERE outcome = 'done' AND sum IS NOT NULL;
    CREATE INDEX pushed_arrival ON pushed (target) WHERE arrival IS NOT NULL;
    INSERT INTO sqlite_sequence VALUES ('item', 0), ('attempt', 0);

    -- The unfinished runs, as JSON (`RunPoint`), of targets with requests before their first file and after their last
    -- file; and how runs have ended.
    CREATE TABLE run (
      target TEXT PRIMARY KEY,
      id TEXT NOT NULL,
      point TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE run_end (
      id INTEGER PRIMARY KEY,
      target TEXT NOT NULL,
      ended REAL NOT NULL,
      event TEXT NOT NULL,
      message TEXT NOT NULL
    ) STRICT;

    -- The addresses that files of the queue were sent to, as hashes (`SentAddresses.Entry`). `last` is the last item that
    -- was queued when the file was sent: up to it, no other file may go to the same address.
    CREATE TABLE sent_address (
      address INTEGER PRIMARY KEY,
      item INTEGER NOT NULL, inode INTEGER NOT NULL, path INTEGER NOT NULL,
      last INTEGER NOT NULL
    ) STRICT;

    -- What is known about how servers resume uploads, as JSON (`ResumeServer`), and since when.
    CREATE TABLE resume_server (
      address TEXT PRIMARY KEY,
      server TEXT NOT NULL,
      learnt REAL NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- Digests of files in hexadecimal digits, with the metadata that shows that a file is unchanged; `learnt` is when
    -- they were computed.
    CREATE TABLE file_digest (
      device INTEGER NOT NULL, inode INTEGER NOT NULL, algorithm TEXT NOT NULL,
      size INTEGER NOT NULL, modified TEXT NOT NULL, changed INTEGER NOT NULL,
      digest TEXT NOT NULL,
      learnt REAL NOT NULL,
      PRIMARY KEY (device, inode, algorithm)
    ) STRICT, WITHOUT ROWID;
    """
}
