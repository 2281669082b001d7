// A task that asks for years: its file stays small.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TaskId, TurnId } from '../../../src/core/ids.ts';
import { openTestRoom, type TestRoom } from '../test-room.ts';

const TASK = 'abc12345' as TaskId;
const AGENT_OF = { kind: 'agent', agent: 'runbook', turn: 'b11111111' as TurnId } as const;
let rig: TestRoom;
beforeEach(() => {
  rig = openTestRoom();
  rig.save('One.md', `---\nid: ${TASK}\nstatus: doing\n---\n## Task\nDo it.\n`);
  rig.runTurn('b11111111', TASK);
});
afterEach(() => rig.close());

const text = (): string => rig.read('tasks/One.md');

test('a task may ask on and on: settled questions move out of its file, none that still waits for anybody', async () => {
  const { questions, database } = rig.deps.ledger;
  let second = '';
  const long = 'word '.repeat(1_500);
  for (let at = 0; at < 45; at += 1) {
    const { question } = await rig.call('ask', { ref: 'One', question: `Which ${at}? ${long}` }, AGENT_OF);
    await rig.call('answer', { ref: 'One', text: `The ${at}th.`, question });
    questions.show(TASK, `b${at}`);
    questions.take(TASK, `b${at}`);
    // No turn ever dealt with the second.
    if (at === 1) second = question;
    database.run('UPDATE questions SET taken = NULL WHERE key = ?', second);
  }
  const { question: open } = await rig.call('ask', { ref: 'One', question: 'Which is open?' }, AGENT_OF);
  expect(text().length).toBeLessThan(300_000);
  const moved = rig.read(`.taskroom/spill/${TASK}.md`);
  const left = (await rig.call('show', { ref: 'One' })).questions.map(
    ({ text: words }) => /Which (\w+)/.exec(words)![1],
  );
  const gone = [...moved.matchAll(/> Which (\w+)/g)].map(([, word]) => word);
  expect([...gone, ...left].sort()).toEqual([...Array.from({ length: 45 }, (_, at) => `${at}`), 'is'].sort());
  expect(left).toContain('1');
  expect(left).toContain('is');
  expect(gone.length).toBeGreaterThan(20);
  expect(moved.match(/The 0th\./g)).toHaveLength(1);
  expect(questions.isWaiting(TASK)).toBe(true);
  expect(questions.of(TASK).filter(({ isWithdrawn }) => isWithdrawn)).toEqual([]);
  await rig.call('answer', { ref: 'One', text: 'This.' });
  expect(questions.news(TASK).map(({ key }) => key)).toContain(open);
});
