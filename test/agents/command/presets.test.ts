import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createCommandRunner } from '../../../src/agents/command/command.ts';
import { createOutputFollower, createOutputReader } from '../../../src/agents/command/output-reader.ts';
import { isProtected, telemetryFile } from '../../../src/agents/command/presets/preset.ts';
import { findGitDirs, PRESETS } from '../../../src/agents/command/presets.ts';
import { PERMISSION_NAMES, PRESET_NAMES, type PresetName } from '../../../src/core/config/agent-config.ts';
import { createNodeEffects } from '../../../src/node.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { AGENTS, drive, PRESET_TURN, type PreparedTurn, prepareTurn } from '../prepared-turn.ts';

const SESSION = '0199a213-81c0-7800-8aa1-bbab2a035a53';
test.each(PRESET_NAMES)('%s: model, session and own arguments reach the program, the latter last', (name) => {
  const preset = PRESETS[name];
  const plain = preset.start(PRESET_TURN).args.join(' ');
  expect(plain).not.toMatch(/null|undefined|--model|--resume|resume|--session/);
  const { args } = preset.start({
    ...PRESET_TURN,
    model: 'some/model',
    session: SESSION,
    args: ['--own', 'a b'],
  });
  expect(args.join(' ')).toContain('some/model');
  expect(args.join(' ')).toContain(SESSION);
  expect(args.indexOf('a b')).toBe(args.indexOf('--own') + 1);
  const after = args.slice(args.indexOf('a b') + 1);
  // Only what ends codex's command line may come behind.
  expect(after).toEqual(name === 'codex' ? ['resume', SESSION, '-'] : []);
});

