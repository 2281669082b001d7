// The runner for agents that speak the Agent Client Protocol. Its pipes are held by the runtime: a turn ends with that, and
// the next one goes on in its session.
import { missingHere } from '../process/launch.ts';
import type { Runner } from '../runner.ts';
import { installHint, programOf } from './programs.ts';

/** Talks to `command` of the agent, or to the program of its preset, over standard input and output. */
export function createAcpRunner(): Runner {
  return {
    name: 'acp',
    kind: 'acp',
    survives: false,
    streams: () => true,
    check: (agent, effects) =>
      missingHere(agent, effects, programOf(agent).argv[0] ?? '', installHint(agent)),
    async *run(input) {
      const { runAcpTurn } = await import('./run-turn.ts');
      return yield* runAcpTurn(input);
    },
  };
}
