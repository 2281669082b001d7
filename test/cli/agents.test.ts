// Coding agents at the command line: who takes a new room's tasks, what doctor says of them, and their words in the log.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { PRESETS } from '../../src/agents/command/presets.ts';
import { createAgentLines } from '../../src/cli/lines/agent-lines.ts';
import { plain } from '../../src/cli/paint.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { makeRoom } from './room-folder.ts';

const OUTPUT = join(import.meta.dirname, '../fixtures/agents/output');

/** A home without any account, and a PATH with these programs, each a script. */
function machine(programs: Record<string, string>): { PATH: string; HOME: string } {
  const dir = tempFolder('taskroom-machine');
  mkdirSync(join(dir, 'home'));
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(dir, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(dir, name), 0o755);
  }
  return { PATH: `${dir}:/usr/bin:/bin`, HOME: join(dir, 'home') };
}

const agentOf = (dir: string, name: string) =>
  JSON.parse(readFileSync(join(dir, `agents/${name}/agent.json`), 'utf8'));
const settingsOf = (dir: string) => readFileSync(join(dir, 'room.yaml'), 'utf8');

test('init --agent makes a room for it, and says what still stands between', async () => {
  const room = makeRoom();
  const env = machine({ claude: 'exit 1' });
  const made = await room.run(['init', 'one', '--agent', 'claude'], { env });
  expect(made.code).toBe(0);
  expect(made.out).toContain(`found no sign-in of claude: ${PRESETS.claude.signIn}`);
  expect(agentOf(room.at('one'), 'claude')).toEqual({
    $schema: expect.stringMatching(/\/schemas\/agent\.schema\.json$/),
    runner: 'command',
    preset: 'claude',
    permissions: 'edit',
  });
  expect(made.out).toMatch(/works in a folder of each task; .* "cwd" in .*agents\/claude\/agent\.json/);
  expect(settingsOf(room.at('one'))).toMatch(/^default_agent: claude$/m);
  expect(agentOf(room.at('one'), 'runbook')).toMatchObject({ runner: 'runbook' });

  const signedIn = { ...env, ANTHROPIC_API_KEY: 'k' };
  expect((await room.run(['init', 'two', '--agent', 'claude'], { env: signedIn })).out).not.toContain(
    'sign-in',
  );
  const missing = await room.run(['init', 'three', '--agent', 'codex'], { env });
  expect(missing.out).toContain('codex is not on the PATH');

  const unknown = await room.run(['init', 'four', '--agent', 'cluade'], { env });
  expect(unknown.code).not.toBe(0);
  expect(unknown.err).toContain('did you mean claude?');
});

test('init takes the repository that it is called in, or the project that it is told', async () => {
  const room = makeRoom();
  const env = machine({ claude: 'exit 1', copilot: 'exit 1', gemini: 'exit 1' });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], { cwd: room.dir });
  git('init', '-q');
  mkdirSync(room.at('web'));
  const apart = tempFolder('taskroom-apart');
  const init = (dir: string, ...more: string[]) => room.run(['init', dir, ...more], { env });

  // Outside of the repository its room is nobody's trouble.
  expect((await init(apart, '--agent', 'claude')).code).toBe(0);
  expect(resolve(realpathSync(apart), agentOf(apart, 'claude').cwd)).toBe(realpathSync(room.dir));
  // Inside, a worktree keeps it out of the room.
  await init('two', '--agent', 'copilot');
  expect(agentOf(room.at('two'), 'copilot').cwd).toBeUndefined();
  const refused = await init('three', '--agent', 'copilot', '--project', '.');
  expect(refused.code).toBe(2);
  expect(refused.err).toContain("holds the room, and copilot can't be kept out of it");
  await init('ten', '--agent', 'claude', '--project', '.');
  expect(agentOf(room.at('ten'), 'claude')).toMatchObject({ cwd: '..' });
  expect(agentOf(room.at('ten'), 'claude').workspace).toBeUndefined();
  git('commit', '-q', '--allow-empty', '-m', 'First');
  await init('four', '--agent', 'gemini');
  expect(agentOf(room.at('four'), 'gemini')).toMatchObject({ cwd: '..', workspace: 'worktree' });

  await init('five', '--agent', 'claude', '--project', 'web');
  expect(agentOf(room.at('five'), 'claude')).toMatchObject({ cwd: '../web' });
  await init('six', '--agent', 'claude', '--project', '');
  expect(agentOf(room.at('six'), 'claude').cwd).toBeUndefined();
  expect((await init('seven', '--agent', 'claude', '--project', 'nowhere')).err).toContain('is no folder');

  const asked = await room.run(['init', 'eight', '--agent', 'claude'], { env, columns: 100, input: 'web\n' });
  expect(asked.out).toContain('Which project does it work in?');
  expect(agentOf(room.at('eight'), 'claude')).toMatchObject({ cwd: '../web' });
  await room.run(['init', 'nine', '--agent', 'claude'], { env, columns: 100, input: '-\n' });
  expect(agentOf(room.at('nine'), 'claude').cwd).toBeUndefined();
});

