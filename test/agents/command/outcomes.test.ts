// What a coding agent's turn counts as, over what the programs really printed (test/fixtures/agents/output).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createOutputReader } from '../../../src/agents/command/output-reader.ts';
import { PRESETS } from '../../../src/agents/command/presets.ts';
import { readEpoch, readLimitEnd } from '../../../src/agents/command/reading/trouble.ts';
import {
  type AgentReport,
  addEvent,
  dropsSession,
  EMPTY_REPORT,
  isHopeless,
  judge,
} from '../../../src/agents/command/verdict.ts';
import type { Outcome } from '../../../src/agents/runner.ts';
import { PRESET_NAMES, type PresetName } from '../../../src/core/config/agent-config.ts';
import type { AgentEvent } from '../../../src/core/rules/turn.ts';
import { AGENTS } from '../prepared-turn.ts';

const NOW = Date.UTC(2026, 10, 22, 6, 30);
const SECOND = 1000;

function printed(name: PresetName, what: string): string {
  return readFileSync(join(AGENTS, 'output', `${name}-${what}.txt`), 'utf8');
}

function eventsOf(name: PresetName, output: string): AgentEvent[] {
  const reader = createOutputReader(PRESETS[name], () => ({ now: NOW, zone: 'UTC' }));
  return [...reader.read(output), ...reader.end()];
}

function toldBy(name: PresetName, what: string, at = 0): AgentReport {
  return eventsOf(name, printed(name, what)).reduce((told, event) => addEvent(told, event, at), EMPTY_REPORT);
}

const ended = (code: number): Outcome => ({
  state: code === 0 ? 'completed' : 'failed',
  reason: code === 0 ? 'ok' : 'exit',
  exitCode: code,
  signal: null,
  message: code === 0 ? '' : `exit code ${code}`,
});

function outcomeOf(name: PresetName, what: string, code = 1): Outcome {
  return judge(ended(code), toldBy(name, what), PRESETS[name], 'coder');
}

test.each(PRESET_NAMES)('%s: work that went well, with its session, words, tools and usage', (name) => {
  const events = eventsOf(name, printed(name, 'works'));
  const of = <Type extends AgentEvent['type']>(type: Type) =>
    events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);
  expect(of('session')[0]?.id).toMatch(/^[\w-]{20,}$/);
  expect(of('text').map(({ text }) => text)).toEqual(
    expect.arrayContaining(['Step 1.', 'The work is done.']),
  );
  const calls = of('tool').map(({ input }) => input);
  expect(calls.join('\n')).toMatch(/taskroom show[\s\S]*progress 'Looked at it[\s\S]*taskroom done/);
  expect(
    of('result')
      .map(({ text }) => text)
      .join('\n'),
  ).toContain('bridge called: done');
  expect(of('result').every(({ failed }) => !failed) || name === 'copilot').toBe(true);
  expect(of('trouble')).toEqual([]);
  expect(outcomeOf(name, 'works', 0)).toEqual({ ...ended(0), words: 'The work is done.' });
  const usage = of('usage').at(-1)?.usage;
  if (name === 'copilot') expect(usage).toBeUndefined();
  else expect(usage).toMatchObject({ inputTokens: expect.any(Number), outputTokens: 100 });
});

test.each([
  ['claude', 'Invalid API key'],
  ['codex', 'Incorrect API key'],
  ['gemini', 'API key not valid'],
  ['opencode', 'Incorrect API key'],
  ['copilot', 'Authentication failed'],
] as const)('%s: a wrong key is refused with how to sign in', (name, words) => {
  for (const code of [0, 1]) {
    const { state, reason, message } = outcomeOf(name, 'wrong-key', code);
    expect({ state, reason }).toEqual({ state: 'failed', reason: 'refused' });
    expect(message).toContain(`${name} can not sign in: `);
    expect(message).toContain(words);
    expect(message).toContain(PRESETS[name].signIn);
    expect(message).not.toContain('\n');
  }
});

test.each([
  ['claude', /Not logged in/],
  ['gemini', /GEMINI_API_KEY/],
  ['copilot', /No authentication information/],
] as const)('%s: without a key it is refused', (name, words) => {
  const { reason, message } = outcomeOf(name, 'no-key');
  expect(reason).toBe('refused');
  expect(message).toMatch(words);
});

test.each([...PRESET_NAMES])('%s: an unknown model is refused with where to change it', (name) => {
  const { reason, message } = outcomeOf(name, 'unknown-model');
  expect(reason).toBe('refused');
  expect(message).toContain('can not use its model');
  expect(message).toContain('agents/coder/agent.json');
});

test('opencode: a provider it has no key for is an unknown model to it', () => {
  const { reason, message } = outcomeOf('opencode', 'no-key');
  expect(reason).toBe('refused');
  expect(message).toMatch(/Model not found: anthropic.*opencode auth login/);
});

