// An agent's request that is carried out again, since its answer was lost on the way.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentActor } from '../../../src/tasks/task-room.ts';
import { openTestRoom, type TestRoom } from '../test-room.ts';

const ASSISTANT: AgentActor = { kind: 'assistant', client: 'claude-code' };

let room: TestRoom;
beforeEach(async () => {
  room = openTestRoom({ runner: {} });
  room.save('One.md', '---\nid: abc12345\nowner: runner\nstatus: todo\n---\nDo it.\n');
  await room.tasks.release();
});
afterEach(() => room.close());

test('a turn that an agent asked for is asked for once, also when the first one is over by then', async () => {
  const { wakes } = room.deps.ledger;
  const asked = { ...ASSISTANT, request: 'once1' };
  await room.tasks.run('One', {}, asked);
  expect(wakes.of('abc12345')).toContain('run');
  wakes.clear('abc12345');
  await room.tasks.run('One', {}, asked);
  expect(wakes.of('abc12345')).not.toContain('run');
  await room.tasks.run('One', {}, { ...ASSISTANT, request: 'once2' });
  expect(wakes.of('abc12345')).toContain('run');
});
