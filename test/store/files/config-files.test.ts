import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatProblem } from '../../../src/core/errors.ts';
import { readAgents, readRoomConfig } from '../../../src/store/files/config-files.ts';

let room: string;

beforeEach(() => {
  room = mkdtempSync(join(tmpdir(), 'taskroom-config-'));
});

afterEach(() => {
  rmSync(room, { recursive: true, force: true });
});

function put(path: string, content: string | Uint8Array): string {
  const file = join(room, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

function roomProblems(): string[] {
  const reading = readRoomConfig(room);
  return reading.ok ? [] : reading.problems.map(formatProblem);
}

describe('readRoomConfig', () => {
  it('gives the defaults without a file, and without a room', () => {
    expect(readRoomConfig(room)).toMatchObject({
      ok: true,
      config: { defaultAgent: 'runbook', settleMs: 1000 },
    });
    expect(readRoomConfig(join(room, 'gone'))).toMatchObject({ ok: true });
  });

  it('reads the file, also with a BOM, CRLF and through a link', () => {
    put('elsewhere.yaml', '\uFEFFsettle: 5s\r\nlimits:\r\n  total: 9\r\n');
    symlinkSync('elsewhere.yaml', join(room, 'room.yaml'));
    expect(readRoomConfig(room)).toMatchObject({
      ok: true,
      config: { settleMs: 5000, limits: { total: 9, chat: 4 } },
    });
  });

  it('places problems in the file', () => {
    put('room.yaml', '\uFEFFsettle: 5s\r\nsweeep: 1m\r\n');
    expect(roomProblems()).toEqual([
      expect.stringMatching(/^room\.yaml:2:1 unknown key "sweeep".*did you mean "sweep"\?$/),
    ]);
  });

  it.each([
    ['no UTF-8', Uint8Array.of(0x61, 0x3a, 0x0a, 0xff), /^room\.yaml:2:1 .*not UTF-8/],
    ['a NUL byte', 'settle: \0', /^room\.yaml:1:9 .*NUL/],
    ['too long', '#'.repeat(70_000), /^room\.yaml:1:1 longer than 65536 characters/],
  ])('reports a file with %s', (_, content, message) => {
    put('room.yaml', content);
    expect(roomProblems()).toEqual([expect.stringMatching(message)]);
  });

  it('reads nothing of a file above 1 MiB, nor what is no file', () => {
    truncateSync(put('room.yaml', ''), 3 * 2 ** 30);
    expect(roomProblems()).toEqual([expect.stringMatching(/is larger than 1 MiB \(3072\.0 MiB\)/)]);
    rmSync(join(room, 'room.yaml'));
    mkdirSync(join(room, 'room.yaml'));
    expect(roomProblems()).toEqual([expect.stringMatching(/^room\.yaml:1:1 room\.yaml is a folder/)]);
    rmSync(join(room, 'room.yaml'), { recursive: true });
    symlinkSync('room.yaml', join(room, 'room.yaml'));
    expect(roomProblems()).toEqual([
      expect.stringMatching(/^room\.yaml:1:1 room\.yaml is a symlink that leads back to itself/),
    ]);
  });

  it.skipIf(process.platform === 'win32')('does not wait at a pipe', () => {
    execFileSync('mkfifo', [join(room, 'room.yaml')]);
    expect(roomProblems()).toEqual([
      expect.stringMatching(/^room\.yaml:1:1 room\.yaml is not a regular file/),
    ]);
  });
});

describe('readAgents', () => {
  it('is empty without the folder, and reports one that is a file', () => {
    expect(readAgents(room)).toEqual({ agents: new Map(), problems: [] });
    put('agents', 'x');
    expect(readAgents(room)).toMatchObject({
      problems: [{ path: 'agents', message: "can't be read (ENOTDIR)" }],
    });
  });

  it('reads every good agent beside bad ones, in order', () => {
    put('agents/runbook/agent.json', '{"runner":"runbook"}');
    put('agents/claude/agent.json', '{"runner":"command","preset":"claude"}');
    put('agents/broken/agent.json', '{"runner":"command",}');
    put('agents/none/README.md', 'no agent here');
    put('agents/bad id/agent.json', '{"runner":"runbook"}');
    put('agents/.hidden/agent.json', 'x');
    put('agents/README.md', 'about the agents');
    symlinkSync('loop', join(room, 'agents/loop'));
    mkdirSync(join(room, 'agents/odd/agent.json'), { recursive: true });
    const { agents, problems } = readAgents(room);
    expect([...agents.keys()]).toEqual(['claude', 'runbook']);
    expect(agents.get('claude')).toMatchObject({ id: 'claude', preset: 'claude' });
    expect(problems.map(formatProblem)).toEqual([
      expect.stringMatching(/^agents\/bad id\/agent\.json:1:1 the folder name "bad id" is not an agent id/),
      'agents/broken/agent.json:1:21 "}" right after a comma; expected a key in double quotes',
      expect.stringMatching(/^agents\/loop\/agent\.json:1:1 can't be read \(ELOOP\)/),
      'agents/none:1:1 no agent.json in this folder; add one, or remove the folder',
      expect.stringMatching(/^agents\/odd\/agent\.json:1:1 .* is a folder/),
    ]);
  });

  it('refuses a folder around the room where the program can not be kept out of it', () => {
    const agent = (id: string, config: object) =>
      put(`agents/${id}/agent.json`, JSON.stringify({ runner: 'command', cwd: '..', ...config }));
    agent('runs', { preset: 'claude', permissions: 'run' });
    agent('all', { preset: 'gemini', permissions: 'all' });
    agent('copy', { preset: 'gemini', workspace: 'worktree' });
    agent('plain', { command: 'true' });
    agent('kept', { preset: 'claude' });
    agent('none', { preset: 'copilot' });
    agent('room', { preset: 'claude', cwd: '.' });
    agent('far', { preset: 'gemini', cwd: '../nowhere' });
    agent('talks', { runner: 'acp', preset: 'claude' });
    agent('model', { runner: 'model', api: 'anthropic', model: 'm', cwd: '.' });
    const { agents, problems } = readAgents(room);
    expect([...agents.keys()].sort()).toEqual(['all', 'copy', 'far', 'kept', 'model', 'plain']);
    expect(problems.map(formatProblem)).toEqual([
      expect.stringMatching(/none\/agent\.json:1:\d+ .*"edit" copilot can't be kept out of it; choose one/),
      expect.stringMatching(
        /room\/agent\.json:1:\d+ cwd: "\." is the room itself; choose one: .*"worktree".*"all"/,
      ),
      expect.stringMatching(
        /runs\/agent\.json:1:\d+ cwd: "\.\." holds the room, and with "permissions": "run" claude can't be kept out.*"permissions": "edit", with which it can/,
      ),
      expect.stringMatching(/talks\/agent\.json:1:\d+ .* claude over ACP can't be kept out of it/),
    ]);
  });
});