test.each([...PRESET_NAMES])('%s: a full context fails, and its session is not taken up again', (name) => {
  expect(outcomeOf(name, 'context-full')).toMatchObject({ state: 'failed', reason: 'exit' });
  expect(dropsSession(ended(1), toldBy(name, 'context-full'))).toBe(true);
  expect(dropsSession(ended(1), toldBy(name, 'wrong-key'))).toBe(false);
});

test.each([...PRESET_NAMES])('%s: a session that is gone fails, and is not asked for again', (name) => {
  expect(outcomeOf(name, 'no-session')).toMatchObject({ state: 'failed', reason: 'exit' });
  expect(dropsSession(ended(1), toldBy(name, 'no-session'))).toBe(true);
});

test('a session over which its program went silent is not taken up again', () => {
  const stalled: Outcome = { ...ended(1), reason: 'stalled' };
  expect(dropsSession(stalled, EMPTY_REPORT)).toBe(true);
  expect(dropsSession(ended(1), EMPTY_REPORT)).toBe(false);
  expect(dropsSession(stalled, toldBy('opencode', 'works'))).toBe(false);
});

test.each([
  ['claude', 'usage-limit-oauth', '2026-11-22T09:25:52.000Z'],
  ['claude', 'usage-limit', null],
  ['codex', 'usage-limit', '2026-11-22T09:25:00.000Z'],
  ['gemini', 'usage-limit', '2026-11-22T09:15:36.000Z'],
  ['opencode', 'usage-limit', null],
  ['copilot', 'usage-limit', null],
] as const)('%s: %s parks until %s', (name, what, until) => {
  const outcome = outcomeOf(name, what);
  expect(outcome).toMatchObject({ state: 'failed', reason: 'rate_limited' });
  expect(outcome.until).toBe(until === null ? null : Date.parse(until));
  expect(outcome.message).toContain(`${name} has reached its usage limit: `);
});

test.each([...PRESET_NAMES])('%s: no network fails with that reason', (name) => {
  const { reason, message } = outcomeOf(name, 'no-network');
  expect(reason).toBe('exit');
  expect(message).toContain(`${name} does not reach its provider: `);
});

test('programs that wait without end are stopped: at once where the end of a limit is far, else after a while', () => {
  const silent = toldBy('opencode', 'usage-limit');
  expect(isHopeless(silent, 89 * SECOND, NOW)).toBe(false);
  expect(isHopeless(silent, 90 * SECOND, NOW)).toBe(true);
  const far = addEvent(
    EMPTY_REPORT,
    { type: 'trouble', trouble: { kind: 'limit', message: 'wait', until: NOW + 3_600_000 } },
    0,
  );
  expect(isHopeless(far, 4 * SECOND, NOW)).toBe(false);
  expect(isHopeless(far, 5 * SECOND, NOW)).toBe(true);
  const offline = toldBy('codex', 'no-network');
  expect(isHopeless(offline, 119 * SECOND, NOW)).toBe(false);
  expect(isHopeless(offline, 120 * SECOND, NOW)).toBe(true);
});

test('trouble that its agent got over is over', () => {
  const words: AgentEvent = { type: 'text', text: 'on with it' };
  const told = addEvent(toldBy('codex', 'no-network'), words, 1);
  expect(told.trouble).toBeNull();
  expect(addEvent(toldBy('opencode', 'no-network'), { type: 'alive' }, 1).trouble).toBeNull();
  expect(addEvent(toldBy('codex', 'no-network'), { type: 'line', text: 'x' }, 1).trouble).not.toBeNull();
  expect(isHopeless(told, 1e9, NOW)).toBe(false);
  expect(judge(ended(0), told, PRESETS.codex, 'coder')).toMatchObject(ended(0));
});

test('who was stopped by others did not fail by itself; who took too long says what it waited for', () => {
  const told = toldBy('opencode', 'no-network');
  const killed: Outcome = { ...ended(1), state: 'killed', reason: 'person', message: 'killed by a person' };
  expect(judge(killed, told, PRESETS.opencode, 'coder')).toEqual(killed);
  const late: Outcome = { ...ended(1), reason: 'timed_out', message: 'stopped' };
  expect(judge(late, told, PRESETS.opencode, 'coder')).toMatchObject({
    reason: 'timed_out',
    message: expect.stringContaining('does not reach its provider'),
  });
});

test('an agent that says it failed has failed, whatever its exit code', () => {
  const told: AgentReport = { ...EMPTY_REPORT, end: { failed: true } };
  expect(judge(ended(0), told, PRESETS.claude, 'coder')).toMatchObject({ state: 'failed', reason: 'exit' });
});

