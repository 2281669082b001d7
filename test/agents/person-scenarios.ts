// What a person does to an agent at work: answers what it asks, and stops it.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processesOf, until } from '../e2e/room.ts';
import type { Stage } from './stage.ts';
import { labelOf } from './subjects.ts';
import { lastTurn, logOf, ok, once, promptsSince, untilResumable } from './turn-records.ts';

/** A command is put to the person, and runs once the answer is yes. */
export async function asksItsPerson(stage: Stage): Promise<void> {
  const { room, wishes, project } = stage;
  const name = 'Ask first';
  stage.configure({ approve: { execute: 'ask' } });
  const file = join(project, 'asked.txt');
  wishes.escalates = true;
  wishes.commands = [`echo yes > '${file}'`];
  room.save(`tasks/${name}.md`, '## Task\nAsk before you run anything.\n');
  await once(stage);
  const asking = await lastTurn(stage, name);
  assert.equal(asking.reason, 'ok', `${JSON.stringify(asking)}\n${logOf(stage, asking.id)}`);
  assert.match(room.read(`tasks/${name}.md`), /May I do this \(execute\)\?/, logOf(stage, asking.id));
  assert.ok(!existsSync(file), 'it did not wait for the answer');
  await ok(stage, 'answer', name, 'yes');
  await untilResumable(stage);
  const from = stage.model.thought.length;
  await once(stage);
  wishes.escalates = false;
  wishes.commands = [];
  stage.configure({});
  const turn = await lastTurn(stage, name);
  assert.notEqual(turn.id, asking.id);
  assert.equal(readFileSync(file, 'utf8').trim(), 'yes', logOf(stage, turn.id));
  assert.match(room.read(`tasks/${name}.md`), /^status: done$/m, logOf(stage, turn.id));
  assert.ok(promptsSince(stage, from) >= 2, 'the answer came to another session');
  rmSync(file);
}

/** A question of the program's own kind is one of the task, and its answer fills it when it comes again in the same session. */
export async function asksByForm(stage: Stage): Promise<void> {
  const { room, wishes, model } = stage;
  // The others have no tool for it.
  if (labelOf(stage) !== 'claude:acp') return;
  const name = 'Ask by a form';
  const options = [
    { label: 'Tea', description: 'green' },
    { label: 'Coffee', description: 'black' },
  ];
  const questions = [{ question: 'Tea or coffee?', header: 'Drink', multiSelect: false, options }];
  wishes.attack = () => [{ tool: 'AskUserQuestion', input: { questions } }];
  room.save(`tasks/${name}.md`, '## Task\nAsk what to drink.\n');
  await once(stage);
  const asking = await lastTurn(stage, name);
  assert.equal(asking.reason, 'ok', `${JSON.stringify(asking)}\n${logOf(stage, asking.id)}`);
  assert.match(
    room.read(`tasks/${name}.md`),
    /> Tea or coffee\?[\s\S]*- Coffee: black/,
    logOf(stage, asking.id),
  );
  await ok(stage, 'answer', name, 'coffee');
  await untilResumable(stage);
  const from = model.thought.length;
  await once(stage);
  delete wishes.attack;
  const turn = await lastTurn(stage, name);
  const results = model.thought
    .slice(from)
    .flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'));
  assert.match(JSON.stringify(results.at(-1)), /Coffee/, logOf(stage, turn.id));
  assert.equal(room.read(`tasks/${name}.md`).match(/> Tea or coffee/g)?.length, 1);
  await ok(stage, 'cancel', name);
}

export const takesNoWords = (subject: Parameters<typeof labelOf>[0]): string | null =>
  ['claude:acp', 'codex:acp'].includes(labelOf(subject)) ? null : 'it takes no words while it works';

/** Words of its person reach an agent that can be steered while it works. */
export async function hearsItsPerson(stage: Stage): Promise<void> {
  if (takesNoWords(stage) !== null) return;
  const { room, wishes, project, model } = stage;
  const name = 'Told';
  stage.configure({ permissions: 'all' });
  const [begun, go] = ['begun.txt', 'go.txt'].map((file) => join(project, file)) as [string, string];
  wishes.commands = [`echo > '${begun}'; while [ ! -e '${go}' ]; do sleep 0.1; done`];
  const { daemon, stop } = await stage.up();
  const from = model.thought.length;
  room.save(`tasks/${name}.md`, '## Task\nWait for it.\n');
  const { turn } = await daemon.see('turn.started', { name });
  try {
    await until('its command runs', () => existsSync(begun));
    assert.match(
      await ok(stage, 'tell', name, 'The word is heliotrope.'),
      new RegExp(`turn ${turn} hears it`),
    );
    await until('it is told', () => /"told: /.test(room.read(`.taskroom/turns/${turn}/output.log`)));
    writeFileSync(go, '');
    await daemon.see('turn.ended', { turn, reason: 'ok' });
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${logOf(stage, String(turn))}`);
  }
  await stop();
  wishes.commands = [];
  stage.configure({});
  const heard = model.thought.slice(from).map(({ messages }) => JSON.stringify(messages));
  assert.ok(
    heard.some((text) => text.includes('heliotrope')),
    'its model never saw the words',
  );
  assert.equal(room.read(`tasks/${name}.md`).split('heliotrope').length, 2);
  for (const file of [begun, go]) rmSync(file);
}

/** In the midst of a command that does not end. */
export async function isStopped(stage: Stage): Promise<void> {
  const { room, wishes, project } = stage;
  const name = 'Stopped';
  stage.configure({ permissions: 'all' });
  const begun = join(project, 'begun.txt');
  wishes.commands = [`echo > '${begun}'; sleep 600`];
  const { daemon, stop } = await stage.up();
  room.save(`tasks/${name}.md`, '## Task\nSleep.\n');
  const { turn } = await daemon.see('turn.started', { name });
  try {
    await until('its command runs', () => existsSync(begun));
    await ok(stage, 'kill', name);
    await daemon.see('turn.ended', { turn, state: 'killed' });
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${logOf(stage, String(turn))}`);
  }
  await stop();
  wishes.commands = [];
  stage.configure({});
  assert.deepEqual(processesOf(room.dir), []);
  assert.deepEqual(sleepersIn(project), [], 'its command still runs');
  const log = room.read(`.taskroom/turns/${turn}/output.log`);
  if (stage.runner === 'acp')
    assert.match(log, /"stopReason":"cancelled"/, 'it was not asked by the protocol');
  rmSync(begun);
}

/** Pids of programs that sleep in this folder. */
function sleepersIn(folder: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        readFileSync(`/proc/${pid}/cmdline`, 'utf8') === 'sleep\x300\0' &&
        readlinkSync(`/proc/${pid}/cwd`) === folder
      );
    } catch {
      return false;
    }
  });
}
