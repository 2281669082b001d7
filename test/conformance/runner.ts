// What every runner that runs programs must hold, with real programs: no process outlives its turn, no finish is lost,
// output is kept byte for byte and costs no memory.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readIdentity } from '../../src/agents/process/process-identity.ts';
import { AGENTS, livingProcesses, readIfThere, stop, until } from '../agents/prepared-turn.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { adoptingConformance } from './runner-adopting.ts';
import { type Bench, createBench, linuxOnly, type RunnerSetup } from './runner-bench.ts';

// How a turn ends: by success, by failure, by death, and after a silence of any length.
function endsConformance({ name, setup, rigFor, run }: Bench): void {
  describe(`${name}: ends`, () => {
    test('success', async () => {
      const rig = rigFor(`${AGENTS}/succeed.sh`);
      const { events, ended } = run(rig);
      expect(await ended).toMatchObject({
        state: 'completed',
        reason: 'ok',
        exitCode: setup.talks ? null : 0,
        signal: null,
        message: '',
      });
      if (setup.keepsOutput) expect(rig.log()).toContain('working\nfinished\n');
      if (!setup.talks) expect(rig.log()).toBe('working\nfinished\n');
      expect(events[0]).toEqual({ type: 'started', pid: (await readIdentity(rig.dir))?.pid ?? null });
      const bytes = statSync(join(rig.dir, 'output.log')).size;
      expect(events.findLast(({ type }) => type === 'output')).toEqual({ type: 'output', bytes });
    });

    test.runIf(setup.endsWithLine)('non-zero exit, explained by its last line', async () => {
      const outcome = await run(rigFor(`${AGENTS}/fail.sh`)).ended;
      expect(outcome).toMatchObject({ state: 'failed', reason: 'exit', exitCode: 3, signal: null });
      expect(outcome.message).toBe('exit code 3: no plan found');
    });

    test.runIf(setup.endsWithLine).each([
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
      if (!setup.talks) expect(events.map(({ type }) => type)).toEqual(['started']);
      expect(events[0]!.type).toBe('started');
    });
  });
}

// What a turn prints is kept on disk, byte for byte, and costs no memory.
function outputConformance({ name, setup, rigFor, run }: Bench): void {
  describe.runIf(setup.keepsOutput)(`${name}: output`, () => {
    test('garbage is kept byte for byte', async () => {
      const rig = rigFor(`exec ${process.execPath} ${AGENTS}/garbage.mjs`);
      expect((await run(rig).ended).reason).toBe('ok');
      const up = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
      const tail = Buffer.from('\x1b[31mred\x1b[0m\x00\xff\xfe', 'latin1');
      const whole = Buffer.concat([up, Buffer.from(up).reverse(), tail]);
      const log = readFileSync(join(rig.dir, 'output.log'));
      expect(setup.talks ? log.includes(whole) : log.equals(whole)).toBe(true);
    });

    // Between machines the way is the same whoever talks.
    const flooded = test.skipIf(setup.talks && setup.elsewhere !== undefined);
    flooded('80 MiB grow on disk, not in memory', async () => {
      // What the runner itself loads is none of the output's, nor is what a wire leaves for the collector.
      await run(rigFor(setup.elsewhere === undefined ? 'true' : 'head -c 41943040 /dev/zero')).ended;
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
      const { size } = statSync(join(rig.dir, 'output.log'));
      expect(seen()).toEqual({ type: 'output', bytes: size });
      if (setup.talks) expect(size).toBeGreaterThan(2 * half);
      else expect(size).toBe(2 * half);
      expect((most - before) / 1024 / 1024).toBeLessThan(40);
      const sizes = events.flatMap((event) => (event.type === 'output' ? [event.bytes] : []));
      expect(sizes).toEqual([...new Set(sizes)].sort((a, b) => a - b));
    });
  });
}

