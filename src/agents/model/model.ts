// The runner for a language model behind an API, with the room's tools and a few of its own, in a loop of the runtime's.
import { findPackageJSON } from 'node:module';
import type { AgentConfig, ModelApi } from '../../core/config/agent-config.ts';
import { keyVariable } from '../../core/config/agent-env.ts';
import { type Problem, valueOr } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import { agentEnvironment, agentProblem, environmentProblems } from '../process/launch.ts';
import { failure } from '../process/output-log.ts';
import type { Runner } from '../runner.ts';

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
        return failure('not_started', `${missing.join(' and ')} is not there; ${installHint(missing)}`);
      const { runModelTurn } = await import('./run-turn.ts');
      return yield* runModelTurn(input);
    },
  };
}

async function check(agent: AgentConfig, effects: Effects): Promise<Problem[]> {
  const problems = environmentProblems(agent, agentEnvironment(agent, effects).missing);
  const missing = missingPackages(agent.api!);
  if (missing.length > 0) {
    const what = `${missing.join(' and ')}, which ${missing.length === 1 ? 'is' : 'are'} not installed`;
    problems.push(agentProblem(agent, `the runner model needs ${what}`, installHint(missing)));
  }
  const variable = keyVariable(agent);
  if (variable !== null && !effects.env[variable]) {
    const message = `the environment variable ${variable} is not set, which holds the key of its model`;
    const hint = 'set it where the runtime starts, or name another one in "api_key"';
    problems.push(agentProblem(agent, message, hint));
  }
  return problems;
}

const PROVIDERS: Readonly<Record<ModelApi, string>> = {
  anthropic: '@ai-sdk/anthropic',
  openai: '@ai-sdk/openai',
  'openai-compatible': '@ai-sdk/openai-compatible',
};

function missingPackages(api: ModelApi): string[] {
  const isMissing = (name: string) =>
    valueOr(true, () => findPackageJSON(name, import.meta.url) === undefined);
  return ['ai', PROVIDERS[api]].filter(isMissing);
}

const installHint = (missing: readonly string[]): string =>
  `install it beside taskroom: npm install ${missing.join(' ')} (with -g where taskroom is installed so)`;
