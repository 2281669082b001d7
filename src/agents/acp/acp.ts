// Runs agents of the Agent Client Protocol over our pipes: a turn ends with us, the next resumes its session.
import { missingHere } from '../process/launch.ts';
import type { Runner } from '../runner.ts';
import { programOf } from './programs.ts';

/** Talks to `command` of the agent, or to the program of its preset, over standard input and output. */
export function createAcpRunner(): Runner {
  return {
    name: 'acp',
    kind: 'acp',
    survives: false,
    streams: () => true,
    check(agent, effects, room) {
      const { argv, install } = programOf(agent);
      return missingHere(agent, effects, room, argv[0] ?? '', install);
    },
    async *run(input) {
      const { runAcpTurn } = await import('./run-turn.ts');
      return yield* runAcpTurn(input);
    },
  };
}
