import { expect, test } from 'vitest';
import { displayWidth } from '../../../src/cli/lines/display-text.ts';
import { renderEvent } from '../../../src/cli/lines/event-lines.ts';
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
const ref = 'github:a/b#1';
const syncFailed = {
  type: 'sync.failed',
  chore: 'web',
  code: 'unauthorized',
  message: 'no token',
  hint: 'set GITHUB_TOKEN',
  requests: 0,
  remaining: null,
} as const;
const at = 1_000;
const clock = clockTime(at);

/** What each event shows after the clock time; empty for an event without a line. */
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
      '! settings                    tasks/Broken.md:2:8 bad; quote it',
      '! settings                    tasks/Broken.md:3:1 worse',
    ],
  ],
  [{ type: 'chore.due', name: 'web', kind: 'mirror', reason: 'first' }, []],
  [
    { type: 'chore.finished', name: 'web', kind: 'mirror', message: '2 created', counts: {}, tookMs: 1200 },
    ['⇅ web                         synced in 1.2 s: 2 created'],
  ],
  [{ type: 'chore.finished', name: 'look', kind: 'prompt', message: '', counts: {}, tookMs: 1 }, []],
  [
    { type: 'chore.failed', name: 'web', kind: 'mirror', message: 'no token', hint: 'set it', retryAt: at },
    [`! web                         sync failed: no token; set it; again at ${clock}`],
  ],
  [
    { type: 'chore.failed', name: 'look', kind: 'prompt', message: 'exit code 3', hint: null, retryAt: null },
    ['! look                        chore failed: exit code 3'],
  ],
  [
    { type: 'chore.failed', name: 'look', kind: 'prompt', message: 'exit code 3', hint: null, retryAt: at },
    [`↻ look                        again at ${clock}`],
  ],
  [
    { type: 'chore.invalid', path: 'chores/web.md', problems },
    [
      '! web                         tasks/Broken.md:2:8 bad; quote it',
      '! web                         tasks/Broken.md:3:1 worse',
    ],
  ],
  [
    { type: 'chore.mended', path: 'chores/web.md' },
    ['✓ web                         the chore can be read again'],
  ],
  [{ type: 'sync.started', chore: 'web', provider: 'github', source: 'a/b', direction: 'both' }, []],
  [{ type: 'sync.progress', chore: 'web', phase: 'pulling', done: 1, total: null }, []],
  // The chore that ran it says so.
  [{ ...syncFailed, direction: 'both' }, []],
  [
    { ...syncFailed, direction: 'push' },
    ['! web                         changes could not be sent: no token; set GITHUB_TOKEN'],
  ],
  [{ type: 'mirror.created', id, name, ref }, []],
  [
    { type: 'mirror.updated', id, name, ref, fields: ['status', 'blockedBy', 'remote'], comments: 2 },
    ['↓ Count the words             from upstream: status, blocked by, 2 comments'],
  ],
  [{ type: 'mirror.updated', id, name, ref, fields: ['remote', 'paused'], comments: 0 }, []],
  [
    { type: 'mirror.pushed', id, name, ref, status: 'done', fields: [], comments: 2, edited: 0 },
    ['↑ Count the words             closed upstream, 2 comments'],
  ],
  [
    { type: 'mirror.pushed', id, name, ref, status: 'canceled', fields: ['title'], comments: 0, edited: 1 },
    ['↑ Count the words             closed upstream as not planned, title, 1 comment brought up to date'],
  ],
  [
    { type: 'mirror.pushed', id, name, ref, status: null, fields: [], comments: 1, edited: 0 },
    ['↑ Count the words             sent upstream: 1 comment'],
  ],
  [
    { type: 'mirror.pushed', id, name, ref, status: 'doing', fields: [], comments: 0, edited: 0 },
    ['↑ Count the words             now doing upstream'],
  ],
  [
    { type: 'mirror.conflict', id, name, ref, fields: ['body'], kept: ['.taskroom/attic/x'] },
    ['≠ Count the words             both sides changed body; the text that lost lies in .taskroom/attic/x'],
  ],
  [
    { type: 'mirror.settled', id, name, ref, field: 'blocked_by', take: 'lost' },
    ['✓ Count the words             blocked by settled: the other text was taken'],
  ],
  [
    { type: 'mirror.detached', id, name, ref, reason: 'a/b#1 is not visible any more' },
    [`· Count the words             no longer follows ${ref}: a/b#1 is not visible any more`],
  ],
  [
    { type: 'mirror.paused', id, name, ref, reason: 'eve is not trusted by this mirror' },
    [
      '⏸ Count the words             waits for you: eve is not trusted by this mirror; taskroom resume wordcnt1 lets it run',
    ],
  ],
  [{ type: 'task.seen', id, name, path: 'p', status: 'todo' }, []],
  [
    { type: 'task.changed', id, name, status: 'done', was: 'doing' },
    ['✓ Count the words             doing → done'],
  ],
  [
    { type: 'task.stepped', id, name, done: 1, total: 3, title: 'Begin' },
    ['☑ Count the words             step 1/3: Begin'],
  ],
  [{ type: 'task.blocked', id, name, by: ['a', 'b'] }, ['▸ Count the words             waits for a, b']],
  [{ type: 'task.unblocked', id, name }, ['☐ Count the words             unblocked']],
  [
    { type: 'task.paused', id, name, reason: 'five failed attempts' },
    ['⏸ Count the words             paused: five failed attempts'],
  ],
  [
    { type: 'task.edited_after_end', id, name, status: 'done' },
    ['✓ Count the words             was edited, and is done: taskroom reopen starts it'],
  ],
  [
    {
      type: 'task.odd_keys',
      path: 'tasks/Count the words.md',
      problems: [
        {
          path: 'tasks/Count the words.md',
          line: 2,
          col: 7,
          message: 'unknown key "ower"',
          hint: 'did you mean owner?',
        },
      ],
    },
    ['? Count the words             unknown key "ower"; did you mean owner?'],
  ],
  [{ type: 'task.resumed', id, name }, ['☐ Count the words             resumed']],
  [{ type: 'task.renamed', id, name, was: 'Count' }, ['· Count the words             renamed, was Count']],
  [
    { type: 'task.copied', id, name, of: 'Count' },
    ['· Count the words             a copy of Count, with an id of its own'],
  ],
  [{ type: 'task.gone', id, name }, ['· Count the words             its file is gone']],
  [
    { type: 'task.archived', id, name, path: 'archive/x.md' },
    ['· Count the words             archived: archive/x.md'],
  ],
  [
    { type: 'task.invalid', path: 'tasks/Broken.md', problems: problems.slice(0, 1) },
    ['! Broken                      tasks/Broken.md:2:8 bad; quote it'],
  ],
  [{ type: 'task.mended', path: 'tasks/Broken.md' }, ['✓ Broken                      can be read again']],
  [
    { type: 'task.restored', path: 'tasks/A.md', entries: 1 },
    ["↺ A                           1 entry put back that an editor's older text had dropped"],
  ],
  [
    { type: 'tasks.held', count: 60 },
    ['⏸ 60 tasks held, since so many changed at once; taskroom run --all releases them'],
  ],
  [{ type: 'turn.requested', id, name, reasons: ['new'] }, []],
  [
    { type: 'turn.started', turn, id, name, agent: 'runbook', attempt: 1, reasons: ['new'], adopted: false },
    ['⠋ Count the words             started  @runbook  (new)'],
  ],
  [
    { type: 'turn.started', turn, id, name, agent: 'a', attempt: 2, reasons: ['retry'], adopted: true },
    ['⠋ Count the words             found running  @a  (retry)  attempt 2'],
  ],
  [
    {
      type: 'turn.ended',
      turn,
      id,
      name,
      state: 'completed',
      reason: 'ok',
      exitCode: 0,
      tookMs: 1200,
      message: '',
    },
    ['✓ Count the words             turn completed after 1.2 s'],
  ],
  [
    {
      type: 'turn.ended',
      turn,
      id,
      name,
      state: 'failed',
      reason: 'exit',
      exitCode: 3,
      tookMs: 1200,
      message: 'no such file',
    },
    ['✗ Count the words             turn failed: exit code 3 after 1.2 s; no such file'],
  ],
  [
    {
      type: 'turn.ended',
      turn,
      id,
      name,
      state: 'failed',
      reason: 'timed_out',
      exitCode: null,
      tookMs: 3_600_000,
      message: '',
    },
    ['✗ Count the words             turn failed: timed out after 1 h'],
  ],
  [
    { type: 'turn.retrying', id, name, attempt: 2, retryAt: at },
    [`↻ Count the words             attempt 2 at ${clock}`],
  ],
  [
    { type: 'turn.refused', turn, id, name, operation: 'set', message: 'Other is not its task' },
    ['! Count the words             refused its agent: Other is not its task'],
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
