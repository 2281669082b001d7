// An agent whose folder holds the room: what its program is told so that it leaves the room alone.
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PresetTurn } from '../../../src/agents/command/presets/preset.ts';
import { PRESETS } from '../../../src/agents/command/presets.ts';
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
