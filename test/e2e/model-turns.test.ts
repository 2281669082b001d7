// Turns of a language model that the runtime itself calls, from the task's file to what stands in it afterwards.
import { existsSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentOf, call, inOrder, startToldModel, type ToldModel } from '../agents/model/told-model.ts';
import type { Daemon } from './daemon.ts';
import { createRoom, type E2eRoom, until } from './room.ts';

let room: E2eRoom;
let server: ToldModel;

beforeEach(async () => {
  [room, server] = await Promise.all([createRoom(), startToldModel()]);
  room.daemonEnv.MODEL_KEY = 'sk-test';
  const { runner, api, model, baseUrl, apiKey } = agentOf(server.url);
  const link = { runner, api, model, base_url: baseUrl, api_key: apiKey };
  room.agent('thinker', { ...link, limit: 1, permissions: 'run' });
});
afterEach(async () => {
  await room.close();
  await server.close();
});

test('a task is done by tools alone, goes on in its conversation, and waits for tomorrow when its day is used up', async () => {
  const usage = { prompt_tokens: 2000, completion_tokens: 200 };
  server.think = inOrder(
    { ...call('update_task', { progress: 'Looked at it.' }), usage },
    { ...call('complete_task', { outcome: 'All is well.' }), usage },
    { content: 'Through.', usage },
  );
  room.save('tasks/One.md', '---\nid: one1\nowner: thinker\n---\nLook at it.\n');
  const daemon = await room.up();
  const { turn } = await daemon.see('turn.started', { name: 'One' });
  expect(turn).toMatch(/^t/);
  await daemon.see('turn.ended', { turn, state: 'completed', reason: 'ok' });
  expect(room.read('tasks/One.md')).toMatch(/status: done[\s\S]*Looked at it\.[\s\S]*All is well\./);
  expect(await room.ok('log', 'One')).toMatch(/update_task[\s\S]*complete_task[\s\S]*Through\./);
  const [record] = (await room.json('turns', 'One')).turns;
  expect(record.usage).toMatchObject({ input_tokens: 6000, output_tokens: 600 });

  const first = server.thought.length;
  server.think = inOrder(
    { ...call('update_task', { progress: 'Looked again.' }), usage },
    { content: 'Again.', usage: { prompt_tokens: 0, completion_tokens: 0 } },
  );
  const again = daemon.mark();
  await room.ok('reopen', 'One');
  await daemon.see('turn.ended', { name: 'One', reason: 'ok' }, again);
  expect(JSON.stringify(server.thought[first]!.messages)).toContain('Through.');

  // What is left of the day is less than one question takes: nobody is asked any more.
  const { runner, api, model, baseUrl, apiKey } = agentOf(server.url);
  const asked = server.thought.length;
  const bounded = { runner, api, model, base_url: baseUrl, api_key: apiKey, budget: { tokens: 9000 } };
  // What is changed beside a turn waits for a person's word.
  await room.quiet(daemon);
  const from = daemon.mark();
  room.agent('thinker', bounded);
  await daemon.see('config.reloaded', {}, from);
  room.save('tasks/Two.md', '---\nid: two2\nowner: thinker\n---\nLook at this too.\n');
  await daemon.see('turn.ended', { name: 'Two', reason: 'budget' }, from);
  await daemon.see('agent.waiting', { agent: 'thinker' }, from);
  expect(server.thought.length).toBe(asked);
});

/** A task whose model runs a command that waits for the file `go`, with the daemon. */
async function startWaiting(): Promise<Daemon> {
  const done = [call('complete_task', { outcome: 'Dropped it.' }), { content: 'Through.' }];
  server.think = inOrder(call('run_command', { command: waiting(room) }), ...done);
  room.save('tasks/One.md', '---\nid: one11111\nowner: thinker\n---\nLook at it.\n');
  return room.up();
}

/** A command that waits for the file `go`. */
const waiting = ({ at }: E2eRoom): string =>
  `touch ${at('waits')}; until test -e ${at('go')}; do sleep 0.1; done`;

test('a running model hears what it is told after its answer, a turn that ended leaves it to the next, and no other turn follows', async () => {
  const daemon = await startWaiting();
  const { turn } = await daemon.see('turn.started', { name: 'One' });
  await until('the model waits', () => existsSync(room.at('waits')));
  expect(await room.ok('tell', 'One', 'You may drop\u202e it.')).toContain(`turn ${turn} hears it`);
  await room.ok('comment', 'One', 'And its index.');
  writeFileSync(room.at('go'), '');
  await daemon.see('turn.ended', { turn, reason: 'ok' });
  await room.quiet(daemon);
  const told = server.thought.map(
    ({ messages }) => JSON.stringify(messages).split('You may drop').length - 1,
  );
  expect(told).toEqual([0, 1, 1]);
  expect(JSON.stringify(server.thought.at(-1)!.messages).split('says while you work')).toHaveLength(3);
  expect(room.read('tasks/One.md')).toMatch(/\*\*@owner\*\* · .*\n> You may drop/);
  expect(await room.ok('log', 'One')).toContain('told: You may drop');
  expect((await room.json('turns', 'One')).turns).toHaveLength(1);
  expect(await room.run(['tell', 'One', 'More.'])).toMatchObject({ code: 4 });

  // Where no turn can hear it, it asks for one.
  room.save('tasks/Two.md', '---\nid: two22222\nowner: gate\nstatus: draft\n---\nLook at it.\n');
  await room.quiet(daemon);
  expect(await room.ok('tell', 'Two', 'Look twice.')).toContain('next turn');
  room.gate('Two');
  await room.ok('set', 'Two', 'status=todo');
  const { turn: other, reasons } = await daemon.see('turn.started', { name: 'Two' });
  expect(reasons).toContain('told');
  expect(await room.ok('tell', 'Two', 'And thrice.')).toContain('next turn');
  const from = daemon.mark();
  room.open('Two');
  const next = await daemon.see('turn.started', { name: 'Two' }, from);
  expect(next).toMatchObject({ reasons: ['told'] });
  expect(other).not.toBe(next.turn);
  room.open('Two');
  await daemon.see('turn.ended', { turn: next.turn });
  expect(room.read(`.taskroom/turns/${next.turn}/prompt.md`)).toContain('And thrice.');
});

test('words that a killed daemon did not hand over are in the next turn, once', async () => {
  const killed = await startWaiting();
  await until('the model waits', () => existsSync(room.at('waits')));
  expect(await room.ok('tell', 'One', 'You may drop it.')).toContain('hears it');
  await killed.kill();
  const daemon = await room.up();
  await daemon.see('turn.ended', { name: 'One', reason: 'ok' });
  await room.quiet(daemon);
  expect(JSON.stringify(server.thought.at(-1)!.messages).split('You may drop it.')).toHaveLength(2);
  expect((await room.json('turns', 'One')).turns).toHaveLength(2);
});
