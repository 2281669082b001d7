// How a turn ends: by success, by failure, by death, and after a silence of any length.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readIdentity } from '../../src/agents/process/process-identity.ts';
import { AGENTS, until } from '../agents/prepared-turn.ts';
import type { Bench } from './runner-bench.ts';

export function endsConformance({ name, setup, rigFor, run }: Bench): void {
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
