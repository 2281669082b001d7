// Every block of commands in README.md and the guides, typed line by line into the shell of a new user, page by page: the files
// are saved where the page says, and each command ends well.
import { execFileSync, spawn } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openIssue } from '../support/github-server/people.ts';
import { startGithubServer } from '../support/github-server/server.ts';
import { addRepo } from '../support/github-server/state.ts';
import { tempFolder } from '../support/temp-folder.ts';
import type { Daemon } from './daemon.ts';
import { buildProgram, type E2eRoom, openFolder, PROGRAM, until } from './room.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = [
  'README.md',
  ...globSync('docs/**/*.md', { cwd: ROOT, exclude: ['docs/decisions/**'] }),
].sort();

/** Lines that are not run, by their beginning, with what they would need. */
const NOT_HERE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': {
    'npm ': 'package.slow.test.ts and start.test.ts run these',
    'taskroom top': 'a terminal: top/top.slow.test.ts',
  },
  'docs/operating.md': { 'systemctl ': 'systemd', 'loginctl ': 'systemd', 'journalctl ': 'systemd' },
  'docs/http.md': { 'curl … ': 'it is cut short' },
  'docs/scaling.md': {
    'taskroom up --host': 'PostgreSQL and a certificate: workers.slow.test.ts',
    'taskroom worker': 'a room on another machine: workers.slow.test.ts',
  },
  'docs/webhooks.md': { 'cloudflared ': 'a tunnel', 'tailscale ': 'a tunnel', 'ssh ': 'a server' },
};

