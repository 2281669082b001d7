// The runner for agents that speak the Agent Client Protocol. The runtime holds their pipes: a turn ends with the runtime, and the
// next one goes on in its session.
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
