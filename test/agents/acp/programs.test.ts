import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ACP_PROGRAMS, programOf } from '../../../src/agents/acp/programs.ts';
import type { TaskRunInput } from '../../../src/agents/runner.ts';
import type { AgentConfig, PresetName } from '../../../src/core/config/agent-config.ts';
import { PRESET_NAMES } from '../../../src/core/config/agent-config.ts';
import type { AcpScript } from '../../fixtures/agents/acp-agent.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { PRESET_TURN, prepareTurn } from '../prepared-turn.ts';
import { commandOf, scriptTurn } from './scripted-turn.ts';

let bin: string;
beforeEach(() => {
  bin = tempFolder('acp-programs');
});

/** A turn of a preset whose program is the scripted agent; what it was started with is heard as `start`. */
function turnOf(preset: PresetName, script: AcpScript, agent: Partial<AgentConfig> = {}) {
  const quoted = commandOf(script).map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const start = `node -e 'console.log(JSON.stringify({what:"start",params:{args:process.argv.slice(1),env:process.env}}))' -- "$@"`;
  const path = join(bin, ACP_PROGRAMS[preset].program);
  writeFileSync(path, `#!/bin/sh\n${start} >> heard.jsonl\nexec ${quoted.join(' ')}\n`);
  chmodSync(path, 0o755);
  const turn = scriptTurn(script, {
    agent: { preset, command: null, ...agent },
    // A home of its own: what its preset puts there is none of the person's.
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: bin },
  });
  const mcp = { command: join(turn.rig.input.reach.dir, 'taskroom'), args: ['mcp'], env: {} };
  mkdirSync(join(turn.rig.room, '.git'));
  const started = () => turn.heard('start').at(-1) as { args: string[]; env: Record<string, string> };
  return {
    ...turn,
    mcp,
    started,
    go: (more: Partial<TaskRunInput> = {}) => turn.run({ mcp, ...more }).ended,
  };
}

test('claude works in the mode that asks, in a later turn too, and in that which does not with all alone', async () => {
  const script: AcpScript = { sessions: 'load', modes: ['auto', 'default', 'bypassPermissions'] };
  const edit = turnOf('claude', script);
  expect(await edit.go()).toMatchObject({ reason: 'ok' });
  expect(await edit.go({ session: 'session-1' })).toMatchObject({ reason: 'ok' });
  const mode = { sessionId: 'session-1', modeId: 'default' };
  expect(edit.heard('mode')).toEqual([mode, mode]);
  const noBypass = { claudeCode: { options: { allowDangerouslySkipPermissions: false } } };
  for (const way of ['new', 'take up'])
    expect(edit.heard(way)).toMatchObject([{ _meta: noBypass, mcpServers: [{ name: 'taskroom' }] }]);
  const all = turnOf('claude', script, { permissions: 'all' });
  expect(await all.go()).toMatchObject({ reason: 'ok' });
  expect(all.heard('mode')).toMatchObject([{ modeId: 'bypassPermissions' }]);
  expect(all.started().env).toMatchObject({ IS_SANDBOX: '1' });
});

test('an agent that has not the mode in which it asks does not work at all', async () => {
  const { go, heard } = turnOf('claude', { modes: ['auto'] });
  expect(await go()).toMatchObject({ state: 'failed', message: expect.stringContaining('no mode default') });
  expect(heard('prompt')).toEqual([]);
});

