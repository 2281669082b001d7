// A turn's reports through the real daemon: by every way there is, in a room that dies meanwhile, and by callers who are
// not who they seem.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Daemon } from './daemon.ts';
import { room } from './each-room.ts';
import { type E2eRoom, PROGRAM, TURN_PROGRAM, until } from './room.ts';

const linesOf = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([all]) => all);

/** Begins the turn of a task whose agent waits for words. */
async function begin(
  room: E2eRoom,
  name: string,
  daemon?: Daemon,
): Promise<{ daemon: Daemon; bridge: string; turn: string }> {
  room.gate(name);
  room.save(`tasks/${name}.md`, `---\nid: try11111\n---\n## Steps\n- [ ] First\n- [ ] Second\n`);
  const running = daemon ?? (await room.up());
  const { turn } = await running.see('turn.started', { name });
  await until('its agent waits', () => room.agentLog().includes(`start ${turn} ${name}`));
  return { daemon: running, bridge: room.at(`.taskroom/turns/${turn}/bridge`), turn: String(turn) };
}

/** Has the agent run these words, and returns what it printed when its turn is over. */
async function say(room: E2eRoom, daemon: Daemon, name: string, words: string): Promise<string> {
  room.open(name, words);
  const { turn } = await daemon.see('turn.ended', { name });
  return (await room.json('log', String(turn))).text;
}

const EVERYTHING = [
  ...['taskroom step 1 2>&1', 'taskroom step --add Third 2>&1', 'taskroom progress "Half done." 2>&1'],
  ...['printf "From\\nstdin.\\n" | taskroom comment - 2>&1', 'taskroom set priority=high 2>&1'],
  ...['taskroom new "Found on the way" "Look at it." 2>&1', 'taskroom list 2>&1'],
  ...['taskroom show --json 2>&1', 'taskroom done --outcome "All is well." 2>&1; echo "code $?"'],
].join('; ');

function expectEverything(room: E2eRoom, text: string): void {
  const file = room.read('tasks/Try.md');
  expect(file).toMatch(/- \[x\] First\n- \[ \] Second\n- \[ \] Third/);
  expect(file).toContain('Half done.');
  expect(file).toContain('> From\n> stdin.');
  expect(file).toContain('priority: high');
  expect(file).toContain('status: done');
  expect(file).toContain('All is well.');
  expect(room.read('tasks/Found on the way.md')).toContain('requester: agent:gate');
  expect(text).toContain('code 0');
  expect(text).toContain('"id":"try11111"');
}

test('everything a turn reports', async () => {
  const { daemon } = await begin(room, 'Try');
  expectEverything(room, await say(room, daemon, 'Try', EVERYTHING));
});

test('the program is found by its path where PATH is gone, and finds its turn where every variable is', async () => {
  const { daemon } = await begin(room, 'Try');
  const bare = `env -i "TASKROOM_NODE=$TASKROOM_NODE" "${TURN_PROGRAM}"`;
  const text = await say(
    room,
    daemon,
    'Try',
    `PATH=/usr/bin:/bin "${TURN_PROGRAM}" progress "Bare." 2>&1; cd /; ${bare} step 1 2>&1; ${bare} --help | head -n 1`,
  );
  expect(room.read('tasks/Try.md')).toContain('Bare.');
  expect(room.read('tasks/Try.md')).toContain('- [x] First');
  expect(text).toContain('taskroom');
});

const WORDS = [
  ...[1, 2, 3].map((at) => `taskroom progress "word ${at}" 2>&1; echo "code $?"`),
  'taskroom step 2 2>&1; echo "code $?"',
  'taskroom new Later 2>&1; echo "code $?"',
  'taskroom show 2>&1; echo "code $?"',
].join('; ');

test('while no daemon runs writes are accepted, and carried out once and in order before the end is recorded', async () => {
  const { daemon, turn, bridge } = await begin(room, 'Try');
  await daemon.kill();
  room.open('Try', WORDS);
  await until('the turn is over', () => existsSync(join(bridge, '../exit')));
  expect(readdirSync(join(bridge, 'requests'))).toHaveLength(5);
  expect(room.read('tasks/Try.md')).not.toContain('word 1');
  const again = await room.up();
  await again.see('turn.ended', { turn, state: 'completed', reason: 'ok' });
  const { text } = await room.json('log', turn);
  expect(linesOf(text, /written down; it is carried out when the room runs again/g)).toHaveLength(5);
  expect(linesOf(text, /code \d+/g)).toEqual([...Array(5).fill('code 0'), 'code 6']);
  expect(text).toContain('context.json');
  const file = room.read('tasks/Try.md');
  expect(linesOf(file, /word \d/g)).toEqual(['word 1', 'word 2', 'word 3']);
  expect(file).toContain('- [x] Second');
  expect(room.read('tasks/Later.md')).toContain('requester: agent:gate');
});

