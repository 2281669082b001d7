// What every way to the chores and mirrors of a room owes its caller: the same answers, failures and files as the room's own.
// Each case runs on both, in rooms that were alike; made ids, keys, times and folders are one word.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openRuntime, type RoomClient } from '../../src/app/open-room.ts';
import { isRoomError } from '../../src/core/errors.ts';
import { createNodeEffects } from '../../src/node.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { type Case, caseIn, seedMirrors } from './mirrors/case.ts';
import { CHORES } from './mirrors/chores.ts';
import { PAIRS } from './mirrors/pairs.ts';
import { SYNCING } from './mirrors/syncing.ts';

export { seedMirrors } from './mirrors/case.ts';

/** One room behind the way that is tested. */
export interface MirrorsUnderTest {
  /** Holds what `seedMirrors` makes. */
  dir: string;
  way: Pick<RoomClient, 'tasks'>;
  close(): Promise<void>;
}

const CASES: Readonly<Record<string, Case>> = { ...CHORES, ...SYNCING, ...PAIRS };

/** Every case of the suite as tests. */
export function testMirrors(open: () => Promise<MirrorsUnderTest>): void {
  test.for(Object.entries(CASES))('%s', async ([, run]) => {
    const found = await outcomeOf(await open(), run);
    const expected = await outcomeOf(await openHere(), run);
    expect(found).toEqual(expected);
  });
}

async function openHere(): Promise<MirrorsUnderTest> {
  const dir = tempFolder('taskroom-mirrors');
  seedMirrors(dir);
  const way = await openRuntime(dir, createNodeEffects({}));
  return {
    ...{ dir, way },
    async close() {
      await way.close();
    },
  };
}

async function outcomeOf({ dir, way, close }: MirrorsUnderTest, run: Case): Promise<unknown> {
  try {
    const answer = await (async () => run(caseIn(dir, way)))().catch((error: unknown) => {
      if (!isRoomError(error)) throw error;
      const { code, message, hint, problems } = error;
      return { refused: code, message, hint, problems };
    });
    return masked({ answer, files: filesOf(dir) }, dir);
  } finally {
    await close();
  }
}

function filesOf(dir: string): unknown {
  const names = readdirSync(join(dir, 'tasks')).filter((name) => name.endsWith('.md'));
  const paths = [...names.sort().map((name) => `tasks/${name}`), 'issues.json'];
  const there = paths.filter((path) => path !== 'issues.json' || readdirSync(dir).includes(path));
  return there.map((path) => [path, readFileSync(join(dir, path), 'utf8')]);
}

/** As JSON has it, with what is made anew in each room as one word. */
function masked(outcome: object, dir: string): unknown {
  const text = JSON.stringify(outcome);
  const ids = [...text.matchAll(/id: ([0-9a-z]{8})\b|"task":"([0-9a-z]{8})"/g)].map(
    ([, one, two]) => one ?? two!,
  );
  const made = [...new Set(ids)].filter((id) => id !== 'mine1234');
  return JSON.parse(
    made
      .reduce((rest, id) => rest.replaceAll(id, 'ID'), text)
      .replaceAll(dir, 'ROOM')
      .replace(/\b1[5-9]\d{11}(?:\.\d+)?\b/g, '0')
      .replace(/\d{4}-\d\d-\d\d[T-]\d\d[:-]?\d\d[:-]?\d\d(?:[.-]\d+)?Z?/g, 'TIME')
      .replace(/\b(body|c:|q:|key:) ?[0-9a-z]{10}\b/g, '$1 TAG')
      .replace(/"version":"[^"]+"/g, '"version":"VERSION"')
      .replace(/\\"key\\": \\"[^"\\]+\\"/g, '\\"key\\": \\"KEY\\"'),
  );
}