interface Block {
  language: string;
  text: string;
  /** The file that the words before it say it is saved as. */
  path: string | null;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8').split('<!-- from here on: the help')[0]!;
  const blocks = [...text.matchAll(/^(`{3,})(\w+)\n([\s\S]*?)\n\1$/gm)];
  return blocks.map((match, at) => {
    const from = at === 0 ? 0 : blocks[at - 1]!.index + blocks[at - 1]![0].length;
    const before = text.slice(from, match.index);
    const path =
      /[Ss]ave (?:this as|it as )?\s*`([^`]+)`[^`.]*(?:`[^`]*`[^`.]*)*:\s*$/.exec(before)?.[1] ?? null;
    return { language: match[2]!, text: `${match[3]!}\n`, path };
  });
}

/** The lines of a block that a person types. */
function linesOf({ language, text }: Block): string[] {
  const lines = text.trimEnd().split('\n');
  if (language === 'sh') return lines;
  if (language !== 'console') return [];
  return lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));
}

/** A shell that is typed into line by line, and says how each ended. */
function openShell(home: string, env: Record<string, string>) {
  const shell = spawn('bash', ['--norc', '--noprofile'], { env, cwd: home });
  let out = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
  return {
    async type(line: string): Promise<{ line: string; code: number; said: string }> {
      out = '';
      shell.stdin.write(`${line}\necho "ended with $?."\n`);
      await until(`the end of ${line}`, () => /ended with \d+\.\n/.test(out));
      return { line, code: Number(/ended with (\d+)\.\n/.exec(out)![1]), said: out };
    },
    close: () => shell.kill(),
  };
}

/** Asks first, and works in the folder it is started in once it has an answer. */
const AGENT = `#!/bin/sh
case "$*" in *--version*) echo '2.1.197 (Claude Code)'; exit 0;; esac
cat > /dev/null
if [ ! -e "$HOME/asked" ]; then
  touch "$HOME/asked"
  taskroom ask 'The first way, or the second?' > /dev/null
elif [ "$PWD" != "$HOME/web" ]; then
  echo 'const copy = 1;' >> src/build.js
  git add --all && git commit --quiet -m Work
  taskroom progress 'Built.' > /dev/null
else taskroom progress 'Read.' > /dev/null; fi
echo '{"type":"result","subtype":"success","is_error":false,"result":"ok","session_id":"s1"}'
`;

interface User {
  home: E2eRoom;
  room: E2eRoom;
  shell: ReturnType<typeof openShell>;
  tracker: string;
  daemon: Daemon | null;
}

/** A person with a project, a coding agent, an account at a tracker, and the program on their PATH. */
async function createUser({ hasAgent }: { hasAgent: boolean }): Promise<User> {
  buildProgram();
  const home = openFolder(tempFolder('taskroom-pages'));
  const server = await startGithubServer();
  const repo = addRepo(server.state, 'acme/web');
  openIssue(server.state, repo, { title: 'Login fails', body: 'It does.', labels: ['agent'] });
  for (let number = 2; number <= 12; number += 1)
    openIssue(server.state, repo, { title: `Of people ${number}`, body: '', labels: [] });
  for (const folder of ['bin', 'web/src', '.claude', '.config/systemd/user'])
    mkdirSync(home.at(folder), { recursive: true });
  const program = (name: string, text: string) =>
    writeFileSync(home.at(`bin/${name}`), text, { mode: 0o755 });
  program('taskroom', `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
  if (hasAgent) {
    program('claude', AGENT);
    writeFileSync(home.at('.claude/.credentials.json'), '{"claudeAiOauth":{"accessToken":"x"}}');
  }
  writeFileSync(home.at('web/src/build.js'), '// build\n'.repeat(12));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: home.at('web') });
  git('init', '--quiet', '--initial-branch=main');
  for (const [key, value] of [
    ['name', 'Casey'],
    ['email', 'casey@example.com'],
  ] as const)
    git('config', `user.${key}`, value);
  git('add', '.');
  git('commit', '--quiet', '-m', 'First');
  const clean = Object.entries(process.env).filter(
    ([name]) => !/^(TASKROOM_|AGENT_ROOM$|G(ITHUB|H)_|CI$)/.test(name),
  );
  const PATH = `${home.at('bin')}:${process.env.PATH}`;
  // Over ssh `open` prints its link.
  const env = { HOME: home.dir, PATH, NO_COLOR: '1', SSH_CONNECTION: 'x' };
  const shell = openShell(home.dir, { ...Object.fromEntries(clean), ...env } as Record<string, string>);
  const room = openFolder(home.at('room'));
  Object.assign(room.daemonEnv, env, { GITHUB_TOKEN: 'good-token' });
  onTestFinished(async () => {
    shell.close();
    await room.close();
    await home.close();
    await server.close();
  });
  return { home, room, shell, tracker: server.url, daemon: null };
}

const FIX = '---\nid: 3nprht9x\nowner: coder\n---\nFix it.\n';
const CHORE = blocksOf('docs/first-week.md').find(({ path }) => path === 'chores/web-issues.md')!.text;

/** The room that a guide takes for given. */
async function makeRoom({ room, shell, tracker }: User): Promise<void> {
  await room.ok('init', room.dir, '--agent', 'runbook');
  room.agent('coder', { command: 'taskroom progress Looked.' });
  room.save('tasks/Fix the build.md', FIX);
  room.save('tasks/My task.md', '---\nstatus: draft\n---\nMine.\n');
  save(room, tracker, 'chores/web-issues.md', CHORE);
  await shell.type('cd ~/room; export GITHUB_TOKEN=good-token');
}

/** Saves a file of a page; its tracker stands on this machine. */
function save(room: E2eRoom, tracker: string, path: string, text: string): void {
  room.save(path, text.replace('  source: acme/web\n', `  source: acme/web\n  url: ${tracker}\n`));
}

/** What a page leaves to its reader before a line. */
const BEFORE: Readonly<Record<string, (user: User) => Promise<void>>> = {
  'taskroom answer': async ({ daemon }) => void (await daemon!.see('question.asked')),
  'taskroom diff': async ({ room, daemon }) => {
    // A change of an agent counts while no turn runs.
    await room.quiet(daemon!);
    const from = daemon!.mark();
    const config = JSON.parse(room.read('agents/claude/agent.json'));
    room.agent('claude', { ...config, workspace: 'worktree' });
    await daemon!.see('config.reloaded', {}, from);
    await room.ok('run', 'Fix the build');
    await daemon!.see('turn.ended', { name: 'Fix the build' }, from);
  },
  'taskroom merge "': async ({ room, daemon }) => await room.quiet(daemon!),
  'taskroom open': async (user) => {
    await start(user);
  },
};

/** The words of a page as they are where this is run. */
async function asHere(line: string, { room, shell, tracker }: User): Promise<string> {
  const api = () => JSON.parse(room.read('.taskroom/api.json')) as { url: string };
  if (line.includes('://build.example')) {
    const { said } = await shell.type('taskroom token new here --full --json');
    const { token } = JSON.parse(said.slice(0, said.lastIndexOf('ended with')));
    return line.replace('https://build.example', api().url).replace('tskr_…', token);
  }
  return line
    .replace('GITHUB_TOKEN=…', 'GITHUB_TOKEN=good-token')
    .replace('https://github.com/acme', `${tracker}/acme`)
    .replace('curl -H', 'curl --silent --fail --output /dev/null -H')
    .replace('http://127.0.0.1:7420', () => api().url)
    .replace(/^taskroom discard "[^"]*"/, '$& --yes');
}

async function start(user: User): Promise<void> {
  user.daemon = await user.room.up();
  await user.daemon.see('api.ready');
}

async function type(user: User, line: string): Promise<void> {
  for (const [start, prepare] of Object.entries(BEFORE)) if (line.startsWith(start)) await prepare(user);
  const [first = '', up] = line.split(/(?:^| && )taskroom up\b/);
  if (first !== '') {
    const typed = await asHere(first, user);
    const { code, said } = await user.shell.type(typed);
    expect(code, `${typed}\n${said}`).toBe(0);
  }
  if (up === undefined) return;
  await start(user);
}

const withCommands = PAGES.filter((page) => blocksOf(page).some((block) => linesOf(block).length > 0));

test.each(withCommands)('the commands of %s work as they stand', { timeout: 120_000 }, async (page) => {
  const user = await createUser({ hasAgent: page === 'docs/first-week.md' });
  const blocks = blocksOf(page);
  const makesRoom = blocks.some((block) => linesOf(block).some((line) => line.includes('taskroom init')));
  if (!makesRoom) await makeRoom(user);
  const skipped = new Set<string>();
  for (const block of blocks) {
    const { text, path } = block;
    if (path?.startsWith('~') || (path !== null && user.daemon !== null)) {
      // A change of what agents may do counts while no turn runs.
      await user.room.quiet(user.daemon!);
      save(user.room, user.tracker, path!.replace('~/room/', ''), text);
      if (path!.startsWith('~'))
        await until('the outcome', () => user.room.read(path!.slice(7)).includes('## Outcome'));
    }
    for (const line of linesOf(block)) {
      const beginning = Object.keys(NOT_HERE[page] ?? {}).find((start) => line.startsWith(start));
      if (beginning === undefined) await type(user, line);
      else skipped.add(beginning);
    }
    // The person works on in another terminal.
    if (user.daemon !== null && makesRoom) await user.shell.type('cd ~/room; export GITHUB_TOKEN=good-token');
  }
  expect([...skipped].sort()).toEqual(Object.keys(NOT_HERE[page] ?? {}).sort());
  if (page === 'README.md')
    expect(user.room.read('tasks/Count my files.md')).toContain('remote: task:github:acme/web#13');
  if (page === 'docs/first-week.md')
    expect(readFileSync(user.home.at('web/src/build.js'), 'utf8')).toContain('const copy');
});

test('the pages with commands are known, and so are the files that README.md has saved', () => {
  expect(withCommands.length).toBeGreaterThan(6);
  expect(Object.keys(NOT_HERE).filter((page) => !withCommands.includes(page))).toEqual([]);
  const paths = (page: string) => blocksOf(page).flatMap(({ path }) => path ?? []);
  expect(paths('README.md')).toEqual([
    '~/room/tasks/Count my files.md',
    'agents/coder/agent.json',
    'chores/web-issues.md',
  ]);
  expect(paths('docs/first-week.md')).toEqual(['chores/web-issues.md']);
});