test.each(PRESET_NAMES)('%s: each permission is another, and only "all" lets everything pass', (name) => {
  const said = PERMISSION_NAMES.map((permissions) =>
    JSON.stringify(PRESETS[name].start({ ...PRESET_TURN, permissions })),
  );
  const [edit, run, all] = said as [string, string, string];
  expect(new Set(said).size).toBe(3);
  const everything = /bypass|yolo|--allow-all|\\"permission\\":\{\\"\*\\":\\"allow\\"/;
  expect(edit).not.toMatch(everything);
  expect(run).not.toMatch(everything);
  expect(all).toMatch(everything);
});

test('without leave to run programs there is no rule for a shell at all, and no way into the folder of the turn', () => {
  const told = (name: PresetName) => {
    const { args, env, files } = PRESETS[name].start(PRESET_TURN);
    return [...args, ...Object.values(env), ...files.map(({ text }) => text)].join('\n');
  };
  expect(told('claude')).not.toMatch(/Bash|Write|Edit[^s]/);
  expect(told('gemini')).not.toMatch(/run_shell_command|--include-directories/);
  expect(told('copilot')).not.toMatch(/shell|--add-dir/);
  const { permission } = JSON.parse(PRESETS.opencode.start(PRESET_TURN).env.OPENCODE_CONFIG_CONTENT!);
  expect(permission).toMatchObject({ bash: 'deny', external_directory: { '*': 'deny' } });
  // Its sandbox runs any program: of the turn it may write the spool.
  const added = PRESETS.codex.start(PRESET_TURN).args;
  expect(added.filter((_word, at) => added[at - 1] === '--add-dir')).toEqual([PRESET_TURN.spool]);
});

test('what a person set in the environment stands', () => {
  const env = { CLAUDE_CODE_MAX_RETRIES: '7' };
  expect(PRESETS.claude.start({ ...PRESET_TURN, env }).env).not.toHaveProperty('CLAUDE_CODE_MAX_RETRIES');
  const own = { ...PRESET_TURN, env: { OPENCODE_CONFIG_CONTENT: '{"model":"a/b","permission":"allow"}' } };
  const config = JSON.parse(PRESETS.opencode.start(own).env.OPENCODE_CONFIG_CONTENT!);
  expect(config).toMatchObject({ model: 'a/b', permission: { bash: 'deny' } });
  const broken = { ...PRESET_TURN, env: { OPENCODE_CONFIG_CONTENT: '{' } };
  expect(JSON.parse(PRESETS.opencode.start(broken).env.OPENCODE_CONFIG_CONTENT!)).toHaveProperty(
    'permission',
  );
});

test('what a program takes from its folder whatever it is told is not to be written there', () => {
  const { env } = PRESETS.opencode.start(PRESET_TURN);
  expect(JSON.parse(env.OPENCODE_CONFIG_CONTENT!).permission.edit).toMatchObject({
    ...{ '*': 'allow', '*/.opencode/*': 'deny', 'opencode.json': 'deny' },
  });
  const policy = PRESETS.gemini.start(PRESET_TURN).files.find(({ path }) => path.endsWith('.toml'))!.text;
  const pattern = new RegExp(/argsPattern = '(.*)'/.exec(policy)![1]!);
  const asks = (file_path: string) => pattern.test(JSON.stringify({ content: 'x', file_path }));
  expect(
    ['/p/.gemini/settings.json', '.GEMINI/x', '/p/.env', 'a/GEMINI.md', '/p/.git/config'].map(asks),
  ).not.toContain(false);
  expect(
    ['/p/src/a.ts', '/p/my.gemini', '/p/.environment', 'x.env', '/p/.gitignore'].map(asks),
  ).not.toContain(true);
  // By a key the path would be taken apart at its dots.
  const trust = `projects={${JSON.stringify(PRESET_TURN.cwd)}={trust_level="untrusted"}}`;
  expect(PRESETS.codex.start(PRESET_TURN).args).toContain(trust);
  const { args } = PRESETS.copilot.start(PRESET_TURN);
  expect(args).toContain('--deny-tool=write(.git/**)');
  expect(args).toContain('--deny-tool=write(.mcp.json)');
  expect(isProtected('copilot', '/p/.github/Hooks/a.json')).toBe(true);
  expect(isProtected('copilot', '/p/.github/workflows/a.yml')).toBe(false);
  for (const preset of [...PRESET_NAMES, null]) expect(isProtected(preset, '/p/.git/hooks/x')).toBe(true);
});

test('a patch of opencode moves nothing to what its edits may not write', async () => {
  const { env, files } = PRESETS.opencode.start({
    ...PRESET_TURN,
    env: { OPENCODE_CONFIG_CONTENT: '{"plugin":["own"]}' },
  });
  const { plugin } = JSON.parse(env.OPENCODE_CONFIG_CONTENT!);
  expect(plugin).toEqual(['own', expect.stringMatching(/^file:.*\/opencode-fence\.js$/)]);
  const fence = new Function(files[0]!.text.replace('export const Fence =', 'return'))();
  const before = (await fence())['tool.execute.before'];
  const moves = (to: string) =>
    before({}, { args: { patchText: `*** Begin Patch\n*** Update File: a\n*** Move to: ${to}\n@@\n` } });
  for (const to of [
    '.git/hooks/x',
    './a/../.git/config',
    '.GIT\\x',
    '.opencode/plugin/x.js',
    'a/opencode.json',
  ])
    await expect(moves(to)).rejects.toThrow('nothing may be moved to');
  for (const to of ['.gitignore', 'src/a.ts', 'my.opencode']) await moves(to);
  await before({}, { args: { command: 'ls' } });
  expect(PRESETS.opencode.start({ ...PRESET_TURN, permissions: 'all' }).files).toEqual([]);
});

test('an id that could be read as an option is no session', () => {
  for (const id of ['--yolo', '-x', '', 'a b', 'x\n', 7, null, 'é', 'x'.repeat(300)]) {
    const reader = createOutputReader(PRESETS.claude, () => ({ now: 0, zone: 'UTC' }));
    const line = JSON.stringify({ type: 'system', subtype: 'init', session_id: id });
    expect(reader.read(`${line}\n`)).toEqual([]);
  }
});

test('output in pieces, torn lines, foreign lines and lines without an end are read as one stream', () => {
  const reader = createOutputReader(PRESETS.codex, () => ({ now: 0, zone: 'UTC' }));
  const text = `warning\r\n{broken\n{"type":"thread.started","thread_id":"${SESSION}"}\n{"type":"item.completed","item":{"type":"agent_message","text":"é\\n2"}}`;
  const events = [...text].flatMap((piece) => reader.read(piece));
  expect([...events, ...reader.end()]).toEqual([
    { type: 'line', text: 'warning' },
    { type: 'line', text: '{broken' },
    { type: 'session', id: SESSION },
    { type: 'text', text: 'é\n2' },
  ]);
  const long = createOutputReader(PRESETS.codex, () => ({ now: 0, zone: 'UTC' }));
  const huge = 'x'.repeat(5 * 1024 * 1024);
  expect([...long.read(huge), ...long.read(`${huge}tail\nnext\n`)]).toEqual([{ type: 'line', text: 'next' }]);
});

function rigWith(program: string): PreparedTurn {
  const rig = prepareTurn({ agent: { preset: 'claude' } });
  copyFileSync(join(AGENTS, program), join(rig.input.reach.dir, 'claude'));
  chmodSync(join(rig.input.reach.dir, 'claude'), 0o755);
  return rig;
}

test('a preset runs its program, reports the session and resumes it, but not for ever', async () => {
  const runner = createCommandRunner();
  const rig = rigWith('claude-like.sh');
  const first = drive(runner, { ...rig.input, session: SESSION });
  expect((await first.ended).reason).toBe('ok');
  expect(first.events.filter(({ type }) => type === 'session')).toEqual([{ type: 'session', id: SESSION }]);
  expect(rig.log()).toContain(`--resume ${SESSION}`);

  const later = rigWith('claude-like.sh');
  const turn = { ...later.input.turn, attempt: 3 };
  expect((await drive(runner, { ...later.input, turn, session: SESSION }).ended).reason).toBe('ok');
  expect(later.log()).not.toContain('--resume');
});

test('a real stream through the runner: usage, a limit with its end, and a session that is dropped', async () => {
  const runner = createCommandRunner();
  const run = async (what: string) => {
    const rig = rigWith('claude-like.sh');
    appendFileSync(
      join(rig.input.reach.dir, 'claude'),
      `cat ${JSON.stringify(join(AGENTS, 'output', `claude-${what}.txt`))}\nexit 1\n`,
    );
    const { events, ended } = drive(runner, rig.input);
    const outcome = await ended;
    return { outcome, told: events.filter(({ type }) => type === 'session' || type === 'usage') };
  };
  const limited = await run('usage-limit');
  expect(limited.outcome).toMatchObject({ reason: 'rate_limited', exitCode: 1, until: null });
  const full = await run('context-full');
  expect(full.outcome).toMatchObject({ state: 'failed', reason: 'exit' });
  expect(full.told.at(-1)).toEqual({ type: 'session', id: null });
  const works = await run('works');
  const used = { inputTokens: expect.any(Number), outputTokens: 100, costUsd: expect.any(Number) };
  expect(works.told).toContainEqual({ type: 'usage', usage: used });
});

test('folders of git are found from inside a repository, and of a worktree', () => {
  const dir = tempFolder('git-dirs');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', '-C', dir, ...args], {
      stdio: 'ignore',
    });
  expect(findGitDirs(dir)).toEqual([]);
  git('init');
  writeFileSync(join(dir, 'a'), '1');
  git('add', '.');
  git('commit', '-m', 'one');
  git('worktree', 'add', 'tree');
  expect(findGitDirs(dir)).toEqual([join(dir, '.git')]);
  expect(readFileSync(join(dir, 'tree/.git'), 'utf8')).toContain('gitdir');
  const found = findGitDirs(join(dir, 'tree'));
  expect(found.map((path) => path.slice(path.indexOf('.git')))).toEqual(['.git/worktrees/tree', '.git']);
});

