// Counts of a room: by status, agent, sprint and week, from files, history and turns, each task once.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { statsLines } from '../../../src/cli/views/status-view.ts';
import { forEachTest } from '../../support/for-each-test.ts';
import { failureOf, openTestRoom } from '../test-room.ts';

const rig = forEachTest(() => openTestRoom({ coder: {} }));
beforeEach(() => {
  // A Monday, the second of January 2040.
  rig.settings = { timezone: 'UTC' };
});

const STYLE = { paint: (_color: string, text: string) => text, columns: null, nowMs: 0 };
const task = (name: string, keys: string) => rig.save(`${name}.md`, `---\n${keys}\n---\n\n## Task\nWords.\n`);

async function filledRoom(): Promise<void> {
  task('One', 'id: abc12345\nstatus: todo\nsprint: "12"\nowner: coder');
  task('Two', 'id: abc12346\nstatus: doing\nsprint: "12"');
  task('Three', 'id: abc12347\nstatus: draft');
  task('Four', 'id: abc12348\nstatus: todo\nsprint: "11"\nowner: coder');
  await rig.call('complete', { ref: 'Four' });
  // Two that are gone, one of which was finished twice; and a line that a crash tore.
  const line = (id: string, status: string, day: string, sprint: string | null, owner: string | null) =>
    `${JSON.stringify({ archived_at: `${day}T12:00:00.000Z`, id, name: id, status, task: { sprint, owner }, text: '' })}\n`;
  appendFileSync(
    join(rig.dir, 'history.jsonl'),
    line('gone1111', 'done', '2039-12-20', '10', 'old') +
      line('gone1111', 'canceled', '2039-12-27', '11', 'coder') +
      line('gone2222', 'done', '2039-06-01', null, null) +
      '{"archived_at":"2039-',
  );
  rig.runTurn('b11111111', 'abc12345');
}

test('each task counts once, each finish in its week, each turn for its agent', async () => {
  await filledRoom();
  const stats = await rig.call('stats', { weeks: 3 });
  expect(stats.status).toEqual({ draft: 1, todo: 1, doing: 1, done: 1, canceled: 0 });
  expect(stats.archived).toBe(2);
  expect(stats.sprints).toEqual([
    { sprint: '11', tasks: { open: 0, done: 1, canceled: 1 } },
    { sprint: '12', tasks: { open: 2, done: 0, canceled: 0 } },
    { sprint: null, tasks: { open: 1, done: 1, canceled: 0 } },
  ]);
  expect(stats.agents.map(({ agent, tasks }) => [agent, tasks])).toEqual([
    ['coder', { open: 1, done: 1, canceled: 1 }],
    ['runbook', { open: 2, done: 1, canceled: 0 }],
  ]);
  expect(stats.weeks.map(({ week, from, done, canceled }) => [week, from, done, canceled])).toEqual([
    ['2039-W51', '2039-12-19', 1, 0],
    ['2039-W52', '2039-12-26', 0, 1],
    ['2040-W01', '2040-01-02', 1, 0],
  ]);
  expect(stats.weeks[2]!.turns).toMatchObject({ turns: 1, failed: 0 });
  expect(stats.weeks[1]!.turns).toMatchObject({ turns: 0 });
});

test('an empty room has zeros and eight weeks; numbers of weeks have bounds', async () => {
  const stats = await rig.call('stats', {});
  expect(stats.weeks).toHaveLength(8);
  expect(new Set(stats.weeks.map(({ week }) => week)).size).toBe(8);
  expect(stats).toMatchObject({ archived: 0, agents: [], sprints: [] });
  expect(statsLines(stats, STYLE).join('\n')).toContain('  2040-W01');
  for (const weeks of [0, -1, 521, Number.NaN])
    expect(await failureOf(rig.call('stats', { weeks }))).toMatchObject({ code: 'bad_input' });
});
