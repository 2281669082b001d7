// Old entries of long tasks, summed up by a real program under a real daemon.
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Daemon } from './daemon.ts';
import { room } from './each-room.ts';
import type { E2eRoom } from './room.ts';
import { SETTINGS, until } from './room.ts';

/** Sums up as the prompt says: by its own report, which is all it may. */
const SUMMARY = `cat > "$AGENT_ROOM/prompt"
taskroom done 2> "$AGENT_ROOM/refused"
taskroom progress - <<'END'
SUMMED UP: tried A, then B.
END
`;

function dreamer(room: E2eRoom, script = SUMMARY): void {
  room.save('agents/dreamer/agent.sh', script);
  room.agent('dreamer', { command: ['/bin/sh', 'agents/dreamer/agent.sh'], writes: false });
  room.settings(...SETTINGS, 'dream: { above: 8KiB, agent: dreamer }');
}

const entry = (at: number) =>
  `- 2026-11-20 10:${String(at).padStart(2, '0')} · step ${at} ${'x'.repeat(500)}`;
const comment = (at: number) =>
  `**@alice** · 2026-11-20 10:${String(at).padStart(2, '0')} <!-- c:c${at} -->\n> remark ${at} ${'y'.repeat(500)}`;
const list = (count: number, make: (at: number) => string, gap: string) =>
  Array.from({ length: count }, (_, at) => make(at)).join(gap);

const TEXT = `---
id: long1
---

## Task
Long work.

## Progress

${list(30, entry, '\n')}

## Comments

typed by hand

${list(30, comment, '\n\n')}
`;

const numbers = (text: string, word: string) =>
  [...text.matchAll(new RegExp(`${word} (\\d+) `, 'g'))].map((match) => Number(match[1]));
const ALL = Array.from({ length: 30 }, (_, at) => at);

test('the old entries go to the spill folder, one summary takes their place, and nothing else starts', async () => {
  dreamer(room);
  room.save('tasks/Long.md', TEXT);
  const daemon = await room.up();
  await daemon.see('turn.ended', { name: 'Long' });
  const ended = await daemon.see('turn.ended', { name: 'old entries of Long', state: 'completed' });
  expect(ended.turn).toMatch(/^d/);
  await room.quiet(daemon);
  const text = room.read('tasks/Long.md');
  const moved = room.read('.taskroom/spill/long1.md');
  for (const word of ['step', 'remark']) {
    expect([...numbers(moved, word), ...numbers(text, word)], word).toEqual(ALL);
    expect(numbers(text, word).length, word).toBeGreaterThan(0);
  }
  const count = numbers(moved, 'step').length + numbers(moved, 'remark').length;
  expect(text).toContain(
    `Summary of ${count} older entries, which lie in .taskroom/spill/long1.md: SUMMED UP: tried A, then B. <!-- note -->`,
  );
  expect(text).toContain('typed by hand');
  expect(room.read('refused')).toMatch(/only reports its summary/);
  expect((await room.json('show', 'long1')).status).toBe('doing');
  expect(text.length).toBeLessThan(8 * 1024);
  // Only the oldest were shown, as data.
  const prompt = room.read('prompt');
  expect(numbers(prompt, 'step')).toEqual(numbers(moved, 'step'));
  // One turn of the task, one that summed up; an edit is due like any other after it.
  expect(daemon.all('turn.started').map(({ name }) => name)).toHaveLength(2);
  expect((await room.json('show', 'long1')).turns).toHaveLength(1);
  room.edit('tasks/Long.md', (now) => now.replace('Long work.', 'Longer work.'));
  await daemon.see('turn.started', { name: 'Long', reasons: ['edited'] });
});

/** A dream that waits at its gate. */
async function startDreaming(): Promise<Daemon> {
  dreamer(room, `${SUMMARY}read -r go < "$AGENT_ROOM/gates/go"\n`);
  room.gate('go');
  room.save('tasks/Long.md', TEXT);
  const daemon = await room.up();
  await daemon.see('turn.started', { name: 'old entries of Long' });
  return daemon;
}

test("a person's change of an old entry meanwhile wins: nothing is moved, and the next hour is left alone", async () => {
  const daemon = await startDreaming();
  room.edit('tasks/Long.md', (now) => now.replace('step 0 ', 'step 0 as I saw it '));
  room.open('go');
  await daemon.see('turn.ended', {
    name: 'old entries of Long',
    state: 'failed',
    message: /changed meanwhile/,
  });
  const text = room.read('tasks/Long.md');
  expect(text).toContain('step 0 as I saw it');
  expect(numbers(text, 'remark')).toEqual(ALL);
  expect(text).not.toContain('SUMMED UP');
  room.edit('tasks/Long.md', (now) => now.replace('Long work.', 'Longer work.'));
  await daemon.see('turn.ended', { name: 'Long', reason: 'ok' }, daemon.mark());
  await room.quiet(daemon);
  expect(daemon.all('turn.started', { name: 'old entries of Long' })).toHaveLength(1);
});

test('entries that come meanwhile stay', async () => {
  const daemon = await startDreaming();
  await room.ok('comment', 'long1', 'and one more thing');
  room.open('go');
  await daemon.see('turn.ended', { name: 'old entries of Long', state: 'completed' });
  expect(room.read('tasks/Long.md')).toMatch(/and one more thing/);
  expect(room.read('tasks/Long.md')).toMatch(/SUMMED UP/);
});

test('a daemon that is killed meanwhile loses nothing: the next one takes the turn up', async () => {
  dreamer(room, `${SUMMARY}echo > "$AGENT_ROOM/summed"; read -r go < "$AGENT_ROOM/gates/go"\n`);
  room.gate('go');
  room.save('tasks/Long.md', TEXT);
  const first = await room.up();
  const { turn } = await first.see('turn.started', { name: 'old entries of Long' });
  await until('it has summed up', () => existsSync(room.at('summed')));
  await first.kill();
  const daemon = await room.up();
  await daemon.see('turn.started', { turn, adopted: true });
  room.open('go');
  await daemon.see('turn.ended', { turn, state: 'completed' });
  const text = room.read('tasks/Long.md');
  const moved = room.read('.taskroom/spill/long1.md');
  expect([...numbers(moved, 'step'), ...numbers(text, 'step')]).toEqual(ALL);
  expect(text.match(/SUMMED UP/g)).toHaveLength(1);
});
