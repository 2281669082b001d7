import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  defaultRoomYaml,
  parseRoomConfig,
  ROOM,
  type RoomConfig,
} from '../../../src/core/config/room-config.ts';
import { settingRows } from '../../../src/core/config/setting.ts';
import { formatProblem } from '../../../src/core/errors.ts';
import { forAll } from '../../support/for-all.ts';

const DEFAULTS: RoomConfig = {
  ...{ defaultAgent: 'runbook', settleMs: 1000, sweepMs: 30_000, maxAttempts: 5 },
  ...{ checkTimeoutMs: 600_000, maxCheckRounds: 3, maxReviewRounds: 3, timeoutMs: 3_600_000 },
  ...{ stallMs: 300_000, maxOutputBytes: 67_108_864, maxJobs: 4, jobTimeoutMs: 3_600_000 },
  ...{ heartbeat: '0 6-21 * * *', timezone: null, holdAbove: 50, loopGuard: 20 },
  ...{ archiveAfterMs: 14 * 86_400_000, onDelete: 'forget' },
  limits: { total: 4, chat: 4, task: 2, chore: 1 },
  keep: { turnsMs: 30 * 86_400_000, turnsPerTask: 20, atticMs: 90 * 86_400_000, spillMs: 90 * 86_400_000 },
  hooks: { port: null, host: '127.0.0.1', github: null, linear: null },
  pr: { doneOn: 'merged', everyMs: 300_000 },
  notify: { command: null, webhook: null, format: 'json', on: ['notice', 'question', 'paused'] },
  budgets: { perTask: null, perDay: null },
  ...{ board: null, merge: 'auto', workspaces: '.taskroom/worktrees', dream: { above: null, agent: null } },
  ...{ queue: { postgres: null }, handOver: {}, statuses: {}, providers: {} },
};

function room(text: string): RoomConfig {
  const reading = parseRoomConfig(text, 'room.yaml');
  if (!reading.ok) throw new Error(reading.problems.map(formatProblem).join('\n'));
  return reading.config;
}

function roomProblems(text: string): string[] {
  const reading = parseRoomConfig(text, 'room.yaml');
  return reading.ok ? [] : reading.problems.map(formatProblem);
}

