import { expect, test } from 'vitest';
import { displayWidth } from '../../../src/cli/lines/display-text.ts';
import { createRepeatFilter, renderEvent } from '../../../src/cli/lines/event-lines.ts';
import { clockTime } from '../../../src/cli/lines/time-text.ts';
import { plain } from '../../../src/cli/paint.ts';
import type { RoomEvent } from '../../../src/core/events.ts';
import type { TaskId, TurnId } from '../../../src/core/ids.ts';

const id = 'wordcnt1' as TaskId;
const turn = 'm12345678' as TurnId;
const name = 'Count the words';
const problems = [
  { path: 'tasks/Broken.md', line: 2, col: 8, message: 'bad', hint: 'quote it' },
  { path: 'tasks/Broken.md', line: 3, col: 1, message: 'worse' },
];
const odd = { line: 2, col: 7, message: 'unknown key "ower"', hint: 'did you mean owner?' };
const ended = { type: 'turn.ended', turn, id, name, exitCode: null, tookMs: 1200, message: '' } as const;
const ref = 'github:a/b#1';
const noToken = { code: 'unauthorized', message: 'no token', hint: 'set GITHUB_TOKEN' } as const;
const syncFailed = { type: 'sync.failed', chore: 'web', requests: 0, remaining: null, ...noToken } as const;
const at = 1_000;
const clock = clockTime(at);

/** A line of the log after its time: the name of what it is about stands in 28 columns. */
const line = (sign: string, words: string, of = name) => `${sign} ${of.padEnd(28)}${words}`;

