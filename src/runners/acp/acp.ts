// The runner for agents that speak the Agent Client Protocol. Its pipes are held by the runtime: a turn ends with that, and
// the next one goes on in its session.
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { Problem } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import { environmentProblems, findProgram, searchPath } from '../process/launch.ts';
import type { Runner } from '../runner.ts';
import { installHint, programOf } from './programs.ts';

/** Talks to `command` of the agent, or to the program of its preset, over standard input and output. */
export function createAcpRunner(): Runner {
  return {
    name: 'acp',
    kind: 'acp',
    survives: false,
    streams: () => true,
    check,
    async *run(input) {
      const { runAcpTurn } = await import('./run-turn.ts');
      return yield* runAcpTurn(input);
    },
  };
}

async function check(agent: AgentConfig, effects: Effects): Promise<Problem[]> {
  const problems = environmentProblems(agent, effects);
  const [program = ''] = programOf(agent).argv;
  const isRelative = program.includes('/') && !program.startsWith('/');
  if (isRelative || (await findProgram(program, searchPath(agent, effects), '/')) !== null) return problems;
  const path = `agents/${agent.id}/agent.json`;
  const message = `the program ${JSON.stringify(program)} was not found`;
  return [...problems, { path, line: 1, col: 1, message, hint: installHint(agent) }];
}