describe('room.yaml', () => {
  it.each(['', '\n', '# nothing\n', '{}', '---\n', 'limits:\nkeep: {}\nsettle:\n', '\uFEFF'])(
    '%j gives the defaults',
    (text) => expect(room(text)).toEqual(DEFAULTS),
  );

  it('reads every key in its unit', () => {
    const [example] = fences('yaml');
    expect(room(example!)).toEqual({
      ...{ defaultAgent: 'claude', settleMs: 2000, sweepMs: 60_000, maxAttempts: 3 },
      ...{ checkTimeoutMs: 1_200_000, maxCheckRounds: 2, maxReviewRounds: 2, timeoutMs: 7_200_000 },
      ...{ stallMs: 600_000, maxOutputBytes: 16 * 2 ** 20, maxJobs: 2, jobTimeoutMs: 1_800_000 },
      ...{ heartbeat: '*/30 8-18 * * 1-5', timezone: 'Europe/Berlin', holdAbove: 100, loopGuard: 10 },
      ...{ archiveAfterMs: 7 * 86_400_000, onDelete: 'cancel' },
      limits: { total: 6, chat: 2, task: 4, chore: 1 },
      pr: { doneOn: 'opened', everyMs: 60_000 },
      keep: {
        ...{ turnsMs: 14 * 86_400_000, turnsPerTask: 5 },
        ...{ atticMs: 180 * 86_400_000, spillMs: 30 * 86_400_000 },
      },
      ...{ board: 'https://tasks.example.com', merge: 'commit' },
      notify: {
        ...{ command: ['notify-send', 'taskroom'], webhook: 'TASKROOM_WEBHOOK', format: 'ntfy' },
        on: ['notice', 'question', 'paused', 'conflict'],
      },
      hooks: { port: 8787, host: '::1', github: 'GITHUB_WEBHOOK_SECRET', linear: null },
      budgets: {
        perTask: { turns: 30, minutes: 240, tokens: null, cost: 10 },
        perDay: { turns: null, minutes: null, tokens: null, cost: 50 },
      },
      workspaces: '../worktrees',
      dream: { above: 32 * 1024, agent: 'claude' },
      queue: { postgres: 'ROOM_POSTGRES' },
      handOver: { triage: ['claude'] },
      statuses: { review: 'doing', shipped: 'done' },
      providers: { jira: './providers/jira.mjs' },
    });
  });

  it.each([['off'], ['false'], ['"off"']])('heartbeat: %s switches it off', (word) => {
    expect(room(`heartbeat: ${word}`).heartbeat).toBeNull();
  });

  it('reports everything at once, in order of place', () => {
    const text =
      'setle: 1s\nlimits:\n  total: none\n  tasks: 3\n# x\nstall: 5\non_delete: cancle\ntimezone: Mars\n';
    expect(roomProblems(text)).toEqual([
      expect.stringMatching(
        /^room\.yaml:1:1 unknown key "setle"; expected one of default_agent, .*providers; did you mean "settle"\?$/,
      ),
      'room.yaml:3:10 limits.total: "none" is not a whole number from 1 to 1000; expected a whole number from 1 to 1000',
      'room.yaml:4:3 unknown key "tasks"; expected one of total, chat, task, chore; did you mean "task"?',
      'room.yaml:6:8 stall: 5 is not a duration; expected a duration such as 250ms, 1s, 5m, 2h or 14d; a number needs its unit: 5s or 5m',
      'room.yaml:7:12 on_delete: "cancle" is unknown here; expected one of forget, cancel; did you mean "cancel"?',
      'room.yaml:8:11 timezone: "Mars" is not a time zone; expected a time zone such as Europe/Berlin or UTC',
    ]);
  });

  it.each([
    ['timeout: 0', /1:10 timeout: 0 is out of range; expected 1s to 24d/],
    ['timeout: 25d', /out of range/],
    ['settle: -1s', /is not a duration/],
    ['settle: 1 week', /is not a duration/],
    ['heartbeat: "61 * * * *"', /1:12 heartbeat: "61 \* \* \* \*": Invalid value for minute: 61/],
    ['heartbeat: "0 0 30 2 *"', /it never happens/],
    ['heartbeat: 2026-11-20T00:00:00', /a date is not a schedule/],
    ['limits: 4', /1:9 limits: not a map of keys/],
    ['limits:\n  total: 0', /2:10 limits\.total: 0 is not a whole number/],
    ['- a', /1:1 not a map of keys/],
    ['just text', /1:1 not a map of keys/],
    ['settle: 1s\nsettle: 2s', /2:1 the key "settle" stands here twice/],
    ['settle: !!x 1s', /1:9 Unresolved tag/],
    ['settle: "1s', /1:9 Missing closing "quote.*close the quote/],
    ['a: 1\n---\nb: 2', /multiple documents/],
    ['heartbeat: @daily', /1:12 /],
    ['default_agent: ../x', /1:16 default_agent: "\.\.\/x" is not an agent id/],
    ['__proto__: 1', /1:1 unknown key "__proto__"/],
    ['max_output_bytes: 1.5', /is not a size/],
    ['{a: 1}: 2', /1:1 a key that is not a word/],
    ['x: &k settle\n*k : 1s', /2:1 a key that is not a word/],
    ['providers: ./jira.mjs', /1:12 providers: "\.\/jira\.mjs" is not a map/],
    ['providers: { Jira: ./jira.mjs }', /"Jira" is not a provider name/],
    ['providers: { github: ./mine.mjs }', /"github" is taken; expected another name/],
    ['providers: { jira: ./jira.py }', /"\.\/jira\.py" is not a file/],
    ['providers: { jira: "https://example.org/jira.mjs" }', /is not a file/],
    ['providers: { jira: "data:text/javascript,1.mjs" }', /is not a file/],
    [
      'budgets:\n  per_task: 5',
      /2:13 budgets\.per_task: 5 is not a budget; expected a map of turns, minutes/,
    ],
    ['budgets:\n  per_day: { hours: 2 }', /2:14 unknown key "hours"; expected one of turns/],
    ['budgets:\n  per_day: { turns: 1.5 }', /2:21 budgets\.per_day\.turns: 1\.5 is not a whole number/],
    ['budgets:\n  per_day: { cost: 0 }', /cost: 0 is not a number above 0/],
    ['budgets:\n  per_day: { minutes: .inf }', /minutes: null is not a number above 0/],
    ['a: &a [*a]', /`\*a` contains itself/],
  ])('%j is refused', (text, message) => {
    const problems = roomProblems(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(message);
  });

  it('ends in problems for texts made to exhaust a parser', () => {
    const bomb = [...'bcdefghij'].map(
      (name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[i]}`).join(',')}]`,
    );
    const long = 60_000;
    const texts = [
      '['.repeat(long),
      '{'.repeat(long),
      '- '.repeat(long / 2),
      'a: '.repeat(long / 3),
      `a: &a [x,x,x,x,x,x,x,x,x]\n${bomb.join('\n')}`,
      Array.from({ length: 5000 }, (_, i) => `key${i}: 1`).join('\n'),
      'x'.repeat(2 ** 20),
    ];
    for (const text of texts) expect(roomProblems(text)).not.toHaveLength(0);
  });

  it('never throws, and places every problem inside the text', () => {
    const piece = fc.constantFrom(
      ...'\n:-?[]{},&*!|>\'"%@`# \t',
      ...['limits', 'settle', '1s', '  ', '---', '...', '<<', 'é'],
    );
    forAll(300, fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      const reading = parseRoomConfig(text, 'p');
      if (reading.ok) return;
      expect(reading.problems.length).toBeGreaterThan(0);
      for (const { line, col, message } of reading.problems) {
        const found = text.split('\n')[line - 1];
        expect(found).toBeDefined();
        expect(col).toBeLessThanOrEqual(found!.length + 1);
        expect(message).not.toBe('');
      }
    });
  });
});

describe('the file that init writes', () => {
  it('means the defaults', () => expect(room(defaultRoomYaml())).toEqual(DEFAULTS));

  it('still means them when every line is switched on', () => {
    const on = defaultRoomYaml().replace(/^# (( {2})?[a-z_]+:.*)$/gm, '$1');
    const keys = [...on.matchAll(/^ *([a-z_]+):/gm)].map((match) => match[1]);
    expect(keys).toEqual(
      [
        ...new Set(
          settingRows(ROOM)
            .flatMap(({ key }) => key.split('.'))
            .filter((key) => key !== 'turns_per_task'),
        ),
        'turns_per_task',
      ].sort((a, b) => keys.indexOf(a) - keys.indexOf(b)),
    );
    expect(room(on)).toEqual(DEFAULTS);
  });
});

function fences(language: string): string[] {
  const doc = readFileSync(new URL('../../../docs/config.md', import.meta.url), 'utf8');
  return [...doc.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map((match) => match[1]!);
}
