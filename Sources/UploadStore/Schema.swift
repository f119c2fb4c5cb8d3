import SQLite

/// The tables of the queue, version by version. A released version is never edited.
enum Schema {
  /// Brings a queue up to the newest version. Returns false, without changing anything, if a newer hoist wrote it.
  static func complete(_ pool: DatabasePool) throws -> Bool {
    let known = try pool.read(versions)
    guard known.isSubset(of: names(upTo: scripts.count)) else { return false }
    if known.count < scripts.count { try pool.write { try bring($0, to: scripts.count) } }
    return true
  }

  /// Runs the scripts that a queue has not yet run, up to and including that of `version`.
  static func bring(_ db: Database, to version: Int) throws {
    try db.execute("CREATE TABLE IF NOT EXISTS \(table) (identifier TEXT NOT NULL PRIMARY KEY)")
    // Another process may have run them in the meantime.
    let known = try versions(db)
    for (name, script) in zip(names(upTo: version), scripts) where !known.contains(name) {
      try db.executeScript(script)
      try db.execute("INSERT INTO \(table) VALUES (?)", [name])
    }
  }

  /// The versions whose scripts a queue has run.
  private static func versions(_ db: Database) throws -> Set<String> {
    let exists = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = ?)"
    guard try db.value(exists, [table]) == true else { return [] }
    return Set(try db.rows("SELECT identifier FROM \(table)") { $0[0] })
  }

  private static func names(upTo version: Int) -> [String] { (1...version).map(String.init) }

  /// The table that lists a queue's versions. The name dates from the first version.
  private static let table = "grdb_migrations"

  static let scripts = [
    // `item` has one row for each file that was ever queued. The rows of files that left the queue stay for the
    // history. `failure` is `Failure.Cause` as JSON. Times are in seconds since 1970.
    //
    // `revision` counts changes: a reader that has seen revision n asks for newer rows. `position` has gaps, so
    // that moving an item writes only one row.
    """
    CREATE TABLE queue (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      revision INTEGER NOT NULL,
      reordered INTEGER NOT NULL
    ) STRICT;
    INSERT INTO queue VALUES (1, 0, 0);

    CREATE TABLE item (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      uuid BLOB NOT NULL CHECK (length(uuid) = 16),
      position INTEGER NOT NULL UNIQUE,
      listed INTEGER NOT NULL CHECK (listed IN (0, 1)),
      revision INTEGER NOT NULL,
      target TEXT NOT NULL,
      path BLOB NOT NULL CHECK (length(path) > 0),
      device INTEGER, inode INTEGER, modified INTEGER,
      size INTEGER NOT NULL CHECK (size >= 0),
      sum BLOB CHECK (sum IS NULL OR length(sum) = 32),
      field TEXT,
      name TEXT NOT NULL,
      type TEXT NOT NULL,
      type_source TEXT NOT NULL,
      type_is_certain INTEGER NOT NULL CHECK (type_is_certain IN (0, 1)),
      state TEXT NOT NULL CHECK (
        state IN ('waiting', 'paused', 'sending', 'handed over', 'done', 'failed')),
      failure TEXT,
      added REAL NOT NULL,
      CHECK ((device IS NULL) = (inode IS NULL) AND (inode IS NULL) = (modified IS NULL)),
      CHECK ((state = 'failed') = (failure IS NOT NULL))
    ) STRICT;
    CREATE INDEX item_listed ON item (position) WHERE listed;
    CREATE INDEX item_revision ON item (revision);
    CREATE INDEX item_done ON item (path, target) WHERE state = 'done';
    CREATE INDEX item_sum ON item (sum, target) WHERE state = 'done' AND sum IS NOT NULL;
    CREATE INDEX item_under_way ON item (state) WHERE state IN ('sending', 'handed over');

    CREATE TABLE attempt (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      item INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
      number INTEGER NOT NULL CHECK (number > 0),
      began REAL NOT NULL,
      ended REAL,
      bytes INTEGER CHECK (bytes >= 0),
      status INTEGER CHECK (status BETWEEN 100 AND 999),
      outcome TEXT,
      message TEXT,
      reply TEXT,
      reply_type TEXT,
      reply_is_cut INTEGER NOT NULL DEFAULT 0 CHECK (reply_is_cut IN (0, 1)),
      url TEXT,
      UNIQUE (item, number),
      CHECK ((ended IS NULL) = (outcome IS NULL))
    ) STRICT;
    CREATE UNIQUE INDEX attempt_open ON attempt (item) WHERE ended IS NULL;
    """,

    // How and where an attempt sent its item, because a later edit of the item must not change the history. The index
    // finds finished items at startup without reading the whole queue.
    """
    ALTER TABLE attempt ADD COLUMN sent_to TEXT;
    ALTER TABLE attempt ADD COLUMN sent_as TEXT;
    ALTER TABLE attempt ADD COLUMN sent_type TEXT;
    CREATE INDEX item_listed_done ON item (id) WHERE listed AND state = 'done';
    """,

    // The file's folder below the added one, and whether the user chose the file's name.
    """
    ALTER TABLE item ADD COLUMN folder TEXT NOT NULL DEFAULT '';
    ALTER TABLE item ADD COLUMN name_is_chosen INTEGER NOT NULL DEFAULT 0
      CHECK (name_is_chosen IN (0, 1));
    """,

    // Where an upload can resume, as JSON (`ResumePoint`), and the offset at which an attempt began.
    """
    ALTER TABLE item ADD COLUMN resume_point TEXT;
    ALTER TABLE attempt ADD COLUMN start INTEGER CHECK (start >= 0);
    """,

    // The type of a file's content, if the file's name contradicts it.
    "ALTER TABLE item ADD COLUMN content_type TEXT;",

    // The page that deletes a file on the server, if the reply named one.
    "ALTER TABLE attempt ADD COLUMN deletion_url TEXT;",

    // What is known about how servers resume uploads, as JSON (`ResumeServer`), and since when.
    """
    CREATE TABLE resume_server (
      address TEXT PRIMARY KEY,
      server TEXT NOT NULL,
      learnt REAL NOT NULL
    ) STRICT, WITHOUT ROWID;
    """,

    // Earlier uploads are found by the file's inode, not by its path: files in the same folder mostly have close inode
    // numbers, so writing many files changes a few pages of the index rather than one page per file.
    """
    DROP INDEX item_done;
    CREATE INDEX item_done ON item (inode) WHERE state = 'done';
    """,

    // Files that were sent without the queue, one row each. The number of a row is not the number of any item or
    // attempt. Files that earlier versions sent remain stored as an item with an attempt: two rows and four index
    // entries each.
    """
    CREATE TABLE pushed (
      id INTEGER PRIMARY KEY,
      target TEXT NOT NULL,
      path BLOB NOT NULL,
      device INTEGER, inode INTEGER, modified INTEGER,
      size INTEGER NOT NULL,
      sum BLOB,
      name TEXT,
      type TEXT NOT NULL,
      number INTEGER NOT NULL,
      began REAL NOT NULL,
      ended REAL NOT NULL,
      bytes INTEGER,
      status INTEGER,
      outcome TEXT NOT NULL,
      message TEXT,
      reply TEXT,
      reply_type TEXT,
      reply_is_cut INTEGER NOT NULL,
      url TEXT,
      deletion_url TEXT
    ) STRICT;
    CREATE INDEX pushed_done ON pushed (inode) WHERE outcome = 'done';
    CREATE INDEX pushed_sum ON pushed (sum, target) WHERE outcome = 'done' AND sum IS NOT NULL;
    INSERT INTO sqlite_sequence SELECT name, 0 FROM sqlite_master
      WHERE name IN ('item', 'attempt') AND name NOT IN (SELECT name FROM sqlite_sequence);
    """,

    // Whether the user has stopped the queue. It stays stopped after the session.
    "ALTER TABLE queue ADD COLUMN stopped INTEGER NOT NULL DEFAULT 0 CHECK (stopped IN (0, 1));",

    // The size that was sent; not that of the file if the target's command changed the content. From this version on, a
    // finished attempt also has the name and type that the request gave.
    "ALTER TABLE attempt ADD COLUMN sent_size INTEGER CHECK (sent_size >= 0);",

    // Finds uploads that may or may not have arrived, without reading the whole history.
    """
    CREATE INDEX attempt_doubt ON attempt (item) WHERE outcome IN ('outcome-unknown', 'no-record');
    CREATE INDEX pushed_doubt ON pushed (target) WHERE outcome IN ('outcome-unknown', 'no-record');
    """,

    // What is known about a file that its server has accepted but not finished processing, as JSON (`Processing`). The
    // item's state is 'handed over'.
    //
    // What is still to be done with the local file of a finished item (to move it or to delete it), as JSON
    // (`Disposal`).
    //
    // The algorithm of a server's checksum that matches the file's, such as "sha-256". How far an attempt has come with
    // a file that is sent in pieces, as JSON (`PieceCount`).
    """
    ALTER TABLE item ADD COLUMN processing TEXT;
    ALTER TABLE item ADD COLUMN disposal TEXT;
    CREATE INDEX item_disposal ON item (id) WHERE disposal IS NOT NULL;
    ALTER TABLE attempt ADD COLUMN verified TEXT;
    ALTER TABLE pushed ADD COLUMN verified TEXT;
    ALTER TABLE attempt ADD COLUMN pieces TEXT;
    ALTER TABLE pushed ADD COLUMN pieces TEXT;
    """,

    // The unfinished runs, as JSON (`RunPoint`), of targets with requests before their first file and after their last
    // file; the run in which an item was last sent; and how runs have ended. Digests of files in hexadecimal digits,
    // with the metadata that shows that a file is unchanged; `learnt` is when they were computed. The bandwidth limit
    // that the user has set, in bytes per second.
    """
    CREATE TABLE run (
      target TEXT PRIMARY KEY,
      id TEXT NOT NULL,
      point TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE item ADD COLUMN run TEXT;
    CREATE TABLE run_end (
      id INTEGER PRIMARY KEY,
      target TEXT NOT NULL,
      ended REAL NOT NULL,
      event TEXT NOT NULL,
      message TEXT NOT NULL
    ) STRICT;
    CREATE TABLE file_digest (
      device INTEGER NOT NULL, inode INTEGER NOT NULL, algorithm TEXT NOT NULL,
      size INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL,
      digest TEXT NOT NULL,
      learnt REAL NOT NULL,
      PRIMARY KEY (device, inode, algorithm)
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE queue ADD COLUMN rate_limit INTEGER CHECK (rate_limit > 0);
    """,
  ]
}
