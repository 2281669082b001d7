// What a turn prints is kept on disk, byte for byte, and costs no memory.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AGENTS, until } from '../agents/prepared-turn.ts';
import type { Bench } from './runner-bench.ts';

export function outputConformance({ name, setup, rigFor, run }: Bench): void {
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
