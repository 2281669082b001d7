// What a program of a turn finds around it: folder, environment, prompt; and what is said where something is missing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AGENTS } from '../agents/prepared-turn.ts';
import type { Bench } from './runner-bench.ts';

export function surroundingsConformance({ name, setup, rigFor, run, placesOf }: Bench): void {
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