/** What each event shows; empty for an event without a line. */
const CASES: [RoomEvent, string[]][] = [
  [{ type: 'room.scanning', done: 1, total: 10 }, []],
  [{ type: 'room.scanning', done: 2000, total: 10_000 }, ['· reading 2000 of 10000 files']],
  [{ type: 'room.ready', tasks: 5, invalid: 1, tookMs: 120 }, ["✓ ready: 5 tasks, 1 can't be read (0.1 s)"]],
  [{ type: 'room.idle' }, ['· idle: nothing is due']],
  [
    { type: 'room.stopping', turns: 2 },
    ['■ stopping: waiting up to 30 s for 2 turns; Ctrl-C again stops now'],
  ],
  [{ type: 'room.stopping', turns: 0 }, ['■ stopping']],
  [{ type: 'room.stopped' }, ['■ stopped']],
  [{ type: 'room.trouble', message: 'disk full', hint: 'free some space' }, ['! disk full; free some space']],
  [{ type: 'room.mended', message: 'tasks/ is back' }, ['✓ tasks/ is back']],
  [{ type: 'config.reloaded' }, ['✓ settings read again']],
  [
    { type: 'webhooks.listening', address: 'http://127.0.0.1:8787', hears: ['github', 'linear'] },
    ['· hears webhooks of github, linear at http://127.0.0.1:8787/hooks/…'],
  ],
  [{ type: 'webhook.received', provider: 'github', event: 'issues.opened', chores: ['web'] }, []],
  [
    { type: 'config.invalid', problems },
    [
      line('!', 'tasks/Broken.md:2:8 bad; quote it', 'settings'),
      line('!', 'tasks/Broken.md:3:1 worse', 'settings'),
    ],
  ],
  [{ type: 'chore.due', name: 'web', kind: 'mirror', reason: 'first' }, []],
  [
    { type: 'chore.finished', name: 'web', kind: 'mirror', message: '2 created', counts: {}, tookMs: 1200 },
    [line('⇅', 'synced in 1.2 s: 2 created', 'web')],
  ],
  [{ type: 'chore.finished', name: 'look', kind: 'prompt', message: '', counts: {}, tookMs: 1 }, []],
  [
    { type: 'chore.failed', name: 'web', kind: 'mirror', message: 'no token', hint: 'set it', retryAt: at },
    [line('!', `sync failed: no token; set it; again at ${clock}`, 'web')],
  ],
  [
    { type: 'chore.failed', name: 'look', kind: 'prompt', message: 'exit code 3', hint: null, retryAt: null },
    [line('!', 'chore failed: exit code 3', 'look')],
  ],
  [
    { type: 'chore.failed', name: 'look', kind: 'prompt', message: 'exit code 3', hint: null, retryAt: at },
    [line('↻', `again at ${clock}`, 'look')],
  ],
  [
    { type: 'chore.invalid', path: 'chores/web.md', problems },
    [line('!', 'tasks/Broken.md:2:8 bad; quote it', 'web'), line('!', 'tasks/Broken.md:3:1 worse', 'web')],
  ],
  [{ type: 'chore.mended', path: 'chores/web.md' }, [line('✓', 'the chore can be read again', 'web')]],
  [{ type: 'sync.started', chore: 'web', provider: 'github', source: 'a/b', direction: 'both' }, []],
  [{ type: 'sync.progress', chore: 'web', phase: 'pulling', done: 1, total: null }, []],
  // The chore that ran it says so.
  [{ ...syncFailed, direction: 'both' }, []],
  [
    { ...syncFailed, direction: 'push' },
    [line('!', 'changes could not be sent: no token; set GITHUB_TOKEN', 'web')],
  ],
  [{ type: 'mirror.created', id, name, ref }, []],
  [
    { type: 'mirror.updated', id, name, ref, fields: ['status', 'blockedBy', 'remote'], comments: 2 },
    [line('↓', 'from upstream: status, blocked by, 2 comments')],
  ],
  [{ type: 'mirror.updated', id, name, ref, fields: ['remote', 'paused'], comments: 0 }, []],
  [
    { type: 'mirror.pushed', id, name, ref, status: 'done', fields: [], comments: 2, edited: 0 },
    [line('↑', 'closed upstream, 2 comments')],
  ],
  [
    { type: 'mirror.pushed', id, name, ref, status: 'canceled', fields: ['title'], comments: 0, edited: 1 },
    [line('↑', 'closed upstream as not planned, title, 1 comment brought up to date')],
  ],
  [
    { type: 'mirror.pushed', id, name, ref, status: null, fields: [], comments: 1, edited: 0 },
    [line('↑', 'sent upstream: 1 comment')],
  ],
  [
    { type: 'mirror.pushed', id, name, ref, status: 'doing', fields: [], comments: 0, edited: 0 },
    [line('↑', 'now doing upstream')],
  ],
  [
    { type: 'mirror.conflict', id, name, ref, fields: ['body'], kept: ['.taskroom/attic/x'] },
    [line('≠', 'both sides changed body; the text that lost lies in .taskroom/attic/x')],
  ],
  [
    { type: 'mirror.settled', id, name, ref, field: 'blocked_by', take: 'lost' },
    [line('✓', 'blocked by settled: the other text was taken')],
  ],
  [
    { type: 'mirror.detached', id, name, ref, reason: 'a/b#1 is not visible any more' },
    [line('·', `no longer follows ${ref}: a/b#1 is not visible any more`)],
  ],
  [
    { type: 'mirror.paused', id, name, ref, reason: 'eve is not trusted by this mirror' },
    [line('⏸', 'waits for you: eve is not trusted by this mirror; taskroom resume wordcnt1 lets it run')],
  ],
  [{ type: 'task.seen', id, name, path: 'p', status: 'todo' }, []],
  [{ type: 'task.changed', id, name, status: 'done', was: 'doing' }, [line('✓', 'doing → done')]],
  [{ type: 'task.stepped', id, name, done: 1, total: 3, title: 'Begin' }, [line('☑', 'step 1/3: Begin')]],
  [{ type: 'task.blocked', id, name, by: ['a', 'b'] }, [line('▸', 'waits for a, b')]],
  [{ type: 'task.unblocked', id, name }, [line('☐', 'unblocked')]],
  [
    { type: 'task.paused', id, name, reason: 'five failed attempts' },
    [line('⏸', 'paused: five failed attempts')],
  ],
  [
    { type: 'task.edited_after_end', id, name, status: 'done' },
    [line('✓', 'was edited, and is done: taskroom reopen starts it')],
  ],
  [
    { type: 'task.odd_keys', path: `tasks/${name}.md`, problems: [{ ...odd, path: `tasks/${name}.md` }] },
    [line('?', 'unknown key "ower"; did you mean owner?')],
  ],
  [{ type: 'task.resumed', id, name }, [line('☐', 'resumed')]],
  [{ type: 'task.renamed', id, name, was: 'Count' }, [line('·', 'renamed, was Count')]],
  [{ type: 'task.copied', id, name, of: 'Count' }, [line('·', 'a copy of Count, with an id of its own')]],
  [{ type: 'task.gone', id, name }, [line('·', 'its file is gone')]],
  [{ type: 'task.archived', id, name, path: 'archive/x.md' }, [line('·', 'archived: archive/x.md')]],
  [
    { type: 'task.invalid', path: 'tasks/Broken.md', problems: problems.slice(0, 1) },
    [line('!', 'tasks/Broken.md:2:8 bad; quote it', 'Broken')],
  ],
  [{ type: 'task.mended', path: 'tasks/Broken.md' }, [line('✓', 'can be read again', 'Broken')]],
  [
    { type: 'task.restored', path: 'tasks/A.md', entries: 1 },
    [line('↺', "1 entry put back that an editor's older text had dropped", 'A')],
  ],
  [
    { type: 'tasks.held', count: 60 },
    ['⏸ 60 tasks held, since so many changed at once; taskroom run --all releases them'],
  ],
  [{ type: 'turn.requested', id, name, reasons: ['new'] }, []],
  [
    { type: 'turn.started', turn, id, name, agent: 'runbook', attempt: 1, reasons: ['new'], adopted: false },
    [line('⠋', 'started  @runbook  (new)')],
  ],
  [
    { type: 'turn.started', turn, id, name, agent: 'a', attempt: 2, reasons: ['retry'], adopted: true },
    [line('⠋', 'found running  @a  (retry)  attempt 2')],
  ],
  [{ ...ended, state: 'completed', reason: 'ok', exitCode: 0 }, [line('✓', 'turn completed after 1.2 s')]],
  [
    { ...ended, state: 'failed', reason: 'exit', exitCode: 3, message: 'no such file' },
    [line('✗', 'turn failed: exit code 3 after 1.2 s; no such file')],
  ],
  [
    { ...ended, state: 'failed', reason: 'timed_out', exitCode: null, tookMs: 3_600_000 },
    [line('✗', 'turn failed: timed out after 1 h')],
  ],
  [{ type: 'turn.retrying', id, name, attempt: 2, retryAt: at }, [line('↻', `attempt 2 at ${clock}`)]],
  [
    { type: 'turn.refused', turn, id, name, operation: 'set', message: 'Other is not its task' },
    [line('!', 'refused its agent: Other is not its task')],
  ],
];

