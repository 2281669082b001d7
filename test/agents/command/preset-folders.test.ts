// What stands in the folders around a coding agent: what its program is told of a room in its own folder so that it leaves
// the room alone, and the home that Gemini CLI has for one turn.
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PresetTurn } from '../../../src/agents/command/presets/preset.ts';
import { PRESETS, putFiles } from '../../../src/agents/command/presets.ts';
import { wayInto } from '../../../src/agents/workspace/contained-path.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { PRESET_TURN } from '../prepared-turn.ts';

const ROOM = '/work/web/sub/My room';
const TURN: PresetTurn = {
  ...PRESET_TURN,
  ...{ dir: `${ROOM}/.taskroom/turns/b1`, spool: `${ROOM}/.taskroom/turns/b1/bridge/requests`, room: ROOM },
  ...{ wayToRoom: ['/work/web/sub', ROOM], gitDirs: [], mcp: null },
};

test('a room in the folder is closed to its agent, by each program that can be told so', () => {
  const start = (name: 'claude' | 'codex' | 'gemini') => PRESETS[name].start(TURN);
  const denied = start('claude').args;
  expect(denied[denied.indexOf('--disallowedTools') + 1]).toBe(
    `Bash,Edit(/${ROOM}/**),Read(/${ROOM}/.taskroom/**)`,
  );
  const profile = start('codex').args.join(' ');
  // One that holds the room could be renamed with it.
  expect(profile).toContain(`"/work/web/sub"="write","${ROOM}"="read"`);
  expect(profile).not.toContain('workspace-write');
  const policy = start('gemini').files.find(({ path }) => path.endsWith('policy.toml'))!.text;
  const closed = new RegExp(
    /argsPattern = '(.*oO.*\[\/"\])'\ndecision = "deny"\npriority = 951/.exec(policy)![1]!,
  );
  for (const path of [ROOM, `${ROOM}/tasks/x.md`, 'sub/my ROOM/room.yaml', 'My room/../My room/x'])
    expect(JSON.stringify({ content: '', file_path: path })).toMatch(closed);
  for (const path of ['/work/web/sub/My rooms/x', 'notes.txt'])
    expect(JSON.stringify({ file_path: path, content: '"/My room/' })).not.toMatch(closed);
  expect(JSON.stringify(PRESETS.claude.start({ ...TURN, wayToRoom: [] }))).not.toContain('disallowed');
});

test('a room whose name has signs of patterns and quotes is closed as well', () => {
  const turn = { ...TURN, wayToRoom: ["/work/web/it's (my).room"] };
  const policy = PRESETS.gemini.start(turn).files.find(({ path }) => path.endsWith('policy.toml'))!.text;
  const [, closed] = policy.match(/argsPattern = '([^']*)'/g)!.map((line) => new RegExp(line.slice(15, -1)));
  const asks = (file_path: string) => JSON.stringify({ file_path });
  expect(
    [asks("it's (my).room/tasks/x.md"), asks("/work/web/It's (MY).Room/x")].every((ask) => closed!.test(ask)),
  ).toBe(true);
  expect(closed!.test(asks("it's (my)xroom/x"))).toBe(false);
});

test('the way to a room goes by real folders, and is none where the room lies elsewhere', () => {
  const top = tempFolder('taskroom-way');
  mkdirSync(join(top, 'web/sub/room'), { recursive: true });
  symlinkSync(join(top, 'web'), join(top, 'link'));
  const way = [join(top, 'web/sub'), join(top, 'web/sub/room')];
  expect(wayInto(join(top, 'link'), join(top, 'web/sub/room'))).toEqual(way);
  expect(wayInto(join(top, 'web'), join(top, 'link/sub/room'))).toEqual(way);
  expect(wayInto(join(top, 'web/sub/room'), join(top, 'web'))).toEqual([]);
});

// The home that Gemini CLI has for one turn.
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
