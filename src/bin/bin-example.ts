// The example of `npm start`, with what opens its board: a face never imports another, the program's first steps alone do.

import { type ExampleOptions, runExample as run } from '../cli/run-example.ts';
import { ROOMS } from './bin-rooms.ts';

/** Runs a room in the foreground, as a tour. Returns the exit code. */
export const runExample = (options: Omit<ExampleOptions, 'prepareApi'>): Promise<number> =>
  run({ ...options, prepareApi: ROOMS.prepareApi });
