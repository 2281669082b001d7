// The ledger's tables, version by version. A migration is appended, never changed.

/** Entry N brings a ledger from version N to N + 1. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  -- What each file in tasks/ said when it was last read: a cache over the text, safe to lose.
  CREATE TABLE files(
    path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime REAL NOT NULL, ctime REAL NOT NULL, ino INTEGER NOT NULL,
    hash TEXT NOT NULL, id TEXT, reading TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX files_by_id ON files(id) WHERE id IS NOT NULL;

  -- What the runtime remembers of each task that ever was; rows are never deleted, so ids are never reused (S7).
  CREATE TABLE tasks(
    id TEXT PRIMARY KEY, path TEXT, name TEXT NOT NULL, hash TEXT NOT NULL, revision TEXT NOT NULL,
    status TEXT NOT NULL, paused INTEGER NOT NULL, owner TEXT, priority INTEGER NOT NULL, parent TEXT,
    consumed TEXT, attempted TEXT, attempts INTEGER NOT NULL DEFAULT 0, retry_at INTEGER,
    held INTEGER NOT NULL DEFAULT 0, loops INTEGER NOT NULL DEFAULT 0, blocked INTEGER NOT NULL DEFAULT 0,
    finished_at INTEGER, gone_at INTEGER, archived TEXT, session TEXT, seen_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tasks_by_path ON tasks(path) WHERE path IS NOT NULL;
  CREATE INDEX tasks_by_name ON tasks(name);
  CREATE INDEX tasks_by_parent ON tasks(parent) WHERE parent IS NOT NULL;
  CREATE INDEX tasks_open ON tasks(status) WHERE path IS NOT NULL AND status IN ('todo', 'doing') AND paused = 0;
  CREATE INDEX tasks_finished ON tasks(finished_at) WHERE path IS NOT NULL AND finished_at IS NOT NULL;
  CREATE TABLE blockers(task TEXT NOT NULL, ref TEXT NOT NULL, PRIMARY KEY(task, ref)) STRICT, WITHOUT ROWID;
  CREATE INDEX blockers_by_ref ON blockers(ref);

  -- Events that ask for a turn, kept until a request carries them.
  CREATE TABLE wakes(task TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY(task, kind)) STRICT, WITHOUT ROWID;

  CREATE TABLE requests(
    thread TEXT PRIMARY KEY, origin TEXT NOT NULL, agent TEXT NOT NULL, reasons TEXT NOT NULL,
    rank INTEGER NOT NULL, priority INTEGER NOT NULL, asked_at INTEGER NOT NULL, forced INTEGER NOT NULL, outside INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX requests_in_order ON requests(rank, priority, asked_at, thread);

  CREATE TABLE turns(
    id TEXT PRIMARY KEY, thread TEXT NOT NULL, origin TEXT NOT NULL, agent TEXT NOT NULL, runner TEXT NOT NULL,
    state TEXT NOT NULL, reason TEXT, reasons TEXT NOT NULL, attempt INTEGER NOT NULL, revision TEXT NOT NULL,
    description TEXT NOT NULL, outside INTEGER NOT NULL, asked_at INTEGER NOT NULL, started_at INTEGER NOT NULL,
    ended_at INTEGER, paused_ms INTEGER NOT NULL DEFAULT 0, exit_code INTEGER, signal TEXT, pid INTEGER,
    message TEXT, tool_call TEXT, told INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX turns_by_thread ON turns(thread, started_at);
  CREATE INDEX turns_by_start ON turns(started_at);
  CREATE INDEX turns_running ON turns(thread) WHERE state = 'running';

  -- Words from a command to the running daemon.
  CREATE TABLE messages(seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL) STRICT;

  -- Consequences that were decided and not yet applied.
  CREATE TABLE consequences(seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, task TEXT NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL) STRICT;

  -- Our own recent writes to task files: intended before the rename (done is null), then numbered in the order they
  -- happened. They tell our texts from a person's and hold what a merge needs; kept names the link to the old inode
  -- until it is settled, kept_text what was already merged from it.
  CREATE TABLE writes(
    seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, path TEXT NOT NULL, task TEXT, actor TEXT NOT NULL,
    before_hash TEXT NOT NULL, after_hash TEXT NOT NULL, base BLOB, done INTEGER, window_start REAL, window_end REAL,
    kept TEXT, kept_text BLOB
  ) STRICT;
  CREATE INDEX writes_by_path ON writes(path, done);
  CREATE INDEX writes_in_order ON writes(done) WHERE done IS NOT NULL;
  CREATE INDEX writes_kept ON writes(at) WHERE kept IS NOT NULL;
  -- Entries, ids (section 'id') and a person's words (section 'typed') the runtime put into files: intended before the write, so that a repeat of a key
  -- finds them; gone when a write of ours, or a person for the second time, took them out.
  CREATE TABLE entries(
    seq INTEGER PRIMARY KEY AUTOINCREMENT, write_seq INTEGER, at INTEGER NOT NULL, task TEXT, path TEXT NOT NULL, key TEXT,
    section TEXT NOT NULL, block TEXT NOT NULL, written INTEGER NOT NULL DEFAULT 0, restored_at INTEGER,
    gone INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX entries_by_key ON entries(key) WHERE key IS NOT NULL;
  CREATE INDEX entries_by_path ON entries(path, at);
  CREATE INDEX entries_by_task ON entries(task, at) WHERE task IS NOT NULL;
  CREATE INDEX entries_by_write ON entries(write_seq) WHERE write_seq IS NOT NULL;
  `,
];
