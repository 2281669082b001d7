// The home that Gemini CLI has for one turn.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PRESETS, putFiles } from '../../../src/agents/command/presets.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { PRESET_TURN } from '../prepared-turn.ts';

test.each([
  ['in the home', { HOME: '/own' }],
  ['in the home that a variable names', { HOME: '/other', GEMINI_CLI_HOME: '/own' }],
])("what a person set in gemini's settings stands, %s", (_where, env) => {
  const own = `{
    // theirs
    "general": { "maxAttempts": 7, "vimMode": true },
    "mcpServers": { "theirs": { "command": "x" }, "taskroom": { "command": "y" } },
    "ui": { "theme": "$THEME" }
  }`;
  const readText = (asked: string) => (asked === '/own/.gemini/settings.json' ? own : null);
  const start = PRESETS.gemini.start({ ...PRESET_TURN, env, readText });
  const home = start.env.GEMINI_CLI_HOME;
  const text = start.files.find((file) => file.path === `${home}/.gemini/settings.json`)?.text;
  expect(JSON.parse(text!)).toEqual({
    general: { maxAttempts: 7, vimMode: true, enableAutoUpdate: false, sessionRetention: { enabled: false } },
    mcpServers: { theirs: { command: 'x' }, taskroom: { ...PRESET_TURN.mcp, trust: true } },
    ui: { theme: '$THEME' },
    telemetry: expect.objectContaining({ outfile: `${PRESET_TURN.dir}/telemetry.json`, logPrompts: false }),
  });
});

test('settings of gemini that are broken are left for gemini to complain of', () => {
  const start = PRESETS.gemini.start({
    ...PRESET_TURN,
    env: { HOME: '/own' },
    readText: () => '{ "general": ',
  });
  expect(start.env).toEqual({});
  expect(start.files.map(({ path }) => path)).toEqual([`${PRESET_TURN.dir}/gemini-policy.toml`]);
});

test("gemini's home of a turn holds its person's by links, and what it puts into kept folders stays", async () => {
  const own = tempFolder('taskroom-gemini');
  const dir = join(own, 'turn');
  mkdirSync(join(own, '.gemini/skills'), { recursive: true });
  mkdirSync(dir);
  for (const name of ['settings.json', 'oauth_creds.json', 'projects.json'])
    writeFileSync(join(own, '.gemini', name), '{}');
  writeFileSync(join(own, '.env'), 'GEMINI_API_KEY=x\n');
  const start = PRESETS.gemini.start({ ...PRESET_TURN, dir, env: { HOME: own } });
  await putFiles(start);
  const home = start.env.GEMINI_CLI_HOME!;
  const held = ['history', 'oauth_creds.json', 'settings.json', 'skills', 'tmp'];
  expect(readdirSync(join(home, '.gemini')).sort()).toEqual(held);
  expect(readdirSync(home).sort()).toEqual(['.env', '.gemini']);
  writeFileSync(join(home, '.gemini/oauth_creds.json'), '{"token":"new"}');
  writeFileSync(join(home, '.gemini/tmp/session.json'), '1');
  rmSync(home, { recursive: true });
  expect(readFileSync(join(own, '.gemini/oauth_creds.json'), 'utf8')).toBe('{"token":"new"}');
  expect(readFileSync(join(own, '.gemini/tmp/session.json'), 'utf8')).toBe('1');
  expect(readFileSync(join(own, '.gemini/settings.json'), 'utf8')).toBe('{}');
});
