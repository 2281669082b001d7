// The oldest migrations of the ledger, in their order; schema.ts has those that came after. None is ever changed.

export const FIRST_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  -- What each file in tasks/ said when it was last read: a cache over the text, safe to lose. Where observed is 1, tasks
  -- holds this id with this path and hash. Each look at the room reads all stamps, so that they stand in an index too.
  CREATE TABLE files(
    path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime REAL NOT NULL, ctime REAL NOT NULL, ino INTEGER NOT NULL,
    hash TEXT NOT NULL, id TEXT, observed INTEGER NOT NULL, reading TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX files_stamps ON files(path, size, mtime, ctime, ino);
  CREATE INDEX files_unobserved ON files(id) WHERE observed = 0;

  -- What the runtime remembers of each task that ever was; rows are never deleted, so ids are never reused (S7).
  -- With a rowid: ids are random, and rows in their order would touch a page for each new task.
  CREATE TABLE tasks(
    id TEXT PRIMARY KEY NOT NULL, path TEXT, name TEXT NOT NULL, hash TEXT NOT NULL, revision TEXT NOT NULL,
    status TEXT NOT NULL, paused INTEGER NOT NULL, owner TEXT, priority INTEGER NOT NULL, parent TEXT,
    consumed TEXT, attempted TEXT, attempts INTEGER NOT NULL DEFAULT 0, retry_at INTEGER,
    held INTEGER NOT NULL DEFAULT 0, loops INTEGER NOT NULL DEFAULT 0, blocked INTEGER NOT NULL DEFAULT 0,
    finished_at INTEGER, gone_at INTEGER, archived TEXT, session TEXT, seen_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX tasks_by_path ON tasks(path) WHERE path IS NOT NULL;
  CREATE INDEX tasks_absent ON tasks(name) WHERE path IS NULL;
  CREATE INDEX tasks_by_parent ON tasks(parent) WHERE parent IS NOT NULL;
  CREATE INDEX tasks_open ON tasks(status) WHERE path IS NOT NULL AND status IN ('todo', 'doing') AND paused = 0;
  CREATE INDEX tasks_finished ON tasks(finished_at, id) WHERE path IS NOT NULL AND finished_at IS NOT NULL;
  CREATE INDEX tasks_put_off ON tasks(id) WHERE path IS NOT NULL AND (held = 1 OR retry_at IS NOT NULL);
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

  -- What is remembered of each chore that ever was; times are epoch ms, result is JSON.
  CREATE TABLE chores(
    name TEXT PRIMARY KEY, seen_at INTEGER NOT NULL, revision TEXT NOT NULL, started_at INTEGER, ended_at INTEGER,
    result TEXT, failures INTEGER NOT NULL DEFAULT 0, retry_at INTEGER, stopped TEXT, asked_at INTEGER, session TEXT
  ) STRICT, WITHOUT ROWID;

  -- The link between an issue and a task, one row each. base is what both sides last agreed on, as JSON text that only
  -- sync reads. Rows are fat: what is asked for all of them at once stands in an index.
  CREATE TABLE mirrors(
    task TEXT PRIMARY KEY NOT NULL, provider TEXT NOT NULL, uid TEXT NOT NULL, ref TEXT NOT NULL, url TEXT,
    chore TEXT NOT NULL, path TEXT, state TEXT NOT NULL, message TEXT, cause TEXT, local_hash TEXT, remote_hash TEXT,
    remote_updated_at INTEGER NOT NULL, synced_at INTEGER NOT NULL, due_at INTEGER, tries INTEGER NOT NULL DEFAULT 0,
    base TEXT
  ) STRICT;
  CREATE UNIQUE INDEX mirrors_by_uid ON mirrors(provider, uid);
  CREATE INDEX mirrors_by_ref ON mirrors(provider, ref, task);
  CREATE INDEX mirrors_by_chore ON mirrors(chore, state, task, local_hash, due_at, uid);

  -- What is to be written upstream, or may have been when a process died: intended before the call, gone with its record.
  CREATE TABLE outbox(
    id INTEGER PRIMARY KEY AUTOINCREMENT, provider TEXT NOT NULL, chore TEXT NOT NULL, task TEXT NOT NULL,
    kind TEXT NOT NULL, key TEXT NOT NULL UNIQUE, payload TEXT NOT NULL, tries INTEGER NOT NULL, not_before INTEGER,
    last_error TEXT, at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX outbox_by_chore ON outbox(chore, task);

  -- Where the listing of each chore's source stands, and how it went last; error, services and usage are JSON.
  CREATE TABLE sources(
    chore TEXT PRIMARY KEY, provider TEXT NOT NULL, source TEXT NOT NULL, config TEXT NOT NULL, push TEXT, cursor TEXT,
    full_at INTEGER, synced_at INTEGER, failures INTEGER NOT NULL DEFAULT 0, not_before INTEGER, error TEXT,
    services TEXT, usage TEXT
  ) STRICT, WITHOUT ROWID;

  -- Comments that were said through our own tools: only those are sent upstream, text typed by hand is not.
  CREATE TABLE spoken(entry TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  -- Lists ask which tasks had a last turn that wrote nothing.
  CREATE INDEX turns_that_wrote_nothing ON turns(thread, started_at) WHERE reason = 'nothing_written';
  `,
  `
  -- The versions of each mirrored file that both sides agreed on: fields as JSON lists, by where their values came from.
  CREATE TABLE versions(
    seq INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT NOT NULL, hash TEXT NOT NULL, pulled TEXT NOT NULL, pushed TEXT NOT NULL
  ) STRICT;
  CREATE INDEX versions_by_task ON versions(task, hash, seq);
  `,
  `
  -- Asked at every list and every status: which files hold mistyped keys, how many tasks stand how, who takes the open ones.
  CREATE INDEX files_odd ON files(path) WHERE instr(reading, '"oddKeys":') > 0;
  CREATE INDEX tasks_by_status ON tasks(status) WHERE path IS NOT NULL;
  CREATE INDEX tasks_open_by_owner ON tasks(owner) WHERE path IS NOT NULL AND status IN ('todo', 'doing') AND paused = 0;
  `,
  `
  -- What agents told the person. seen: by the loop; told: to the person; not_before: when it goes out, null for never.
  CREATE TABLE notices(
    seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, author TEXT NOT NULL, turn TEXT, task TEXT, text TEXT NOT NULL,
    key TEXT UNIQUE, seen INTEGER NOT NULL DEFAULT 0, told INTEGER NOT NULL DEFAULT 0, sent_at INTEGER,
    tries INTEGER NOT NULL DEFAULT 0, not_before INTEGER, last_error TEXT
  ) STRICT;
  CREATE INDEX notices_unseen ON notices(seq) WHERE seen = 0;
  CREATE INDEX notices_untold ON notices(seq) WHERE told = 0;
  CREATE INDEX notices_unsent ON notices(not_before) WHERE sent_at IS NULL;
  CREATE INDEX notices_by_turn ON notices(turn) WHERE turn IS NOT NULL;
  `,
  `
  -- SHA-256 of the secret that a turn's agent reports with.
  ALTER TABLE turns ADD COLUMN token_hash TEXT;
  `,
];