test('init asks on a terminal, and nobody where there is none or nothing to offer', async () => {
  const room = makeRoom();
  const env = machine({ claude: 'exit 1', codex: 'exit 1' });
  const asked = await room.run(['init', 'asked'], { env, columns: 100, input: 'codex\n' });
  expect(asked.out).toContain('Found claude (no sign-in found), codex (no sign-in found). Which one');
  expect(settingsOf(room.at('asked'))).toMatch(/^default_agent: codex$/m);
  await room.run(['init', 'silent'], { env, columns: 100, input: '' });
  expect(settingsOf(room.at('silent'))).toMatch(/^default_agent: runbook$/m);
  const piped = await room.run(['init', 'piped'], { env, input: 'codex\n' });
  expect(piped.out).toContain(`installed: claude, codex): ${PRESETS.claude.signIn}`);
  expect(settingsOf(room.at('piped'))).toMatch(/^default_agent: runbook$/m);
  const bare = await room.run(['init', 'bare'], { env: machine({}), columns: 100, input: 'codex\n' });
  expect(bare.out).not.toContain('Which one');
  expect(bare.out).toContain('npm install -g @anthropic-ai/claude-code');
  const json = await room.run(['init', 'json', '--json'], { env, columns: 100, input: 'codex\n' });
  expect(json.json()).toMatchObject({ agent: 'runbook' });
});

test('a room that has settings keeps them, but for the default agent that is named', async () => {
  const room = makeRoom();
  const env = machine({ claude: 'exit 1' });
  const again = await room.run(['init', '--agent', 'claude'], { env, columns: 100 });
  expect(again.out).toContain('default_agent: claude in room.yaml');
  expect(settingsOf(room.dir)).toBe('settle: 0\ndefault_agent: claude\n');
  await room.run(['init', '--agent', 'runbook'], { env });
  expect(settingsOf(room.dir)).toBe('settle: 0\ndefault_agent: runbook\n');
  expect((await room.run(['init'], { env, columns: 100 })).out).not.toContain('Which one');
});

test('log shows what an agent said, called and used; --raw its own lines', async () => {
  const room = makeRoom();
  mkdirSync(room.at('agents/coder'));
  writeFileSync(room.at('agents/coder/agent.json'), '{"runner":"command","preset":"claude","writes":false}');
  writeFileSync(room.at('room.yaml'), 'settle: 0\ndefault_agent: coder\n');
  copyFileSync(join(OUTPUT, 'claude-works.txt'), room.at('said.txt'));
  const env = machine({ claude: `cat ${JSON.stringify(room.at('said.txt'))}` });
  room.put('Look', 'Look at it.\n');
  expect((await room.run(['once'], { env })).code).toBe(0);
  const shown = await room.run(['log', 'Look']);
  expect(shown.out).toMatch(
    /^Step 1\.\n▸ Bash {2}\/home\/me\/turn\/bridge\/taskroom show\n {2}bridge called: show\n/,
  );
  expect(shown.out).toMatch(/The work is done\.\nused 10000 tokens in, 100 out, \$\d+\.\d\d\n$/);
  expect(shown.out).not.toContain('{"type"');
  const raw = await room.run(['log', 'Look', '--raw']);
  expect(raw.out).toBe(readFileSync(room.at('said.txt'), 'utf8'));
  expect((await room.run(['log', 'Look', '--json'])).json().text).toBe(raw.out);
});

test('words in pieces stand together, long results are cut, failures are marked, and nothing steers a terminal', () => {
  const lines = createAgentLines(plain);
  const shown = lines([
    { type: 'text', text: 'One ', partial: true },
    { type: 'text', text: 'two', partial: true },
    { type: 'tool', name: 'sh\u001b[2J', input: 'ls' },
    {
      type: 'result',
      text: Array.from({ length: 9 }, (_, at) => `line ${at + 1}`).join('\n'),
      failed: false,
    },
    { type: 'result', text: 'denied', failed: true },
    { type: 'result', text: '', failed: false },
    { type: 'line', text: 'a warning' },
    { type: 'trouble', trouble: { kind: 'limit', message: 'too much', until: null } },
    { type: 'usage', usage: { inputTokens: 5, outputTokens: 6, costUsd: null } },
    { type: 'end', failed: true },
  ]);
  const listed = [1, 2, 3, 4, 5, 6].map((at) => `  line ${at}\n`).join('');
  expect(shown.replace(/sh[^ ]*/, 'sh')).toBe(
    `One two\n▸ sh  ls\n${listed}  … 3 more lines\n  ✗ denied\na warning\n✗ too much\nused 5 tokens in, 6 out\n`,
  );
  expect(shown).not.toContain('\u001b');
});
