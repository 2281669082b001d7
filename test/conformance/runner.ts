// What every runner that runs a program must hold, with real programs: no process outlives its turn, no
// finish is lost, output is kept byte for byte and costs no memory.
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { claimUnstarted, readIdentity } from '../../src/runners/process/process-identity.ts';
import type { Runner, TaskRunInput } from '../../src/runners/runner.ts';
import {
  AGENTS,
  type Drive,
  drive,
  livingProcesses,
  type PreparedTurn,
  prepareTurn,
  readIfThere,
  startAndAbandon,
  stop,
  type TurnOptions,
  until,
} from '../runners/prepared-turn.ts';
import { createManualClock } from '../support/manual-clock.ts';

export interface RunnerSetup {
  create(): Runner;
  /** What makes this runner run a line of POSIX sh as the agent's work. */
  options(line: string): TurnOptions;
  promptOnStdin: boolean;
}

const linuxOnly = test.skipIf(process.platform !== 'linux');

export function runnerConformance(name: string, setup: RunnerSetup): void {
  const rigs: PreparedTurn[] = [];

  function rigFor(line: string, more: TurnOptions = {}): PreparedTurn {
    const made = setup.options(line);
    const rig = prepareTurn({ ...made, ...more, agent: { ...made.agent, ...more.agent } });
    rigs.push(rig);
    return rig;
  }

  function run(rig: PreparedTurn, more: Partial<TaskRunInput> = {}): Drive {
    return drive(setup.create(), { ...rig.input, ...more });
  }

  afterEach(() => {
    const left = rigs.flatMap((rig) => livingProcesses(rig.input.turn.id));
    for (const rig of rigs.splice(0)) rig.close();
    expect(left, 'processes that outlived their turn').toEqual([]);
  });

  describe(`${name}: ends`, () => {
    test('success', async () => {
      const rig = rigFor(`${AGENTS}/succeed.sh`);
      const { events, ended } = run(rig);
      expect(await ended).toEqual({
        state: 'completed',
        reason: 'ok',
        exitCode: 0,
        signal: null,
        message: '',
      });
      expect(rig.log()).toBe('working\nfinished\n');
      expect(events[0]).toEqual({ type: 'started', pid: (await readIdentity(rig.dir))!.pid });
      expect(events.at(-1)).toEqual({ type: 'output', bytes: 17 });
    });

    test('non-zero exit, explained by its last line', async () => {
      const outcome = await run(rigFor(`${AGENTS}/fail.sh`)).ended;
      expect(outcome).toMatchObject({ state: 'failed', reason: 'exit', exitCode: 3, signal: null });
      expect(outcome.message).toBe('exit code 3: no plan found');
    });

    test.each([
      ['KILL', 137],
      ['TERM', 143],
      ['SEGV', 139],
    ])('death by SIG%s is never success', async (signal, code) => {
      const outcome = await run(rigFor(`exec ${AGENTS}/die.sh ${signal}`)).ended;
      expect(outcome).toMatchObject({
        state: 'failed',
        reason: 'exit',
        exitCode: code,
        signal: `SIG${signal}`,
      });
    });

    test('a silent child is waited for', async () => {
      const rig = rigFor(`${AGENTS}/silent.sh`);
      const { events, ended } = run(rig);
      await until('it runs', () => existsSync(join(rig.room, 'here')));
      rig.release(0);
      expect((await ended).reason).toBe('ok');
      expect(events.map(({ type }) => type)).toEqual(['started']);
    });
  });

  describe(`${name}: output`, () => {
    test('garbage is kept byte for byte', async () => {
      const rig = rigFor(`exec ${process.execPath} ${AGENTS}/garbage.mjs`);
      expect((await run(rig).ended).reason).toBe('ok');
      const up = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
      const tail = Buffer.from('\x1b[31mred\x1b[0m\x00\xff\xfe', 'latin1');
      const whole = Buffer.concat([up, Buffer.from(up).reverse(), tail]);
      expect(readFileSync(join(rig.dir, 'output.log')).equals(whole)).toBe(true);
    });

    test('80 MiB grow on disk, not in memory', async () => {
      const rig = rigFor(`${AGENTS}/flood.sh`);
      const half = 40 * 1024 * 1024;
      const before = process.memoryUsage().rss;
      let most = before;
      const { events, ended } = run(rig);
      const seen = () => events.findLast(({ type }) => type === 'output');
      await until('half of the output is reported', () => {
        most = Math.max(most, process.memoryUsage().rss);
        const last = seen();
        return last?.type === 'output' && last.bytes >= half;
      });
      rig.release(0);
      expect((await ended).reason).toBe('ok');
      most = Math.max(most, process.memoryUsage().rss);
      expect(seen()).toEqual({ type: 'output', bytes: 2 * half });
      expect(statSync(join(rig.dir, 'output.log')).size).toBe(2 * half);
      expect((most - before) / 1024 / 1024).toBeLessThan(32);
      const sizes = events.flatMap((event) => (event.type === 'output' ? [event.bytes] : []));
      expect(sizes).toEqual([...new Set(sizes)].sort((a, b) => a - b));
    });
  });

  describe(`${name}: stopping`, () => {
    test('a TERM is enough for a willing program', async () => {
      const rig = rigFor(`${AGENTS}/wait.sh`);
      const { ended } = run(rig);
      await until('it runs', () => rig.log().includes('ready'));
      stop(rig);
      expect(await ended).toMatchObject({ state: 'killed', reason: 'person', message: 'killed by a person' });
    });

    test('a program that stays is killed after 5 s, asked once', async () => {
      const clock = createManualClock();
      const rig = rigFor(`${AGENTS}/stubborn.sh`, { effects: clock });
      const { ended } = run(rig);
      let over = false;
      void ended.then(() => (over = true));
      await until('it runs', () => rig.log().includes('ready'));
      const begun = clock.monotonicMs();
      stop(rig);
      await until('it was asked', () => rig.log().includes('asked'));
      await until('the grace time is nearly over', () => {
        if (clock.monotonicMs() - begun < 4900) clock.advance(50);
        return clock.monotonicMs() - begun >= 4900;
      });
      expect(over).toBe(false);
      expect(livingProcesses(rig.input.turn.id).length).toBeGreaterThan(0);
      await until('it ended', () => {
        clock.advance(50);
        return over;
      });
      expect(await ended).toMatchObject({ state: 'killed', reason: 'person' });
      expect(rig.log().match(/asked/g)).toHaveLength(1);
    });

    test('what a program leaves in the background ends with its turn', async () => {
      const clock = createManualClock();
      const rig = rigFor(`${AGENTS}/background.sh`, { effects: clock });
      const { ended } = run(rig);
      let over = false;
      void ended.then(() => (over = true));
      await until('the turn ended', () => {
        clock.advance(250);
        return over;
      });
      expect(await ended).toMatchObject({ reason: 'ok', exitCode: 0 });
      expect(Number(readIfThere(join(rig.room, 'child')))).toBeGreaterThan(1);
    });

    linuxOnly('a child that left the group is found and ended', async () => {
      const rig = rigFor(`${AGENTS}/escape.sh`);
      const { ended } = run(rig);
      await until('it runs', () => rig.log().includes('ready'));
      stop(rig);
      expect((await ended).reason).toBe('person');
      expect(Number(readIfThere(join(rig.room, 'child')))).toBeGreaterThan(1);
      expect(livingProcesses(rig.input.turn.id)).toEqual([]);
    });

    test('stopped before it began, nothing runs', async () => {
      const rig = rigFor(`: > "$AGENT_ROOM/ran"`);
      stop(rig);
      expect((await run(rig).ended).reason).toBe('person');
      expect(existsSync(join(rig.room, 'ran'))).toBe(false);
    });
  });

  describe(`${name}: adopting`, () => {
    test('a live turn is followed to its end', async () => {
      const rig = rigFor(`${AGENTS}/wait.sh`);
      const pid = await startAndAbandon(setup.create(), rig.input);
      const { events, ended } = run(rig, { adopt: true });
      await until('the output is reported again', () => events.length === 2);
      expect(events[0]).toEqual({ type: 'started', pid });
      rig.release(4);
      expect(await ended).toMatchObject({ state: 'failed', reason: 'exit', exitCode: 4 });
      expect(rig.log()).toBe('ready\nreleased\n');
    });

    test('a live turn can be stopped', async () => {
      const rig = rigFor(`${AGENTS}/wait.sh`);
      await startAndAbandon(setup.create(), rig.input);
      const { events, ended } = run(rig, { adopt: true });
      await until('it is followed', () => events.length > 0);
      stop(rig);
      expect((await ended).reason).toBe('person');
    });

    test('a finish while nobody watched counts', async () => {
      const rig = rigFor(`${AGENTS}/wait.sh`);
      await startAndAbandon(setup.create(), rig.input);
      rig.release(0);
      await until('the exit is recorded', () => readIfThere(join(rig.dir, 'exit')) === '0\n');
      expect(await run(rig, { adopt: true }).ended).toMatchObject({ state: 'completed', exitCode: 0 });
    });

    linuxOnly('a turn that vanished is interrupted, and what it left is ended', async () => {
      const rig = rigFor(`${AGENTS}/escape.sh`);
      const pid = await startAndAbandon(setup.create(), rig.input);
      await until('it runs', () => rig.log().includes('ready'));
      process.kill(-pid, 'SIGKILL');
      const child = Number(readIfThere(join(rig.room, 'child')));
      await until(
        'only the escaped child is left',
        () => `${livingProcesses(rig.input.turn.id)}` === `${child}`,
      );
      const outcome = await run(rig, { adopt: true }).ended;
      expect(outcome).toMatchObject({ state: 'failed', reason: 'interrupted', exitCode: null });
    });

    linuxOnly('a copied folder does not own the process of the original', async () => {
      const rig = rigFor(`${AGENTS}/wait.sh`);
      await startAndAbandon(setup.create(), rig.input);
      await until('it runs', () => rig.log().includes('ready'));
      const dir = join(rig.room, 'copy');
      cpSync(rig.dir, dir, { recursive: true });
      const alive = livingProcesses(rig.input.turn.id).length;
      expect((await run(rig, { adopt: true, dir }).ended).reason).toBe('interrupted');
      expect(livingProcesses(rig.input.turn.id)).toHaveLength(alive);
      const { ended } = run(rig, { adopt: true });
      rig.release(0);
      expect((await ended).reason).toBe('ok');
    });

    test('a turn claimed before it started never runs', async () => {
      const rig = rigFor(`: > "$AGENT_ROOM/ran"`);
      expect(await claimUnstarted(rig.dir)).toBe('claimed');
      expect((await run(rig).ended).reason).toBe('interrupted');
      expect((await run(rig, { adopt: true }).ended).reason).toBe('interrupted');
      expect(existsSync(join(rig.room, 'ran'))).toBe(false);
    });
  });

  describe(`${name}: surroundings`, () => {
    test('environment, folder and prompt', async () => {
      const rig = rigFor(`exec ${process.execPath} ${AGENTS}/surroundings.mjs`, {
        agent: { env: { MINE: 'yes', TASKROOM_TURN: 'forged', BORROWED: { from: 'LENDER' } } },
        env: { SECRET_TOKEN: 's3cret', KEPT: 'kept', LENDER: 'lent' },
      });
      expect((await run(rig, { withheldEnv: ['SECRET_TOKEN'] }).ended).message).toBe('');
      const seen = JSON.parse(readFileSync(join(rig.room, 'surroundings.json'), 'utf8'));
      expect(seen.env).toMatchObject({
        AGENT_ROOM: rig.room,
        TASKROOM_TASK: 'abcd1234',
        TASKROOM_TURN: rig.input.turn.id,
        TASKROOM_CONTEXT: join(rig.dir, 'context.json'),
        MINE: 'yes',
        BORROWED: 'lent',
        KEPT: 'kept',
      });
      expect(seen.env).not.toHaveProperty('SECRET_TOKEN');
      expect(seen.env.PATH.startsWith(`${rig.input.bridgeDir}:`)).toBe(true);
      expect(seen.taskroom).toBe('probed --probe\n');
      expect(seen.cwd).toBe(rig.room);
      expect(seen.stdin).toBe(setup.promptOnStdin ? 'Do the thing.\n' : '');
    });

    test('a missing folder or secret is an outcome that says how to mend it', async () => {
      const cwd = await run(rigFor('true', { agent: { cwd: 'nowhere' } })).ended;
      expect(cwd).toMatchObject({ state: 'failed', reason: 'exit' });
      expect(cwd.message).toMatch(/nowhere is not there; .*agents\/tester\/agent\.json/);
      const env = await run(rigFor('true', { agent: { env: { KEY: { from: 'NOT_SET_ANYWHERE' } } } })).ended;
      expect(env.message).toMatch(/NOT_SET_ANYWHERE.*agents\/tester\/agent\.json/);
    });
  });
}
