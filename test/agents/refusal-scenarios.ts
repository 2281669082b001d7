// What agents do whose provider refuses them, or has too much to do.
import assert from 'node:assert/strict';
import type { Mood } from './refusals.ts';
import type { Stage } from './stage.ts';
import { lastTurn, logOf, ok, once } from './turn-records.ts';

export async function isRefused(stage: Stage, mood: Mood, words: RegExp): Promise<void> {
  const name = `Refused for ${mood}`;
  stage.model.mood = mood;
  stage.room.save(`tasks/${name}.md`, '## Task\nTry.\n');
  await once(stage);
  stage.model.mood = 'works';
  const turn = await lastTurn(stage, name);
  assert.equal(turn.reason, 'refused', `${JSON.stringify(turn)}\n${logOf(stage, turn.id)}`);
  assert.match(turn.message, words);
  assert.match(stage.room.read(`tasks/${name}.md`), /^paused: true$/m);
}

export async function hasNoAccount(stage: Stage): Promise<void> {
  const { account, preset } = stage;
  stage.account = {};
  // Without any account it has models of its own; of a provider it has no key for it knows no model.
  if (preset === 'opencode') stage.configure({ model: 'anthropic/claude-sonnet-4-5' });
  const missing = stage.runner === 'acp' ? /it offers no model/ : /auth login/;
  const words = preset === 'opencode' ? missing : /can not sign in: /;
  try {
    await isRefused(stage, 'works', words);
  } finally {
    stage.account = account;
    stage.configure({});
  }
}

/** Its agent waits for the person, who is told once; the person who paid has it go on. */
export async function meetsNoMoney(stage: Stage): Promise<void> {
  const { model, room } = stage;
  model.mood = 'no money';
  room.save('tasks/Unpaid.md', '## Task\nWork.\n');
  await once(stage);
  room.save('tasks/Unpaid too.md', '## Task\nWork.\n');
  await once(stage);
  model.mood = 'works';
  const turn = await lastTurn(stage, 'Unpaid');
  const { turns } = JSON.parse(await ok(stage, 'turns', 'Unpaid too', '--json')) as {
    turns: { state: string }[];
  };
  assert.deepEqual(
    turns.map(({ state }) => state),
    ['pending'],
    'its agent did not wait',
  );
  assert.equal(turn.reason, 'refused', `${JSON.stringify(turn)}\n${logOf(stage, turn.id)}`);
  assert.match(turn.message, /has nothing left to pay with: /);
  assert.doesNotMatch(room.read('tasks/Unpaid.md'), /^paused: true$/m);
  const told = (await ok(stage, 'inbox')).split('\n').filter((line) => line.includes('left to pay with'));
  assert.equal(told.length, 1, told.join('\n'));
  await ok(stage, 'cancel', 'Unpaid too');
  await ok(stage, 'run', 'Unpaid');
  await once(stage);
  assert.match(room.read('tasks/Unpaid.md'), /^status: done$/m);
  assert.doesNotMatch(await ok(stage, 'inbox'), /left to pay with/);
}

export async function meetsOverload(stage: Stage): Promise<void> {
  const { model, room } = stage;
  model.mood = 'overloaded';
  room.save('tasks/Overloaded.md', '## Task\nTry.\n');
  await once(stage);
  model.mood = 'works';
  const turn = await lastTurn(stage, 'Overloaded');
  assert.equal(turn.state, 'failed', logOf(stage, turn.id));
  assert.match(turn.message, /finds its provider overloaded: /, logOf(stage, turn.id));
}

/** It reported something, and then its model's last answer was not whole: no turn that is through. */
export async function isCutOff(stage: Stage, cutBy: 'length' | 'content_filter'): Promise<void> {
  const { wishes, room } = stage;
  // The mock says nothing of it in the form that Codex asks in.
  if (stage.preset === 'codex') return;
  const name = `Cut by ${cutBy.replace('_', ' ')}`;
  wishes.attack = () => [{ tool: 'update_task', input: { progress: 'Half of it.' } }];
  // Each provider has a word of its own.
  wishes.cutBy = cutBy === 'content_filter' && stage.preset === 'claude' ? 'refusal' : cutBy;
  room.save(`tasks/${name}.md`, '## Task\nDo the whole.\n');
  try {
    await once(stage);
  } finally {
    delete wishes.attack;
    delete wishes.cutBy;
  }
  const turn = await lastTurn(stage, name);
  assert.match(room.read(`tasks/${name}.md`), /Half of it\./, logOf(stage, turn.id));
  assert.equal(turn.state, 'failed', logOf(stage, turn.id));
}
