import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PRESET_NAMES } from '../../../src/core/config/agent-config.ts';
import { createCommandRunner } from '../../../src/runners/command/command.ts';
import { PRESETS, readSession } from '../../../src/runners/command/presets.ts';
import { createRunners } from '../../../src/runners/registry.ts';
import { AGENTS, drive, prepareTurn } from '../prepared-turn.ts';

const SESSION = '0199a213-81c0-7800-8aa1-bbab2a035a53';
const EVENTS = {
  claude: { type: 'system', subtype: 'init', session_id: SESSION },
  codex: { type: 'thread.started', thread_id: SESSION },
  gemini: { type: 'init', session_id: SESSION, model: 'x' },
  opencode: { type: 'step_start', sessionID: SESSION },
  copilot: { type: 'result', sessionId: SESSION, exitCode: 0 },
};

test.each(PRESET_NAMES)('%s: prompt on stdin, model, session', (name) => {
  const preset = PRESETS[name];
  expect(preset.argv(null, null).join(' ')).not.toMatch(/null|undefined|--model|--resume|resume|--session/);
  const argv = preset.argv('some/model', SESSION);
  expect(argv.join(' ')).toContain('some/model');
  expect(argv.join(' ')).toContain(SESSION);
  const output = `starting\n{broken\n{"type":"other"}\n${JSON.stringify(EVENTS[name])}\n`;
  expect(readSession(preset, output)).toBe(SESSION);
});

test('an id that could be read as an option is no session', () => {
  for (const id of ['--yolo', '-x', '', 'a b', 'x\n', 7, null, 'é', 'x'.repeat(300)]) {
    expect(readSession(PRESETS.claude, JSON.stringify({ session_id: id }))).toBeNull();
  }
});

test('a preset runs its program, reports the session and resumes it, but not for ever', async () => {
  const runner = createCommandRunner();
  const rig = prepareTurn({ agent: { preset: 'claude' } });
  copyFileSync(join(AGENTS, 'claude-like.sh'), join(rig.input.binDir, 'claude'));
  chmodSync(join(rig.input.binDir, 'claude'), 0o755);
  const first = drive(runner, { ...rig.input, session: SESSION });
  expect((await first.ended).reason).toBe('ok');
  expect(first.events.filter(({ type }) => type === 'session')).toEqual([{ type: 'session', id: SESSION }]);
  expect(rig.log()).toContain(`--resume ${SESSION}`);
  rig.close();

  const later = prepareTurn({ agent: { preset: 'claude' } });
  copyFileSync(join(AGENTS, 'claude-like.sh'), join(later.input.binDir, 'claude'));
  const turn = { ...later.input.turn, attempt: 3 };
  expect((await drive(runner, { ...later.input, turn, session: SESSION }).ended).reason).toBe('ok');
  expect(later.log()).not.toContain('--resume');
  later.close();
});

test('every runner stands in the registry under its own name', () => {
  const runners = createRunners();
  expect([...runners.keys()]).toEqual(['command', 'runbook']);
  for (const [name, runner] of runners) expect(runner.name).toBe(name);
  const rig = prepareTurn();
  expect(runners.get('command')!.streams(rig.input.agent)).toBe(false);
  expect(runners.get('command')!.streams({ ...rig.input.agent, preset: 'codex' })).toBe(true);
  rig.close();
});