test('killed with requests under way, the daemon carries each out once', async () => {
  const { daemon, turn, bridge } = await begin(room, 'Try');
  room.open('Try', 'for at in 1 2 3 4 5 6 7 8; do taskroom progress "word $at"; done');
  await until('some are carried out', () => linesOf(room.read('tasks/Try.md'), /word \d/g).length >= 3);
  await daemon.kill();
  await until('the turn is over', () => existsSync(join(bridge, '../exit')));
  await (await room.up()).see('turn.ended', { turn });
  const said = linesOf(room.read('tasks/Try.md'), /word \d/g);
  expect(said).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((at) => `word ${at}`));
});

test('what comes after the end is refused, on record, and harms nothing', async () => {
  const { daemon, bridge } = await begin(room, 'Try');
  await say(room, daemon, 'Try', 'taskroom progress "in time"');
  const call = (): { status: number; stderr: string } => {
    try {
      execFileSync(TURN_PROGRAM, ['progress', 'late'], {
        env: { PATH: process.env.PATH, TASKROOM_BRIDGE: bridge },
        stdio: 'pipe',
      });
      return { status: 0, stderr: '' };
    } catch (error) {
      const { status, stderr } = error as { status: number; stderr: Buffer };
      return { status, stderr: String(stderr) };
    }
  };
  expect(call()).toMatchObject({ status: 4, stderr: expect.stringContaining('is over') });
  await room.quiet(daemon);
  expect(room.read('tasks/Try.md')).not.toContain('late');
  expect(existsSync(join(bridge, 'token'))).toBe(false);
  expect(readFileSync(join(bridge, 'refused.jsonl'), 'utf8')).toContain('"operation":"progress"');
});

test('two at once', async () => {
  const { daemon } = await begin(room, 'Try');
  const many = (who: string) => `for at in 1 2 3 4 5; do taskroom progress "${who} $at"; done`;
  await say(room, daemon, 'Try', `(${many('one')}) & (${many('two')}) & wait`);
  const file = room.read('tasks/Try.md');
  for (const who of ['one', 'two'])
    expect(linesOf(file, new RegExp(`${who} \\d`, 'g'))).toEqual([1, 2, 3, 4, 5].map((at) => `${who} ${at}`));
});

describe('whoever is not the agent of this turn', () => {
  test('a wrong secret, no secret, and another task are refused and told', async () => {
    room.save('tasks/Other.md', '---\nid: other111\nstatus: draft\n---\n');
    const { daemon, bridge, turn } = await begin(room, 'Try');
    const text = await say(
      room,
      daemon,
      'Try',
      [
        'taskroom set Other priority=high 2>&1; echo "code $?"',
        `cp "${bridge}/token" kept; echo wrong > "${bridge}/token"; taskroom progress forged 2>&1; echo "code $?"`,
        `rm "${bridge}/token"; taskroom progress forged 2>&1; echo "code $?"`,
        `cp kept "${bridge}/token"; taskroom progress real 2>&1; echo "code $?"`,
      ].join('; '),
    );
    expect(linesOf(text, /code \d+/g)).toEqual(['code 4', 'code 4', 'code 4', 'code 0']);
    expect(text).toMatch(/nor a subtask of it[\s\S]*not the secret of turn[\s\S]*secret can't be read/);
    expect(daemon.all('turn.refused', { turn })).toHaveLength(2);
    expect(room.read('tasks/Try.md')).not.toContain('forged');
    expect(room.read('tasks/Other.md')).not.toContain('priority');
  });

  test('a full program inside a turn is the turn, whatever its environment says', async () => {
    room.save('tasks/Done.md', '---\nid: done1111\nstatus: done\n---\n');
    const { daemon } = await begin(room, 'Try');
    const full = `${process.execPath} ${PROGRAM} --room "$AGENT_ROOM"`;
    const bare = `env -u TASKROOM_TURN -u TASKROOM_TASK ${full}`;
    const gone = `room=$AGENT_ROOM; setsid -w env -i ${process.execPath} ${PROGRAM} --room "$room"`;
    const text = await say(
      room,
      daemon,
      'Try',
      [full, bare, gone]
        .flatMap((program) => [
          `${program} progress try11111 Said 2>&1`,
          `${program} reopen Done 2>&1; echo "code $?"`,
        ])
        .join('; '),
    );
    expect(linesOf(text, /code \d+/g)).toEqual(['code 4', 'code 4', 'code 4']);
    expect(linesOf(room.read('tasks/Try.md'), /Said/g)).toHaveLength(3);
    expect(room.read('tasks/Done.md')).toContain('status: done');
    expect(daemon.all('turn.refused').length).toBe(3);
  });

  test('what only a person can do works outside a turn only', async () => {
    const { daemon } = await begin(room, 'Try');
    const commands = ['status', 'stop', 'up', 'sync', 'chores', 'edit Try', 'run --all', 'init elsewhere'];
    const words = commands.map((command) => `taskroom ${command} 2>&1; echo "code $?"`).join('; ');
    const text = await say(room, daemon, 'Try', words);
    expect(linesOf(text, /code \d+/g)).toEqual(commands.map(() => 'code 4'));
    expect(text).toContain('works outside a turn only');
  });
});
