// What is missing on this machine to run the room's agents, and which coding agents there are to be used.
import type { Problem } from '../core/errors.ts';
import type { ThreadId } from '../core/ids.ts';
import { talkerOf } from '../runners/acp/programs.ts';
import { type AgentFinding, examineFolder, examineProgram } from '../runners/command/examine.ts';
import { presetOf } from '../runners/command/presets.ts';
import { createRunners } from '../runners/registry.ts';
import { atWork } from '../tasks/agent-folder.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import { withholdSecrets } from './room-providers.ts';

export async function checkAgents({ agents, effects }: TaskRoom): Promise<Problem[]> {
  const runners = createRunners();
  const checks = [...agents().values()].map(
    (agent) => runners.get(agent.runner)?.check(agent, effects) ?? [],
  );
  return (await Promise.all(checks)).flat();
}

/** A closer look that runs the agents' own programs, one after the other. */
export async function examineAgents(deps: TaskRoom): Promise<AgentFinding[]> {
  const { agents, effects, room } = deps;
  await withholdSecrets(deps);
  const found: AgentFinding[] = [];
  const runners = createRunners();
  for (const settings of agents().values()) {
    const agent = atWork(deps, settings, DOCTORS);
    const talks = agent.runner === 'acp' || agent.runner === 'model';
    const looked = agent.runner === 'acp' ? talkerOf(agent) : presetOf(agent);
    if (!talks || looked !== null) found.push(...(await examineProgram(agent, looked, room.dir, effects)));
    // What is missing is told by the runner's own check.
    else if ((await runners.get(agent.runner)!.check(agent, effects)).length === 0)
      found.push(...(await examineFolder(agent, room.dir)));
  }
  return found;
}

/** Stands for the tasks of an agent that has a folder for each. */
const DOCTORS = 'doctor' as ThreadId;
