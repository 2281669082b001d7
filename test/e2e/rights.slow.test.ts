// What opens rights and was changed while an agent's turn ran counts only when a person says so: real daemons and agents that
// write into the room.
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { room } from './each-room.ts';
import type { E2eRoom } from './room.ts';

/** An agent whose program runs `script` in the room. */
function setUp(room: E2eRoom, script: string): void {
  room.agent('smith', { command: `${script}; taskroom done "$TASKROOM_TASK"` });
  room.save('tasks/Fix.md', '---\nowner: smith\n---\nFix it.\n');
}

const rights = async (room: E2eRoom): Promise<{ name: string; text: string; key: string }[]> =>
  (await room.json('inbox')).inbox.filter(({ kind }: { kind: string }) => kind === 'rights');

describe('a change that an agent makes in its turn', () => {
  test('of settings, agents and chores waits for a person, across restarts', async () => {
    setUp(
      room,
      [
        `printf '%s' '{"runner":"command","command":"touch stolen"}' > agents/smith/agent.json`,
        `mkdir agents/evil && printf '%s' '{"runner":"command","command":"touch evil"}' > agents/evil/agent.json`,
        'echo "loop_guard: 9999" >> room.yaml',
        `printf -- '---\\nschedule: "* * * * * *"\\nowner: smith\\n---\\nDo harm.\\n' > chores/harm.md`,
      ].join('; '),
    );
    const daemon = await room.up();
    await daemon.see('turn.ended', { name: 'Fix' });
    const names = ['agents/evil/agent.json', 'agents/smith/agent.json', 'chores/harm.md', 'room.yaml'];
    daemon.signal('SIGTERM');
    await daemon.ended;
    expect((await room.json('chores')).chores).toEqual([]);
    const items = await rights(room);
    expect(items.map(({ name }) => name).sort()).toEqual(names);
    expect(items.find(({ name }) => name === 'room.yaml')?.text).toContain('(+ loop_guard: 9999)');
    // What it was before is in force, for whoever starts anew too.
    room.save('tasks/Again.md', '---\nowner: smith\n---\nAgain.\n');
    const { results } = await room.json('once');
    expect(results.map(({ name, state }: { name: string; state: string }) => [name, state])).toEqual([
      ['Again', 'completed'],
    ]);
    expect(existsSync(room.at('stolen'))).toBe(false);
    expect(existsSync(room.at('evil'))).toBe(false);
    expect((await room.json('chores')).chores).toEqual([]);

    const said = await room.ok('accept', 'agents/smith/agent.json');
    expect(said).toContain('agents/smith/agent.json accepted');
    room.save('tasks/Third.md', '---\nowner: smith\n---\nThird.\n');
    await room.run(['once']);
    expect(existsSync(room.at('stolen'))).toBe(true);
    expect((await rights(room)).map(({ name }) => name)).not.toContain('agents/smith/agent.json');
  });

  test('is not accepted by itself', async () => {
    setUp(
      room,
      `printf '%s' '{"runner":"runbook"}' > agents/smith/agent.json; taskroom accept > said.txt 2>&1`,
    );
    await room.json('once');
    expect(room.read('said.txt')).toContain("that is the person's");
    expect(await rights(room)).toHaveLength(1);
    // Put back, it is as it was.
    room.agent('smith', {
      command: `printf '%s' '{"runner":"runbook"}' > agents/smith/agent.json; taskroom accept > said.txt 2>&1; taskroom done "$TASKROOM_TASK"`,
    });
    await room.run(['status']);
    expect(await rights(room)).toEqual([]);
  });

  test('taken by a running daemon once it is accepted', async () => {
    setUp(room, `printf '%s' '{"runner":"command","command":"touch next"}' > agents/smith/agent.json`);
    const daemon = await room.up();
    await daemon.see('turn.ended', { name: 'Fix' });
    expect(await rights(room)).toHaveLength(1);
    await room.ok('accept');
    room.save('tasks/Next.md', '---\nowner: smith\n---\nNext.\n');
    await daemon.see('turn.ended', { name: 'Next' });
    expect(existsSync(room.at('next'))).toBe(true);
  });
});

test('a person edits settings while nothing runs, as ever', async () => {
  setUp(room, 'true');
  await room.json('once');
  room.agent('smith', { command: 'touch mine; taskroom done "$TASKROOM_TASK"' });
  room.save('tasks/Next.md', '---\nowner: smith\n---\nNext.\n');
  await room.json('once');
  expect(existsSync(room.at('mine'))).toBe(true);
  expect(await rights(room)).toEqual([]);
});