test.each(CASES)('%o', (event, lines) => {
  const expected = lines.map((line) => `${clock}  ${line}\n`).join('');
  expect(renderEvent(event, { paint: plain, columns: null, at, titleOf })).toBe(expected);
});

const titleOf = (_task: string, name: string) => name;

test('a line keeps to the width of the terminal; what went wrong may take four rows', () => {
  const long = '長い名前 '.repeat(80);
  const width = (event: RoomEvent, columns: number) =>
    displayWidth(renderEvent(event, { paint: plain, columns, at, titleOf }).trimEnd());
  for (const columns of [60, 80]) {
    expect(width({ type: 'task.renamed', id, name: long, was: long }, columns)).toBeLessThanOrEqual(columns);
    const paused = width({ type: 'task.paused', id, name: long, reason: long }, columns);
    expect(paused).toBeGreaterThan(3 * columns);
    expect(paused).toBeLessThanOrEqual(4 * columns);
  }
});

const synced = (name: string, created = 0): RoomEvent => ({
  type: 'chore.finished',
  name,
  kind: 'mirror',
  message: '',
  counts: { created, skipped: 0, requests: 2 },
  tookMs: 1,
});
const idle: RoomEvent = { type: 'room.idle' };
const failed: RoomEvent = {
  ...{ type: 'chore.failed', name: 'web', kind: 'mirror', message: 'x', hint: null, retryAt: null },
};

/** Which of these events the log leaves out. */
function repeats(...events: RoomEvent[]): boolean[] {
  const isRepeat = createRepeatFilter();
  return events.map((event) => isRepeat(event, event.type !== 'chore.due'));
}

test('a sync that finds nothing new has a line once, until something else came of it', () => {
  const events = [
    synced('web'),
    synced('web'),
    synced('eng'),
    synced('web', 1),
    synced('web'),
    synced('web'),
  ];
  expect(repeats(...events)).toEqual([false, true, false, false, false, true]);
  expect(repeats(synced('web'), failed, synced('web'))).toEqual([false, false, false]);
});

test('idle is told again only after a line in between', () => {
  const due: RoomEvent = { type: 'chore.due', name: 'web', kind: 'mirror', reason: 'scheduled' };
  expect(repeats(idle, due, idle)).toEqual([false, false, true]);
  expect(repeats(synced('web'), idle, due, synced('web'), idle)).toEqual([false, false, false, true, true]);
  expect(repeats(idle, synced('web', 2), idle)).toEqual([false, false, false]);
});