test("an answer of claude's that was cut off or withheld is no success, though it says so", () => {
  const told = (reason: string | null) =>
    eventsOf(
      'claude',
      `${JSON.stringify({ type: 'result', subtype: 'success', is_error: false, stop_reason: reason })}\n`,
    ).reduce((sum, event) => addEvent(sum, event, 0), EMPTY_REPORT);
  for (const reason of ['end_turn', 'stop_sequence', null])
    expect(judge(ended(0), told(reason), PRESETS.claude, 'coder')).toMatchObject({ state: 'completed' });
  for (const reason of ['max_tokens', 'refusal', 'model_context_window_exceeded'])
    expect(judge(ended(0), told(reason), PRESETS.claude, 'coder')).toMatchObject({
      ...{ state: 'failed', reason: 'exit' },
      message: `claude ended before its model was through: its model's answer ended: ${reason}`,
    });
});

test.each([
  ['claude', { type: 'system', subtype: 'init', mcp_servers: [{ name: 'taskroom', status: 'failed' }] }],
  [
    'copilot',
    { type: 'session.mcp_server_status_changed', data: { serverName: 'taskroom', status: 'failed' } },
  ],
] as const)('a turn of %s without the tools it reports by has failed, and says so', (name, event) => {
  const told = (text: string) =>
    eventsOf(name, text).reduce((sum, one) => addEvent(sum, one, 0), { ...EMPTY_REPORT, words: 'Done.' });
  const line = `${JSON.stringify(event)}\n`;
  expect(judge(ended(0), told(line), PRESETS[name], 'coder')).toMatchObject({
    ...{ state: 'failed', reason: 'exit' },
    message: `${name} had none of the tools that it reports by: their server did not start`,
  });
  for (const other of [line.replace('failed', 'pending'), line.replace('"taskroom"', '"theirs"')])
    expect(judge(ended(0), told(other), PRESETS[name], 'coder')).toMatchObject({ state: 'completed' });
  const later = told(line + line.replace('failed', 'connected'));
  expect(judge(ended(0), later, PRESETS[name], 'coder')).toMatchObject({ state: 'completed' });
});

const AT_THREE = Date.UTC(2026, 10, 22, 3, 0, 0);
const at = (words: string, zone = 'UTC'): string | null => {
  const end = readLimitEnd(words, { now: AT_THREE, zone });
  return end === null ? null : new Date(end).toISOString();
};

test.each([
  // As the programs themselves said it.
  ["You've hit your session limit · resets 4:21am (UTC)", '2026-11-22T04:21:00.000Z'],
  ["You've hit your weekly limit · resets Nov 27, 4am (Europe/Berlin)", '2026-11-27T03:00:00.000Z'],
  [
    'You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at 4:21 AM.',
    '2026-11-22T04:21:00.000Z',
  ],
  ['or try again at Nov 27th, 2026 4:21 PM.', '2026-11-27T16:21:00.000Z'],
  ['You exceeded your current quota. Please retry in 9936s.', '2026-11-22T05:45:36.000Z'],
  ['Please retry in 1h2m3.5s.', '2026-11-22T04:02:03.500Z'],
  ['Claude AI usage limit reached|1795339552', '2026-11-22T09:25:52.000Z'],
  // Other ways to say it.
  ['try again in 3 days 4 hours 5 minutes', '2026-11-25T07:05:00.000Z'],
  ['Rate limited. Retry after 30 seconds', '2026-11-22T03:00:30.000Z'],
  ['rate limit, try again in 250ms', '2026-11-22T03:00:00.250Z'],
  ['limit resets at 2026-11-22T09:00:00Z', '2026-11-22T09:00:00.000Z'],
  ['resets 2am (UTC)', '2026-11-23T02:00:00.000Z'],
  ['resets 12am', '2026-11-23T00:00:00.000Z'],
  ['resets at 16:21', '2026-11-22T16:21:00.000Z'],
])('%s', (words, end) => expect(at(words)).toBe(end));

test.each([
  ...['The usage limit has been reached', 'resets soon', 'try again at 25:70', 'resets Feb 31, 4am'],
  ...['try again in a while', 'failed at 12 of 30 files', 'limit resets at 2026-11-20T09:00:00Z'],
  ...['limit resets at 2031-11-20T09:00:00Z', ''],
])('%s: no time is told', (words) => expect(at(words)).toBeNull());

test('a time without a zone counts in the zone of the machine, over a change of its clocks too', () => {
  expect(at('try again at 4:21 AM', 'America/New_York')).toBe('2026-11-22T09:21:00.000Z');
  const before = Date.UTC(2027, 2, 27, 23);
  expect(readLimitEnd('resets 3am', { now: before, zone: 'Europe/Berlin' })).toBe(Date.UTC(2027, 2, 28, 1));
});

test('a number is a moment in seconds or milliseconds, when it can be the end of a limit', () => {
  const clock = { now: AT_THREE, zone: 'UTC' };
  expect(readEpoch(1_795_339_552, clock)).toBe(1_795_339_552_000);
  expect(readEpoch(1_795_339_552_000, clock)).toBe(1_795_339_552_000);
  for (const value of [0, -1, Number.NaN, '1795339552', null, AT_THREE - 1, 9e15])
    expect(readEpoch(value, clock)).toBeNull();
});
