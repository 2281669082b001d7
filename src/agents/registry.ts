// All runners by name. A new runner is one more line here and one in RUNNER_NAMES.
import type { RunnerName } from '../core/config/agent-config.ts';
import { createAcpRunner } from './acp/acp.ts';
import { createCommandRunner } from './command/command.ts';
import { createModelRunner } from './model/model.ts';
import { createRunbookRunner } from './runbook/runbook.ts';
import type { Runner } from './runner.ts';

export function createRunners(): ReadonlyMap<RunnerName, Runner> {
  return new Map<RunnerName, Runner>([
    ['command', createCommandRunner()],
    ['acp', createAcpRunner()],
    ['model', createModelRunner()],
    ['runbook', createRunbookRunner()],
  ]);
}
