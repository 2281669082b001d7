import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { parseProcStat } from '../../../src/agents/process/proc-files.ts';
import {
  claimUnstarted,
  isAlive,
  readExit,
  readIdentity,
  startByPs,
  startOf,
  WRAPPER,
} from '../../../src/agents/process/process-identity.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { readIfThere, until } from '../prepared-turn.ts';

let dir: string;
beforeEach(() => {
  dir = tempFolder('identity');
});

function startWrapper(folder: string, line: string, script = WRAPPER, shell = '/bin/sh'): ChildProcess {
  return spawn(shell, ['-c', script, 'taskroom-turn', folder, '/bin/sh', '-c', line], { stdio: 'ignore' });
}

test('the wrapper records who it is and how its program ended', async () => {
  mkdirSync(join(dir, 'it'));
  const wrapper = startWrapper(join(dir, 'it'), `while ! [ -e "${dir}/go" ]; do :; done; exit 9`);
  await until('it claimed the turn', () => readIfThere(join(dir, 'it/pid')).endsWith('\n'));
  const identity = (await readIdentity(join(dir, 'it')))!;
  expect(identity).toEqual({ pid: wrapper.pid, start: await startOf(wrapper.pid!) });
  expect(await isAlive(identity)).toBe(true);
  expect(await isAlive({ ...identity, start: `${identity.start}0` })).toBe(false);
  expect(await claimUnstarted(join(dir, 'it'))).toEqual(identity);
  expect(await readExit(join(dir, 'it'))).toBeNull();
  writeFileSync(join(dir, 'go'), '');
  await once(wrapper, 'exit');
  expect(await isAlive(identity)).toBe(false);
  expect(await readExit(join(dir, 'it'))).toBe(9);
});

// On most systems /bin/sh is dash or bash; macOS has bash 3.2, which is the same here.
test.each(['/bin/sh', '/bin/bash'].filter(existsSync))(
  'under %s the wrapper survives TERM to record',
  async (shell) => {
    const wrapper = startWrapper(dir, 'kill -TERM "$PPID"; kill -TERM $$', WRAPPER, shell);
    expect(await once(wrapper, 'exit')).toEqual([143, null]);
    expect(await readExit(dir)).toBe(143);
  },
);

test('a wrapper whose claim was taken over before it ran its program ends without running it', async () => {
  const readBack = 'read -r taskroom_back';
  const slow = WRAPPER.replace(readBack, `printf 'void\\n' >| "$taskroom_dir/pid"\n${readBack}`);
  expect(slow).not.toBe(WRAPPER);
  const [code] = await once(startWrapper(dir, `: > "${dir}/ran"`, slow), 'exit');
  expect([code, existsSync(join(dir, 'ran')), await readExit(dir)]).toEqual([75, false, null]);
});

test('without /proc the start time comes from ps, the same on both sides', async () => {
  const blind = WRAPPER.replaceAll('/proc/', '/nowhere/');
  expect(blind).not.toBe(WRAPPER);
  const wrapper = startWrapper(dir, `while ! [ -e "${dir}/go" ]; do :; done`, blind);
  await until('it claimed the turn', () => readIfThere(join(dir, 'pid')).endsWith('\n'));
  const identity = await readIdentity(dir);
  const start = await startByPs(wrapper.pid!);
  writeFileSync(join(dir, 'go'), '');
  await once(wrapper, 'exit');
  expect(identity).toEqual({ pid: wrapper.pid, start });
  expect(start).toMatch(/^ps \w{3} \w{3} \d+ [\d:]{8} \d{4}$/);
  expect(await startByPs(wrapper.pid!)).toBeNull();
});

test('a second wrapper in the same folder runs nothing', async () => {
  await once(startWrapper(dir, 'exit 0'), 'exit');
  const first = readFileSync(join(dir, 'pid'), 'utf8');
  const [code] = await once(startWrapper(dir, `: > "${dir}/ran"`), 'exit');
  expect([code, existsSync(join(dir, 'ran')), readFileSync(join(dir, 'pid'), 'utf8')]).toEqual([
    75,
    false,
    first,
  ]);
});

test('a claim is for good, and repeats itself', async () => {
  expect([await claimUnstarted(dir), await claimUnstarted(dir)]).toEqual(['claimed', 'claimed']);
  expect(await readIdentity(dir)).toBeNull();
});

test('a claim file that was created and not filled is taken over; its late writer finds out', async () => {
  const late = openSync(join(dir, 'pid'), 'wx');
  expect(await claimUnstarted(dir)).toBe('claimed');
  writeSync(late, '4242 linux 1 x\n');
  closeSync(late);
  // What the wrapper reads back is not what it wrote.
  expect(readFileSync(join(dir, 'pid'), 'utf8')).toBe('void\n');
});

test.each([
  ...['', '4242', '4242 linux 1', 'x\n', '1 linux 1 x\n', '0 a\n', '-1 a\n', '99999999999 a\n', '42\n'],
  '42 \n',
])('a pid file holding %j names nobody', async (text) => {
  writeFileSync(join(dir, 'pid'), text);
  expect(await readIdentity(dir)).toBeNull();
  expect(await claimUnstarted(dir)).toBe('claimed');
});

test.each(['', '0', 'x\n', '-1\n', '1234\n', '0\n0\n'])(
  'an exit file holding %j records nothing',
  async (text) => {
    writeFileSync(join(dir, 'exit'), text);
    expect(await readExit(dir)).toBeNull();
  },
);

test('a wrapper and a claim at the same moment: never both', async () => {
  const outcomes = new Set<string>();
  for (let round = 0; round < Number(process.env.FC_RUNS ?? 60); round += 1) {
    const folder = join(dir, String(round));
    mkdirSync(folder);
    const wrapper = startWrapper(folder, `: > "${folder}/ran"`);
    const ended = once(wrapper, 'exit');
    // Different moments of the wrapper's start, without naming a time.
    for (let turns = (round % 30) * 40; turns > 0; turns -= 1) await new Promise(setImmediate);
    const claim = await claimUnstarted(folder);
    await ended;
    const ran = existsSync(join(folder, 'ran'));
    outcomes.add(claim === 'claimed' ? 'claimed' : 'started');
    if (claim === 'claimed') expect(ran).toBe(false);
    else expect(claim.pid).toBe(wrapper.pid);
    expect(ran).toBe((await readExit(folder)) === 0);
  }
  expect([...outcomes].sort()).toEqual(['claimed', 'started']);
});

test('a command name may hold spaces and parentheses', () => {
  const fields = Array.from({ length: 30 }, (_, at) => String(at + 4)).join(' ');
  expect(parseProcStat(`77 (a) b (c) S ${fields}\n`)).toEqual({
    pid: 77,
    state: 'S',
    parent: 4,
    group: 5,
    session: 6,
    ticks: 22,
  });
  expect(parseProcStat('')).toBeNull();
  expect(parseProcStat(null)).toBeNull();
});
