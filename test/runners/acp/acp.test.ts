import { join } from 'node:path';
import { createAcpRunner } from '../../../src/runners/acp/acp.ts';
import { runnerConformance } from '../../conformance/runner.ts';
import type { AcpScript } from '../../fixtures/agents/acp-agent.ts';
import { AGENTS } from '../prepared-turn.ts';

function agentOf(script: AcpScript): { runner: 'acp'; command: string[] } {
  return { runner: 'acp', command: [process.execPath, join(AGENTS, 'acp-agent.ts'), JSON.stringify(script)] };
}

runnerConformance('acp', {
  create: createAcpRunner,
  options: (line) => ({ agent: agentOf({ line }) }),
  promptOnStdin: false,
  talks: true,
  endsWithLine: true,
  keepsOutput: true,
});
