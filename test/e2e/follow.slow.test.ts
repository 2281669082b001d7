// A person at a terminal who asks for a turn and waits for it: its output, its question, the answer typed there, the next
// turn. The terminal is a real one, made by script(1).
import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { room } from './each-room.ts';
import { PROGRAM, until } from './room.ts';

const AGENT = `if [ -f answered ]; then
  grep -A1 'answer ·' "$1" | tail -n 1
  taskroom done --outcome 'Dropped.'
else
  echo 'Looking at both tables.'
  taskroom ask 'Which of the two?'
  touch answered
fi
`;

beforeEach(() => {
  room.agent('asker', { command: ['/bin/sh', '-c', 'cat > prompt.md; sh agent.sh prompt.md'] });
  room.save('agent.sh', AGENT);
  room.save('tasks/Drop a table.md', '---\nid: drop1234\nowner: asker\nstatus: draft\n---\nDrop it.\n');
});

test.skipIf(process.platform !== 'linux')(
  'sees what the turn says, is asked what it asks, and sees the turn that goes on with the answer',
  async () => {
    await room.ok('set', 'drop1234', 'status=todo', 'paused=true');
    const daemon = await room.up();
    await room.quiet(daemon);
    const command = `${process.execPath} ${PROGRAM} run drop1234 --force --follow --room ${room.dir}`;
    const terminal = spawn('script', ['-qec', command, '/dev/null'], {
      env: { ...process.env, NO_COLOR: '1' },
    });
    let shown = '';
    terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += stripVTControlCharacters(text);
    });
    const ended = new Promise<number | null>((resolve) => terminal.on('close', resolve));
    await until('the person is asked', () => shown.includes('asker asks:'));
    await until('there is a prompt', () => /Which of the two\?\s+> $/.test(shown));
    // What was forced once is not forced again.
    await room.ok('resume', 'drop1234');
    terminal.stdin.write('The second.\r');
    expect(await ended).toBe(0);
    expect(shown).toMatch(/Looking at both tables\..*Which of the two\?.*The second\..*completed/s);
    const { turns } = await room.json('turns', 'drop1234');
    expect(turns.map((turn: Record<string, unknown>) => [turn.origin, turn.state])).toEqual([
      ['chat', 'completed'],
      ['chat', 'completed'],
    ]);
    expect(turns[0].reasons).toEqual(expect.arrayContaining(['answered', 'chat']));
    expect(await room.json('show', 'drop1234')).toMatchObject({ status: 'done', waiting: false });
  },
);

test('without a terminal it says how to answer, and ends', async () => {
  const daemon = await room.up();
  await room.ok('set', 'drop1234', 'status=todo');
  await daemon.see('turn.ended', { name: 'Drop a table' });
  await room.ok('answer', 'drop1234', 'The first.');
  await daemon.see('task.changed', { status: 'done' });
  await room.quiet(daemon);
  room.save('agent.sh', "echo 'Once more.'; taskroom ask 'And now?'");
  await room.ok('reopen', 'drop1234');
  await daemon.see('question.asked', { text: 'And now?' });
  const refused = await room.run(['run', 'drop1234', '--follow']);
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('taskroom answer drop1234') });
});
