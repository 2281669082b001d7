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
  const mend = () => {
    stage.account = account;
    stage.configure({});
  };
  try {
    if (preset !== 'opencode') return await waitsForAccount(stage, 'works', /can not sign in: /, mend);
    // Without any account it has models of its own; of a provider it has no key for it knows no model.
    stage.configure({ model: 'anthropic/claude-sonnet-4-5' });
    await isRefused(stage, 'works', stage.runner === 'acp' ? /it offers no model/ : /auth login/);
  } finally {
    mend();
  }
}

/** Its agent waits for the person, who is told once; the person who mended the account has it go on. */
export async function waitsForAccount(
  stage: Stage,
  mood: Mood,
  words: RegExp,
  mend: () => void = () => undefined,
): Promise<void> {
  const { model, room } = stage;
  const name = `Waits at ${mood}`;
  const later = `${name} too`;
  model.mood = mood;
  room.save(`tasks/${name}.md`, '## Task\nWork.\n');
  await once(stage);
  room.save(`tasks/${later}.md`, '## Task\nWork.\n');
  await once(stage);
  model.mood = 'works';
  mend();
  const turn = await lastTurn(stage, name);
  const { turns } = JSON.parse(await ok(stage, 'turns', later, '--json')) as { turns: { state: string }[] };
  assert.deepEqual(
    turns.map(({ state }) => state),
    ['pending'],
    'its agent did not wait',
  );
  assert.equal(turn.reason, 'refused', `${JSON.stringify(turn)}\n${logOf(stage, turn.id)}`);
  assert.match(turn.message, words);
  assert.doesNotMatch(room.read(`tasks/${name}.md`), /^paused: true$/m);
  const told = (await ok(stage, 'inbox')).split('\n').filter((line) => words.test(line));
  assert.equal(told.length, 1, told.join('\n'));
  await ok(stage, 'cancel', later);
  await ok(stage, 'run', name);
  await once(stage);
  assert.match(room.read(`tasks/${name}.md`), /^status: done$/m);
  assert.doesNotMatch(await ok(stage, 'inbox'), words);
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
