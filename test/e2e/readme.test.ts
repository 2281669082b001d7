// The tour of README.md as a new user follows it: its files are saved where it says, its lines typed in their order.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openIssue } from '../support/github-server/people.ts';
import { startGithubServer } from '../support/github-server/server.ts';
import { addRepo } from '../support/github-server/state.ts';
import { createRoom, openFolder, PROGRAM, until } from './room.ts';

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const TOUR = README.slice(README.indexOf('## Five minutes'), README.indexOf('**Order work.**'));

interface Block {
  language: string;
  text: string;
  /** The file that the words before it say it is saved as. */
  path: string | null;
}

function blocksOf(tour: string): Block[] {
  const blocks = [...tour.matchAll(/^(`{3,})(\w+)\n([\s\S]*?)\n\1$/gm)];
  return blocks.map((match, at) => {
    const from = at === 0 ? 0 : blocks[at - 1]!.index + blocks[at - 1]![0].length;
    const before = tour.slice(from, match.index);
    const path = /[Ss]ave (?:this as|it as )?\s*`([^`]+)`:\s*$/.exec(before)?.[1] ?? null;
    return { language: match[2]!, text: `${match[3]!}\n`, path };
  });
}

/** A shell that is typed into line by line, and says how each ended. */
function openShell(home: string, bin: string) {
  const clean = Object.entries(process.env).filter(
    ([name]) => !/^(TASKROOM_|AGENT_ROOM$|G(ITHUB|H)_)/.test(name),
  );
  const env = { ...Object.fromEntries(clean), HOME: home, PATH: `${bin}:${process.env.PATH}`, NO_COLOR: '1' };
  const shell = spawn('bash', ['--norc', '--noprofile'], { env, cwd: home });
  let out = '';
  shell.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  shell.stderr.setEncoding('utf8').on('data', (text) => {
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

test('its tour works as it stands, line by line', { timeout: 180_000 }, async () => {
  const blocks = blocksOf(TOUR);
  expect(blocks.map(({ language, path }) => path ?? language)).toEqual([
    'sh',
    '~/room/tasks/Count my files.md',
    'sh',
    'agents/coder/agent.json',
    'agents/sleepless/agent.json',
    'chores/web-issues.md',
    'sh',
  ]);
  const home = await createRoom();
  const server = await startGithubServer();
  const repo = addRepo(server.state, 'acme/web');
  openIssue(server.state, repo, { title: 'Login fails', body: 'It does.', labels: ['agent'] });
  mkdirSync(home.at('bin'));
  const program = `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`;
  writeFileSync(home.at('bin/taskroom'), program, { mode: 0o755 });
  const room = openFolder(home.at('room'));
  const shell = openShell(home.dir, home.at('bin'));
  try {
    for (const { language, text, path } of blocks) {
      if (path !== null) {
        const file = path.startsWith('~') ? join(home.dir, path.slice(2)) : room.at(path);
        mkdirSync(dirname(file), { recursive: true });
        // The tracker of this test stands on this machine.
        writeFileSync(
          file,
          text.replace('  source: acme/web\n', `  source: acme/web\n  url: ${server.url}\n`),
        );
        if (path.startsWith('~'))
          await until('the outcome', () => readFileSync(file, 'utf8').includes('## Outcome'));
        continue;
      }
      expect(language).toBe('sh');
      for (const typed of text.trimEnd().split('\n')) {
        // Packing and installing is the work of package.slow.test.ts.
        if (typed.startsWith('npm pack && npm install --global ')) continue;
        const line = typed.replace('GITHUB_TOKEN=…', 'GITHUB_TOKEN=good-token');
        const [first, up] = line.split(' && taskroom up ');
        // The live terminal needs one: top/top.slow.test.ts.
        if (first!.startsWith('taskroom top')) {
          expect(await shell.type(first!)).toMatchObject({
            code: 4,
            said: expect.stringContaining('terminal'),
          });
          continue;
        }
        expect(await shell.type(first!), first).toMatchObject({ code: 0 });
        if (up !== undefined) {
          expect(up).toBe('--room ~/room');
          await room.up();
        }
      }
    }
    expect(existsSync(room.at('tasks/Login fails (web#1).md'))).toBe(true);
    expect(room.read('tasks/Count my files.md')).toContain('remote: task:github:acme/web#2');
  } finally {
    shell.close();
    await room.close();
    await home.close();
    await server.close();
  }
});
