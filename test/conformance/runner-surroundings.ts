// What a program of a turn finds around it: folder, environment, prompt; and what is said where something is missing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AGENTS } from '../runners/prepared-turn.ts';
import type { Bench } from './runner-bench.ts';

export function surroundingsConformance({ name, setup, rigFor, run }: Bench): void {
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
