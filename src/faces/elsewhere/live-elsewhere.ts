// The tasks of a room on another machine for a screen: the whole list, asked for anew with each look.

import type { Client } from '../../operations/client.ts';
import type { Runtime } from '../../runtime.ts';

type LiveTasks = Awaited<ReturnType<Runtime['live']>>;

export function liveElsewhere({ list }: Pick<Client, 'list'>): LiveTasks {
  let views: ReturnType<LiveTasks['tasks']> = [];
  return {
    tasks: () => views,
    async look() {
      views = (await list()).tasks;
    },
    // The list tells of turns too, and the daemon of what changed.
    lookAtTurns() {},
    version: () => 0,
  };
}