// A turn that is stopped leaves nothing alive, whatever its program does about it.
function stoppingConformance({ name, setup, rigFor, run, printed }: Bench): void {
  describe(`${name}: stopping`, () => {
    test('a TERM is enough for a willing program', async () => {
      const rig = rigFor(`${AGENTS}/wait.sh`);
      const { ended } = run(rig);
      await until('it runs', () => printed(rig).includes('ready'));
      stop(rig);
      expect(await ended).toMatchObject({ state: 'killed', reason: 'person', message: 'killed by a person' });
    });

    test('a program that stays is killed after 5 s, asked once', async () => {
      const clock = createManualClock();
      const rig = rigFor(`${AGENTS}/stubborn.sh`, { effects: clock });
      const { ended } = run(rig);
      let over = false;
      void ended.then(() => (over = true));
      await until('it runs', () => printed(rig).includes('ready'));
      const begun = clock.monotonicMs();
      stop(rig);
      await until('it was asked', () => printed(rig).includes('asked'));
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
      expect(printed(rig).match(/asked/g)).toHaveLength(1);
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
      expect(await ended).toMatchObject({ reason: 'ok', exitCode: setup.talks ? null : 0 });
      expect(Number(readIfThere(join(rig.room, 'child')))).toBeGreaterThan(1);
    });

    linuxOnly('a child that left the group is found and ended', async () => {
      const rig = rigFor(`${AGENTS}/escape.sh`);
      const { ended } = run(rig);
      await until('it runs', () => printed(rig).includes('ready'));
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
}

// What a program of a turn finds around it: folder, environment, prompt; and what is said where something is missing.
function surroundingsConformance({ name, setup, rigFor, run, placesOf }: Bench): void {
  describe(`${name}: surroundings`, () => {
    test('environment, folder and prompt', async () => {
      const rig = rigFor(`exec ${process.execPath} ${AGENTS}/surroundings.mjs`, {
        agent: { env: { MINE: 'yes', TASKROOM_TURN: 'forged', BORROWED: { from: 'LENDER' } } },
        env: { SECRET_TOKEN: 's3cret', KEPT: 'kept', LENDER: 'lent' },
      });
      rig.input.effects.withheld.add('SECRET_TOKEN');
      expect((await run(rig).ended).message).toBe('');
      const places = placesOf(rig);
      const seen = JSON.parse(readFileSync(join(rig.room, 'surroundings.json'), 'utf8'));
      expect(seen.env).toMatchObject({
        AGENT_ROOM: places.room,
        TASKROOM_TASK: 'abcd1234',
        TASKROOM_TURN: rig.input.turn.id,
        TASKROOM_CONTEXT: join(places.dir, 'context.json'),
        MINE: 'yes',
        BORROWED: 'lent',
        KEPT: 'kept',
      });
      for (const secret of ['SECRET_TOKEN', ...(setup.elsewhere?.withheld ?? [])])
        expect(seen.env).not.toHaveProperty(secret);
      expect(seen.env.PATH.startsWith(`${places.path}:`)).toBe(true);
      expect(seen.taskroom).toBe(`${setup.elsewhere?.version ?? 'probed --version'}\n`);
      expect(seen.cwd).toBe(places.cwd);
      expect(seen.stdin).toBe(setup.promptOnStdin ? 'Do the thing.\n' : '');
    });

    // On another machine it works in a folder of that machine's own.
    test.skipIf(setup.elsewhere)('a missing folder is an outcome that says how to mend it', async () => {
      const cwd = await run(rigFor('true', { agent: { cwd: 'nowhere' } })).ended;
      expect(cwd).toMatchObject({ state: 'failed', reason: 'not_started' });
      expect(cwd.message).toMatch(/nowhere is not there; .*agents\/tester\/agent\.json/);
    });

    test('a missing secret is one too', async () => {
      const rig = rigFor('true', { agent: { env: { KEY: { from: 'NOT_SET_ANYWHERE' } } } });
      const { message } = await run(rig).ended;
      expect(message).toMatch(/NOT_SET_ANYWHERE.*agents\//);
      expect(message).toContain(`agents/${rig.input.agent.id}/agent.json`);
    });
  });
}

export function runnerConformance(name: string, setup: RunnerSetup): void {
  const bench = createBench(name, setup);
  endsConformance(bench);
  outputConformance(bench);
  stoppingConformance(bench);
  if (setup.create().survives) adoptingConformance(bench);
  surroundingsConformance(bench);
}
