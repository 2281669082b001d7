// Completions in the shells themselves: a person's keys go in over a terminal, what the shell makes of them is run.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { room } from './each-room.ts';
import { type E2eRoom, PROGRAM, until } from './room.ts';

const hasTerminal = spawnSync('script', ['--version']).status === 0;

/** Types a line with TABs into an interactive bash; returns the words that the command it became was given. */
async function complete(room: E2eRoom, line: string): Promise<string[]> {
  const taskroom = `#!/bin/sh\nif [ "$1" = completion ]; then exec '${process.execPath}' '${PROGRAM}' "$@"; fi\nprintf '%s\\n' "$@" > '${room.at('words')}.new'; mv '${room.at('words')}.new' '${room.at('words')}'\n`;
  writeFileSync(room.at('taskroom'), taskroom, { mode: 0o755 });
  const env = {
    ...process.env,
    PATH: `${room.dir}:${process.env.PATH}`,
    AGENT_ROOM: room.dir,
    TERM: 'dumb',
    PS1: 'ready> ',
    INPUTRC: '/dev/null',
  };
  await room.run(['completion', 'bash']).then(({ stdout }) => writeFileSync(room.at('completions'), stdout));
  const shell = spawn('script', ['-qec', 'bash --norc --noprofile -i', '/dev/null'], { env, cwd: room.dir });
  let seen = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen += text;
  });
  try {
    shell.stdin.write('. ./completions; PS1="loa""ded> "\n');
    await until('the prompt', () => seen.includes('loaded> '));
    shell.stdin.write(`${line}\n`);
    await until(`the words of ${line}: ${seen}`, () => existsSync(room.at('words')));
    return room.read('words').trimEnd().split('\n');
  } finally {
    shell.stdin.end('exit\n');
    shell.kill();
  }
}

describe.skipIf(!hasTerminal)('in bash', () => {
  test.for([
    ['taskroom sho\t', ['show']],
    ['taskroom list --prio\thigh', ['list', '--priority', 'high']],
    ['taskroom show Fix\t', ['show', 'Fix the (web#1) build']],
    ['taskroom show Fix\\ the\t', ['show', 'Fix the (web#1) build']],
    ['taskroom show "Fix the\t', ['show', 'Fix the (web#1) build']],
    ["taskroom done Wr\t 'Fix t\t", ['done', "Write it's parser", 'Fix the (web#1) build']],
  ] as const)('%s', async ([line, words]) => {
    room.save('tasks/Fix the (web#1) build.md', 'It is red.\n');
    room.save("tasks/Write it's parser.md", 'Please.\n');
    expect(await complete(room, line)).toEqual(words);
  });
});

test.for(['zsh', 'fish'])(
  'the script for %s names every command, and is read by it where it is installed',
  async (shell) => {
    const script = await room.ok('completion', shell);
    for (const name of ['init', 'sync', 'completion']) expect(script).toContain(name);
    expect(script).toContain('taskroom completion names');
    writeFileSync(room.at('script'), script);
    const read = spawnSync(shell, ['-n', room.at('script')], { encoding: 'utf8' });
    if (read.error === undefined) expect(read).toMatchObject({ status: 0, stderr: '' });
  },
);

test('names are those of the files, asked for without a ledger', async () => {
  room.save('tasks/B.md', 'B\n');
  room.save('tasks/A b.md', '---\nstatus: [\n---\n');
  room.save('tasks/.hidden.md', 'no\n');
  expect(await room.ok('completion', 'names')).toBe('A b\nB\n');
  expect((await room.run(['completion', 'tcsh'])).code).toBe(2);
});
