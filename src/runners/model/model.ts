// The runner for a language model behind an API: the room's tools and a few of its own, in a loop of the runtime's. The
// conversation is kept on disk, so that the next turn goes on with it.
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { Problem } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import { environmentProblems } from '../process/launch.ts';
import { failure } from '../process/turn-outcome.ts';
import type { Runner } from '../runner.ts';
import { keyVariable } from './key-variable.ts';
import { installHint, missingPackages } from './packages.ts';

/** Calls the model of the agent's file. */
export function createModelRunner(): Runner {
  return {
    name: 'model',
    kind: 'model',
    survives: false,
    streams: () => true,
    startsPrograms: ({ permissions }) => permissions !== 'edit',
    check,
    async *run(input) {
      const missing = missingPackages(input.agent.api!);
      if (missing.length > 0)
        return failure('exit', `${missing.join(' and ')} is not there; ${installHint(missing)}`);
      const { runModelTurn } = await import('./run-turn.ts');
      return yield* runModelTurn(input);
    },
  };
}

async function check(agent: AgentConfig, effects: Effects): Promise<Problem[]> {
  const place = { path: `agents/${agent.id}/agent.json`, line: 1, col: 1 };
  const problems = environmentProblems(agent, effects);
  const missing = missingPackages(agent.api!);
  if (missing.length > 0)
    problems.push({
      ...place,
      message: `the runner model needs ${missing.join(' and ')}, which ${missing.length === 1 ? 'is' : 'are'} not installed`,
      hint: installHint(missing),
    });
  const variable = keyVariable(agent);
  if (variable !== null && !effects.env[variable])
    problems.push({
      ...place,
      message: `the environment variable ${variable} is not set, which holds the key of its model`,
      hint: 'set it where the runtime starts, or name another one in "api_key"',
    });
  return problems;
}
