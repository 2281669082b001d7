// A turn that is stopped leaves nothing alive, whatever its program does about it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AGENTS, livingProcesses, readIfThere, stop, until } from '../agents/prepared-turn.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { type Bench, linuxOnly } from './runner-bench.ts';

export function stoppingConformance({ name, setup, rigFor, run, printed }: Bench): void {
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
