// The ledger's tables, version by version. A migration is appended, never changed.
import { FIRST_MIGRATIONS } from './first-schema.ts';

/** Entry N brings a ledger from version N to N + 1. */
export const MIGRATIONS: readonly string[] = [
  ...FIRST_MIGRATIONS,
  `
  -- What a turn's agent said it used, and until when its usage limit lasts that ended the turn. Sums of a day read the index alone.
  ALTER TABLE turns ADD COLUMN input_tokens INTEGER;
  ALTER TABLE turns ADD COLUMN output_tokens INTEGER;
  ALTER TABLE turns ADD COLUMN cost_usd REAL;
  ALTER TABLE turns ADD COLUMN limited_until INTEGER;
  CREATE INDEX turns_spent ON turns(started_at, agent, ended_at, reason, input_tokens, output_tokens, cost_usd);
  -- What turns of each thread used since its count began anew.
  CREATE TABLE spent(
    thread TEXT PRIMARY KEY, turns INTEGER NOT NULL, ms INTEGER NOT NULL, input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL, cost_usd REAL NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Agents that wait for the end of a usage limit, and threads that try all the same.
  CREATE TABLE limit_waits(agent TEXT PRIMARY KEY, since INTEGER NOT NULL, until INTEGER NOT NULL, times INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE let_pass(thread TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

  -- Sessions by agent too. Those known so far are of the agent that had the thread's last turn.
  CREATE TABLE sessions(thread TEXT NOT NULL, agent TEXT NOT NULL, session TEXT NOT NULL, PRIMARY KEY(thread, agent)) STRICT, WITHOUT ROWID;
  INSERT INTO sessions SELECT thread, agent, session FROM (
    SELECT turns.thread AS thread, turns.agent AS agent, known.session AS session, max(turns.started_at)
    FROM turns JOIN (
      SELECT 'task:local:' || id AS thread, session FROM tasks WHERE session IS NOT NULL
      UNION ALL SELECT 'chore:' || name, session FROM chores WHERE session IS NOT NULL
    ) AS known ON known.thread = turns.thread GROUP BY turns.thread);
  UPDATE tasks SET session = NULL WHERE session IS NOT NULL;
  UPDATE chores SET session = NULL WHERE session IS NOT NULL;

  -- Readings hold a task's budget now.
  DELETE FROM files;
  `,
  `
  -- What each file (task:<id>, agent:<id>, chore:<name>, path:<path> before it has an id) says about checks:
  -- as a person said it last, and as it was seen last, whoever wrote that; JSON lists of shell commands.
  CREATE TABLE said_checks(source TEXT PRIMARY KEY, said TEXT NOT NULL, seen TEXT NOT NULL) STRICT, WITHOUT ROWID;

  -- The checks of each turn as they stood when it began, how often a done had failed them by then, and the results.
  CREATE TABLE turn_checks(
    turn TEXT PRIMARY KEY, task TEXT NOT NULL, revision TEXT NOT NULL, commands TEXT NOT NULL, failures INTEGER NOT NULL,
    state TEXT NOT NULL, results TEXT NOT NULL, began_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX turn_checks_by_task ON turn_checks(task, began_at);

  -- Each time a person said done without checks, and why.
  CREATE TABLE check_waivers(task TEXT NOT NULL, at INTEGER NOT NULL, reason TEXT NOT NULL, PRIMARY KEY(task, at)) STRICT, WITHOUT ROWID;
  `,
  `
  -- The workspace of each task that has one.
  CREATE TABLE workspaces(
    task TEXT PRIMARY KEY, agent TEXT NOT NULL, project TEXT NOT NULL, path TEXT NOT NULL, prefix TEXT NOT NULL,
    branch TEXT NOT NULL, base TEXT NOT NULL, state TEXT NOT NULL, created_at INTEGER NOT NULL, kept TEXT,
    pull_request TEXT
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Keys of what agents asked for and got, where no entry of a file tells.
  CREATE TABLE asked(key TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  -- The subtasks that the steps of each task name, as ids or names.
  CREATE TABLE step_links(task TEXT NOT NULL, ref TEXT NOT NULL, PRIMARY KEY(task, ref)) STRICT, WITHOUT ROWID;
  CREATE INDEX step_links_by_ref ON step_links(ref);

  -- Subtasks whose parent was canceled and which were left as they are, for the person to settle.
  CREATE TABLE left_subtasks(task TEXT PRIMARY KEY, parent TEXT NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  -- step_links is filled as files are read.
  DELETE FROM files;
  `,
  `
  -- Documents in artifacts/ as they were last taken in, and the tasks made of plans: intended before their file is made.
  CREATE TABLE artifacts(
    name TEXT PRIMARY KEY, uid TEXT NOT NULL UNIQUE, size INTEGER, mtime REAL, ctime REAL, ino INTEGER, final_by TEXT,
    problem TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE plan_tasks(
    uid TEXT NOT NULL, step TEXT NOT NULL, task TEXT NOT NULL, made INTEGER NOT NULL, PRIMARY KEY(uid, step)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What agents asked in task files, as last observed. state: '' while open, the hash of its answers, or 'withdrawn';
  -- shown: the state that the turn shown_turn was given; taken: the state that a turn has dealt with.
  CREATE TABLE questions(
    task TEXT NOT NULL, key TEXT NOT NULL, seen_at INTEGER NOT NULL, facts TEXT NOT NULL, state TEXT NOT NULL,
    withdrawn INTEGER NOT NULL, unsure INTEGER NOT NULL, shown TEXT, shown_turn TEXT, taken TEXT, PRIMARY KEY(task, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX questions_open ON questions(task) WHERE state = '';

  -- Readings hold what was asked, and lists who waits for an answer.
  DELETE FROM files;
  `,
  `
  -- Changes of several files that are made all or not at all: items holds what each file is to become, and what it was.
  -- What is not done is finished, or taken back, by whoever comes next; what is done is kept for a repeat of its key.
  CREATE TABLE bulks(
    seq INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, at INTEGER NOT NULL, actor TEXT NOT NULL, state TEXT NOT NULL,
    items TEXT NOT NULL, result TEXT NOT NULL
  ) STRICT;
  CREATE INDEX bulks_open ON bulks(seq) WHERE state <> 'done';

  -- Lists show the artifact and the scope of each task.
  DELETE FROM files;
  `,
  `
  -- Scopes that were made; which tasks are in one is said by their files.
  CREATE TABLE scopes(name TEXT PRIMARY KEY, made_by TEXT NOT NULL, thread TEXT, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  -- Shell commands in the background. stop: what it is to be ended for; watched: bytes that a monitor has looked through.
  CREATE TABLE jobs(
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, task TEXT NOT NULL, turn TEXT, agent TEXT NOT NULL, command TEXT NOT NULL,
    description TEXT NOT NULL, keep INTEGER NOT NULL, watch TEXT, state TEXT NOT NULL, reason TEXT, asked_at INTEGER NOT NULL,
    started_at INTEGER, ended_at INTEGER, paused_ms INTEGER NOT NULL DEFAULT 0, exit_code INTEGER, signal TEXT, pid INTEGER,
    message TEXT, tool_call TEXT UNIQUE, told INTEGER NOT NULL DEFAULT 0, watched INTEGER NOT NULL DEFAULT 0,
    reported INTEGER NOT NULL DEFAULT 0, stop TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX jobs_active ON jobs(asked_at) WHERE state IN ('pending', 'running');
  CREATE INDEX jobs_by_task ON jobs(task, asked_at);
  `,
  `
  -- Why tasks were paused by somebody else than their person; and what of the inbox was told, beside what agents told.
  CREATE TABLE pauses(task TEXT PRIMARY KEY, reason TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  ALTER TABLE notices ADD COLUMN kind TEXT NOT NULL DEFAULT 'notice';
  `,
  `
  -- The call of an agent that asked for the next turn of a thread.
  CREATE TABLE turn_calls(thread TEXT PRIMARY KEY, tool_call TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  -- Deliveries of webhooks by event, or by why they were refused; chore is '' for those that concern none.
  CREATE TABLE webhooks(
    provider TEXT NOT NULL, chore TEXT NOT NULL, what TEXT NOT NULL, count INTEGER NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY(provider, chore, what)
  ) STRICT, WITHOUT ROWID;

  -- Of each chore: when a delivery was heard last, when one may have gone by unheard or unserved, and when a listing
  -- found what none had told.
  CREATE TABLE webhook_marks(chore TEXT PRIMARY KEY, heard_at INTEGER, gap_at INTEGER, missed_at INTEGER) STRICT, WITHOUT ROWID;
  `,
  `
  -- Tokens of the API, by their SHA-256 alone. kind: own (the person's, in .taskroom/token), given, session (a browser's);
  -- tasks: JSON list of the only tasks it is for, null for all.
  CREATE TABLE tokens(
    id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, name TEXT NOT NULL, access TEXT NOT NULL,
    tasks TEXT, created_at INTEGER NOT NULL, expires_at INTEGER, used_at INTEGER
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Texts of which both sides said different things at once, field by field. entry: of a comment, its id in the file;
  -- lost_side, lost: the text that lost; stands: what the file says since. sure = 0 until the file is known to say it.
  -- settled: standing, lost, own, or by_hand for a later edit of the field.
  CREATE TABLE conflicts(
    id INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT NOT NULL, field TEXT NOT NULL, entry TEXT, lost_side TEXT NOT NULL,
    lost TEXT NOT NULL, stands TEXT NOT NULL, kept TEXT, at INTEGER NOT NULL, sure INTEGER NOT NULL,
    settled TEXT, settled_text TEXT, settled_at INTEGER
  ) STRICT;
  CREATE INDEX conflicts_open ON conflicts(task) WHERE settled IS NULL;
  `,
  `
  -- Syncs of each chore and day, for figures over time. day: midnight UTC, epoch ms.
  CREATE TABLE sync_days(
    chore TEXT NOT NULL, day INTEGER NOT NULL, syncs INTEGER NOT NULL, failed INTEGER NOT NULL, requests INTEGER NOT NULL,
    PRIMARY KEY(chore, day)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE tokens ADD COLUMN agents TEXT;
  CREATE TABLE dispatched(turn TEXT PRIMARY KEY, row TEXT NOT NULL);
  CREATE TABLE workers(id TEXT PRIMARY KEY, row TEXT NOT NULL, seen_at INTEGER NOT NULL);
  `,
  `
  -- Workspaces of turns on other machines, whose branch alone is here.
  ALTER TABLE workspaces ADD COLUMN elsewhere INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Hash of the task's file when the turn's agent began; NULL before.
  ALTER TABLE turns ADD COLUMN file_hash TEXT;
  `,
  `
  -- Tasks whose own file names a budget: where none does, nobody looks for those among the turns that run.
  CREATE INDEX files_with_budget ON files(path) WHERE instr(reading, '"budget":') > 0;
  `,
  `
  -- When the file of a version was saved, ms of the disk's clock.
  ALTER TABLE versions ADD COLUMN saved_at REAL;

  -- Mirrored files that somebody made an earlier version of themselves again, until their mirror is settled: that text, the
  -- fields (JSON) that came from upstream since, and whether it is proved that the file was restored.
  CREATE TABLE restored(
    task TEXT PRIMARY KEY, text BLOB NOT NULL, undone TEXT NOT NULL, proved INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Tasks that turns made, and the thread of the turn.
  CREATE TABLE makers(task TEXT PRIMARY KEY, thread TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX makers_thread ON makers(thread);
  `,
  `
  -- Whether the turn's agent changed anything by an operation. file_hash: of what the task's file said of the work at its start.
  ALTER TABLE turns ADD COLUMN reported INTEGER NOT NULL DEFAULT 0;
  -- The agent's words where only the person can end the wait: its account must be paid.
  ALTER TABLE limit_waits ADD COLUMN said TEXT;
  `,
  `
  -- Ids of turns that are asked for, and what programs turns ran.
  ALTER TABLE requests ADD COLUMN id TEXT NOT NULL DEFAULT '';
  UPDATE requests SET id = 'b' || substr(lower(hex(randomblob(8))), 1, 8);
  ALTER TABLE turns ADD COLUMN command TEXT;
  `,
  `
  -- What opens rights, as a person said it last and as it stands, each a JSON list; by its source. Agents' checks stand in
  -- their files, which are remembered whole from now on: what was changed before is taken as it is.
  ALTER TABLE said_checks RENAME TO said_words;
  DELETE FROM said_words WHERE source LIKE 'agent:%';
  INSERT OR REPLACE INTO meta(key, value) VALUES('rights.since', CAST(unixepoch('subsec') * 1000 AS INTEGER));
  `,
];
