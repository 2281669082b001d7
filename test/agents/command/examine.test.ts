import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { examineFolder, examineProgram, findCodingAgents } from '../../../src/agents/command/examine.ts';
import { PRESETS } from '../../../src/agents/command/presets.ts';
import type { AgentConfig, PresetName } from '../../../src/core/config/agent-config.ts';
import { createNodeEffects } from '../../../src/node.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { prepareTurn } from '../prepared-turn.ts';

let dir: string;
beforeEach(() => {
  dir = tempFolder('examine');
  for (const folder of ['home', 'bin', 'room']) mkdirSync(join(dir, folder));
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

/** A program that tells its version, and runs what stands behind `--` where it has a sandbox. */
function install(
  name: string,
  version: string,
  sandbox = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
): void {
  put(
    `bin/${name}`,
    `#!/bin/sh\nif [ "$1" = --version ]; then echo "${name} ${version} (test)"; exit; fi\n${sandbox}\n`,
  );
  chmodSync(join(dir, 'bin', name), 0o755);
}

function environment(more: Record<string, string> = {}) {
  return createNodeEffects({ PATH: `${dir}/bin:/usr/bin:/bin`, HOME: join(dir, 'home'), ...more });
}

function examine(
  preset: PresetName,
  config: Partial<AgentConfig> = {},
  env: Record<string, string> = {},
  withheld: string[] = [],
) {
  const rig = prepareTurn({ agent: { preset, ...config } });
  const effects = { ...environment(env), withheld: new Set(withheld) };
  const { agent } = rig.input;
  return examineProgram(agent, agent.preset && PRESETS[agent.preset], join(dir, 'room'), effects);
}

test('an agent of the proved version, signed in, whose shell reaches taskroom, is well', async () => {
  install('claude', PRESETS.claude.proved);
  const found = await examine('claude', {}, { ANTHROPIC_API_KEY: 'k' });
  expect(found).toMatchObject([{ state: 'ok', text: expect.stringContaining(join(dir, 'room')) }]);
  install('codex', PRESETS.codex.proved);
  put('home/.codex/auth.json', '{"tokens":{}}');
  expect(await examine('codex')).toMatchObject([{ state: 'ok' }]);
});

test('another version and a missing sign-in are worth a look, and say what to do', async () => {
  install('gemini', '9.9.9');
  const found = await examine('gemini');
  expect(found).toMatchObject([
    {
      state: 'warn',
      text: `tester: gemini is version 9.9.9; the preset was proved with ${PRESETS.gemini.proved}`,
    },
    { state: 'warn', hint: PRESETS.gemini.signIn },
  ]);
  put('home/.gemini/oauth_creds.json', '{"access_token":"x"}');
  expect(await examine('gemini')).toHaveLength(1);
});

test('a cwd that is not there, or a file, fails with where to change it', async () => {
  install('claude', PRESETS.claude.proved);
  put('room/file', '');
  for (const cwd of ['nowhere', 'file']) {
    const found = await examine('claude', { cwd }, { ANTHROPIC_API_KEY: 'k' });
    expect(found).toMatchObject([
      { state: 'fail', hint: expect.stringContaining('agents/tester/agent.json') },
    ]);
  }
});

test('a sandbox that lets nothing write in the bridge fails, in its own words', async () => {
  install('codex', PRESETS.codex.proved, 'echo "denied by the sandbox" >&2; exit 1');
  put('home/.codex/auth.json', '{}');
  const found = await examine('codex');
  expect(found).toMatchObject([{ state: 'fail', text: expect.stringContaining('denied by the sandbox') }]);
  // Without its sandbox a plain shell runs it.
  expect(await examine('codex', { permissions: 'all' })).toMatchObject([{ state: 'ok' }]);
});

test('what is not installed, and what is no preset, is left to others', async () => {
  expect(await examine('opencode')).toEqual([]);
  expect(await examine('claude', { preset: null, command: ['sh'] })).toEqual([]);
});

test('coding agents are found on the PATH, with whether they are signed in', async () => {
  expect(await findCodingAgents(environment())).toEqual([]);
  install('copilot', '1.0.0');
  install('claude', '2.0.0');
  put('home/.claude/.credentials.json', '{"claudeAiOauth":{"accessToken":"x"}}');
  const found = await findCodingAgents(environment());
  expect(found).toMatchObject([
    { preset: 'claude', signedIn: true },
    { preset: 'copilot', signedIn: false, signIn: PRESETS.copilot.signIn },
  ]);
});

test('an agent that is talked to is looked at for its folder', async () => {
  const rig = prepareTurn({ agent: { runner: 'acp', preset: 'claude', cwd: '../missing' } });
  const room = join(dir, 'room');
  expect(await examineFolder(rig.input.agent, room)).toMatchObject([
    { state: 'fail', hint: expect.stringContaining('change "cwd" in agents/tester/agent.json') },
  ]);
  expect(await examineFolder({ ...rig.input.agent, cwd: null }, room)).toEqual([
    { state: 'ok', text: `tester: the runner acp has what it needs, and can work in ${room}`, hint: null },
  ]);
});