// What a program's telemetry says of its model's last answer, for programs whose stream says nothing of it.
describe('telemetry', () => {
  let dir: string;
  beforeEach(() => {
    dir = tempFolder('taskroom-telemetry');
    writeFileSync(join(dir, 'output.log'), '{"type":"result","status":"success"}\n');
  });

  async function troubleWith(telemetry: string | null) {
    if (telemetry !== null) writeFileSync(telemetryFile(dir), telemetry);
    const follower = createOutputFollower(PRESETS.gemini, dir, createNodeEffects());
    await follower.finish();
    expect(existsSync(telemetryFile(dir))).toBe(false);
    return follower.report().trouble;
  }
  const said = (...reasons: string[]) =>
    `{\n "gen_ai.response.finish_reasons": ${JSON.stringify(reasons, null, 1)}, "x": 1 }\n`;

  test('a last answer that was cut off or withheld is trouble, whatever the stream says', async () => {
    expect(await troubleWith(said('stop') + said('stop', 'length'))).toMatchObject({
      kind: 'answer',
      message: "its model's answer ended: length",
    });
    expect(await troubleWith(said('content_filter'))).toMatchObject({ kind: 'answer' });
    expect(await troubleWith(' '.repeat(3 * 2 ** 20) + said('length'))).toMatchObject({ kind: 'answer' });
  });

  test('a whole answer, words that nobody knows and no telemetry are none', async () => {
    for (const text of [
      null,
      '',
      'torn "gen_ai.response.finish_rea',
      said(),
      said('tool_calls'),
      said('novel'),
    ])
      expect(await troubleWith(text), String(text)).toBeNull();
    expect(await troubleWith(said('length') + said('stop'))).toBeNull();
  });
});
