// A turn whose runtime died is taken up by the next: followed, stopped, or found ended.
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claimUnstarted } from '../../src/agents/process/process-identity.ts';
import {
  AGENTS,
  livingProcesses,
  readIfThere,
  startAndAbandon,
  stop,
  until,
} from '../agents/prepared-turn.ts';
import { type Bench, linuxOnly } from './runner-bench.ts';

export function adoptingConformance({ name, setup, rigFor, run, placesOf }: Bench): void {
  // Of a turn on another machine nothing is found beside the room: it is followed by what is reported.
  const beside = test.skipIf(setup.elsewhere);
  const besideOnLinux = setup.elsewhere === undefined ? linuxOnly : test.skip;
  describe(`${name}: adopting`, () => {
    test('a turn that is let go of goes on, and is followed to its end', async () => {
      const rig = rigFor(`${AGENTS}/wait.sh`);
      await startAndAbandon(setup.create(), rig.input);
      const { ended } = run(rig, { adopt: true });
      await until('its output is there', () => rig.log().includes('ready'));
      rig.release(0);
      expect(await ended).toMatchObject({ state: 'completed', reason: 'ok' });
    });

    beside('a live turn is followed by its process', async () => {
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
      await until('it is followed', () => events.length > 0 || rig.log().includes('ready'));
      stop(rig);
      expect((await ended).reason).toBe('person');
    });

    test('one that is to stop before it is taken up is stopped, and all of it', async () => {
      const rig = rigFor(`${AGENTS}/wait.sh`);
      await startAndAbandon(setup.create(), rig.input);
      stop(rig);
      expect((await run(rig, { adopt: true }).ended).reason).toBe('person');
    });

    test('a finish while nobody watched counts', async () => {
      const rig = rigFor(`${AGENTS}/wait.sh`);
      await startAndAbandon(setup.create(), rig.input);
      rig.release(0);
      await until('the exit is recorded', () => readIfThere(join(placesOf(rig).dir, 'exit')) === '0\n');
      expect(await run(rig, { adopt: true }).ended).toMatchObject({
        state: 'completed',
        exitCode: setup.talks ? null : 0,
      });
    });

    besideOnLinux('a turn that vanished is interrupted, and what it left is ended', async () => {
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

    besideOnLinux('a copied folder does not own the process of the original', async () => {
      const rig = rigFor(`${AGENTS}/wait.sh`);
      const pid = await startAndAbandon(setup.create(), rig.input);
      await until('it runs', () => rig.log().includes('ready'));
      const dir = join(rig.room, 'copy');
      cpSync(rig.dir, dir, { recursive: true });
      expect((await run(rig, { adopt: true, dir }).ended).reason).toBe('interrupted');
      expect(livingProcesses(rig.input.turn.id)).toContain(pid);
      const { ended } = run(rig, { adopt: true });
      rig.release(0);
      expect((await ended).reason).toBe('ok');
    });

    beside('a turn claimed before it started never runs', async () => {
      const rig = rigFor(`: > "$AGENT_ROOM/ran"`);
      expect(await claimUnstarted(rig.dir)).toBe('claimed');
      expect((await run(rig).ended).reason).toBe('interrupted');
      expect((await run(rig, { adopt: true }).ended).reason).toBe('interrupted');
      expect(existsSync(join(rig.room, 'ran'))).toBe(false);
    });
  });
}