test.each([
  ['edit', {}, 'workspace-write', false],
  ['run', {}, 'workspace-write', true],
  ['all', {}, 'agent-full-access', false],
  ['run', { execute: 'ask' }, 'read-only', true],
] as const)('codex with %s and %j is in mode %s', async (permissions, approve, mode, commits) => {
  const { rig, go, heard, started, mcp } = turnOf('codex', { folders: true }, { permissions, approve });
  expect(await go()).toMatchObject({ reason: 'ok' });
  const { INITIAL_AGENT_MODE, CODEX_CONFIG } = started().env;
  expect(INITIAL_AGENT_MODE).toBe(mode);
  const server = { command: mcp.command, args: ['mcp'], default_tools_approval_mode: 'approve' };
  const waits = { required: true, startup_timeout_sec: 60 };
  const alone = { ...{ project_doc_max_bytes: 0, skills: { include_instructions: false } } };
  expect(JSON.parse(CODEX_CONFIG!)).toEqual({
    ...{ allow_login_shell: false, mcp_servers: { taskroom: { ...server, ...waits } } },
    ...(permissions === 'all' ? {} : alone),
  });
  const additionalDirectories = [rig.input.reach.spool, ...(commits ? [join(rig.room, '.git')] : [])];
  expect(heard('new')).toEqual([{ cwd: rig.room, mcpServers: [], additionalDirectories }]);
});

test('further folders are for agents that take them', async () => {
  const { rig, go, heard } = turnOf('codex', {}, { permissions: 'run' });
  expect(await go()).toMatchObject({ reason: 'ok' });
  expect(heard('new')).toEqual([{ cwd: rig.room, mcpServers: [] }]);
});

test('copilot has its tools by an argument, and rules for what it may not, by which its turn goes on', async () => {
  const { go, heard, started, mcp } = turnOf('copilot', {});
  expect(await go()).toMatchObject({ reason: 'ok' });
  const { args } = started();
  const isRule = (word: string) => word.startsWith('--deny-tool=write(');
  expect(args).toContain('--deny-tool=write(.git/**)');
  const server = { type: 'local', command: mcp.command, args: ['mcp'], tools: ['*'] };
  expect(args.filter((word) => !isRule(word))).toEqual([
    '--acp',
    '--no-custom-instructions',
    `--additional-mcp-config=${JSON.stringify({ mcpServers: { taskroom: server } })}`,
    '--allow-tool=taskroom',
    ...['--deny-tool=shell', '--deny-tool=url'],
  ]);
  expect(heard('new')).toMatchObject([{ mcpServers: [] }]);
  const asking = turnOf('copilot', {}, { permissions: 'run', approve: { execute: 'ask', fetch: 'deny' } });
  expect(await asking.go()).toMatchObject({ reason: 'ok' });
  expect(asking.started().args.filter((arg) => /--deny-tool=[^w]/.test(arg))).toEqual(['--deny-tool=url']);
});

test('gemini reads the folder of the turn, with its settings in a home there', async () => {
  const { rig, go, started } = turnOf('gemini', {}, { model: 'm', args: ['--own'], permissions: 'run' });
  expect(await go()).toMatchObject({ reason: 'ok' });
  const { args, env } = started();
  expect(args).toEqual(['--acp', '--skip-trust', '--model', 'm', '--own', '--include-directories', rig.dir]);
  expect(env.GEMINI_CLI_HOME).toBe(join(rig.dir, 'gemini-home'));
});

test.each(PRESET_NAMES)("%s: what stands in the environment of the agent's file is kept", (preset) => {
  const rig = prepareTurn({ agent: { runner: 'acp', preset } });
  const env = {
    CODEX_CONFIG: '{"model":"x","mcp_servers":{"theirs":{"command":"y"}},"allow_login_shell":true}',
    INITIAL_AGENT_MODE: 'permission-profile:own',
    OPENCODE_CONFIG_CONTENT: '{"model":"a/b"}',
    COPILOT_AUTO_UPDATE: 'true',
    CLAUDE_CODE_MAX_RETRIES: '7',
  };
  const told = programOf(rig.input.agent).prepare({ ...PRESET_TURN, mcp: null, env });
  const kept = { ...env, ...told.env };
  expect(kept).toMatchObject({ INITIAL_AGENT_MODE: 'permission-profile:own', COPILOT_AUTO_UPDATE: 'true' });
  expect(kept.CLAUDE_CODE_MAX_RETRIES).toBe('7');
  expect(JSON.parse(kept.CODEX_CONFIG)).toMatchObject(JSON.parse(env.CODEX_CONFIG));
  expect(JSON.parse(kept.OPENCODE_CONFIG_CONTENT)).toMatchObject({ model: 'a/b' });
});
