// The way to the API of a daemon that a bench started: its address and a token, as soon as it listens.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchRoom } from './room-files.ts';

export interface Api {
  url: string;
  headers: Record<string, string>;
}

export async function findApi({ dir }: Pick<BenchRoom, 'dir'>): Promise<Api> {
  for (;;) {
    try {
      const { url } = JSON.parse(readFileSync(join(dir, '.taskroom/api.json'), 'utf8')) as { url: string };
      const token = readFileSync(join(dir, '.taskroom/token'), 'utf8').trim();
      return { url, headers: { authorization: `Bearer ${token}` } };
    } catch {
      // It listens a moment after the room is ready.
      await sleep(20);
    }
  }
}
