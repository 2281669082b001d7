// Questions of a mirrored task: which of the replies upstream is the answer. And whose text `prefer:` lets stand.
import { expect, test } from 'vitest';
import type { AgentActor } from '../../src/tasks/task-room.ts';
import { AGENT } from '../tasks/test-room.ts';
import { dieAt, type MemoryMirror, openMemoryMirror } from './memory-mirror.ts';

let rig: MemoryMirror;
let ref: string;

/** A mirrored task that asks these things, each of which stands upstream. */
async function asking(...questions: string[]): Promise<void> {
  rig = openMemoryMirror();
  ref = rig.tracker.createIssue({ title: 'One' });
  await rig.run();
  rig.room.runTurn('b00000000', rig.taskOf(ref));
  for (const question of questions)
    await rig.room.call('ask', { ref: rig.taskOf(ref), question }, AGENT as AgentActor);
  await rig.run();
  expect(rig.tracker.find(ref)!.comments).toHaveLength(questions.length);
  rig.tracker.advance(60_000);
}

async function reply(text: string): Promise<void> {
  rig.tracker.addComment(ref, text);
  await rig.run();
}

async function answers(): Promise<string[][]> {
  const { questions } = await rig.room.call('show', { ref: rig.taskOf(ref) });
  return questions.map((question) => question.answers.map(({ text }) => text));
}

test('a first reply is the answer, also after a crash before it was recorded; a second one is a comment', async () => {
  await asking('Which table?');
  rig.tracker.addComment(ref, 'The second.');
  dieAt(rig, 'written');
  await expect(rig.run()).rejects.toThrow('died');
  await rig.restart();
  await rig.run();
  expect(await answers()).toEqual([['The second.']]);
  await reply('Or the first.');
  expect(await answers()).toEqual([['The second.']]);
  expect(rig.read(ref)).toContain('> Or the first.');
});

test('one reply answers all that is open, unless it quotes one of them', async () => {
  await asking('Which table?', 'Which index?');
  await reply('> Which index?\n\nThe second.');
  expect(await answers()).toEqual([[], ['> Which index?\n\nThe second.']]);
  await asking('Which table?', 'Which index?');
  await reply('The second.');
  expect(await answers()).toEqual([['The second.'], ['The second.']]);
});

test('our question edited or deleted upstream stays open as it is in the file', async () => {
  await asking('Which table?');
  const [posted] = rig.tracker.find(ref)!.comments;
  rig.tracker.editComment(ref, posted!.id, 'Never mind.');
  await rig.run();
  rig.tracker.advance(1000);
  rig.tracker.deleteComment(ref, posted!.id);
  await rig.run({ full: true });
  expect(await answers()).toEqual([[]]);
  expect(rig.read(ref)).toContain('> Which table?');
  expect(rig.tracker.find(ref)!.comments).toEqual([]);
});

test.each([
  ['remote', 'theirs'],
  ['local', 'ours'],
] as const)(
  'of a text that both sides changed that of `prefer: %s` stands on both',
  async (prefer, winner) => {
    rig = openMemoryMirror({ mirror: { prefer, push: ['body'] } });
    ref = rig.tracker.createIssue({ title: 'One', body: 'old' });
    await rig.run();
    rig.tracker.advance(1000);
    rig.tracker.editIssue(ref, { body: 'theirs' });
    rig.edit(ref, '\nold\n', '\nours\n');
    expect(await rig.run()).toMatchObject({ conflicts: 1, error: null });
    expect(rig.tracker.find(ref)!.body.trim()).toBe(winner);
    expect(rig.read(ref)).toContain(`\n${winner}\n`);
    expect(await rig.run()).toMatchObject({ updated: 0, pushed: 0, conflicts: 0 });
  },
);
