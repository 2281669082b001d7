import { expect, test } from 'vitest';
import type { AgentConfig } from '../../../src/core/config/agent-config.ts';
import { summaryAgent } from '../../../src/pulse/due/summaries.ts';
import { entriesToSumUp } from '../../../src/pulse/turn/summary-turn.ts';
import { defaultRoomConfig } from '../../../src/store/files/config-files.ts';

const entries = Array.from(
  { length: 20 },
  (_, at) => `- 2026-11-20 10:${10 + at} · did ${at} ${'x'.repeat(300)}`,
);
const comments = Array.from(
  { length: 20 },
  (_, at) => `**@bob** · 2026-11-20 10:${10 + at} <!-- c:c${at} -->\n> said ${at} ${'y'.repeat(300)}`,
);
const TEXT = `---\nid: a\n---\n\n## Progress\n\n- by hand\n${entries.join('\n')}\n\n## Comments\n\n${comments.join('\n\n')}\n`;

function sumUp(above: number | null, remote: string | null, text = TEXT) {
  const config = { ...defaultRoomConfig(), dream: { above, agent: null } };
  const found = entriesToSumUp({ config: () => config }, { remote }, text);
  return found?.map((entry) => /(did|said) \d+/.exec(entry)![0]) ?? null;
}

test('of each section that has too many the oldest, but for a quarter of the bound', () => {
  const old = sumUp(4096, null)!;
  expect(old).toContain('did 0');
  expect(old).toContain('said 0');
  expect(old).not.toContain('did 19');
  expect(old.length).toBeLessThan(40);
});

test('of a mirrored task comments alone: Progress goes to its tracker as a whole', () => {
  const old = sumUp(4096, 'task:github:acme/web#1')!;
  expect(old.every((entry) => entry.startsWith('said'))).toBe(true);
  expect(old).toContain('said 0');
});

test.each<[string, number | null, string]>([
  ['off', null, TEXT],
  ['short enough', 64 * 1024, TEXT],
  ['only what was typed by hand', 4096, `## Progress\n\n${'typed by hand, without a time\n'.repeat(500)}`],
])('nothing: %s', (_, above, text) => {
  expect(sumUp(above, null, text)).toBeNull();
});

test.each<[AgentConfig['runner'], string | null, number | null, string | null]>([
  ['command', null, 4096, 'theirs'],
  ['command', 'other', 4096, null],
  ['command', null, null, null],
  ['runbook', null, 4096, null],
])('who sums up: runner %s, agent %s, above %s: %s', (runner, agent, above, expected) => {
  const config = { ...defaultRoomConfig(), defaultAgent: 'theirs', dream: { above, agent } };
  const agents = new Map([['theirs', { id: 'theirs', runner } as AgentConfig]]);
  expect(summaryAgent({ config: () => config, agents: () => agents })).toBe(expected);
});
