// Turns of tasks: the file is looked at again, the task marked doing, its workspace entered, and what came of it written into the file.
import { resolve } from 'node:path';
import type { TurnContext } from '../../core/context/context-shape.ts';
import type { ErrorCode } from '../../core/errors.ts';
import { newTag, taskOfThread } from '../../core/ids.ts';
import type { Outcome } from '../../runners/runner.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { atWork } from '../../tasks/agent-folder.ts';
import { readAgentWaits } from '../../tasks/read/agent-waits.ts';
import { untoldJobs } from '../../tasks/read/around.ts';
import { contextOf } from '../../tasks/read/turn-context.ts';
import { checksForPrompt } from './checks.ts';
import { type Begun, createTurnDriver } from './drive-turn.ts';
import type { DriverOptions } from './driver-options.ts';
import { workHash } from './nothing-written.ts';
import { promptFacts } from './turn-before.ts';
import type { TurnDriver } from './turn-contract.ts';
import { finishDurably, interruptTurn, putOff } from './turn-finish.ts';
import { writeTurnFolder } from './turn-folder.ts';
import { createTurnServices } from './turn-services.ts';
import {
  begin,
  lookAgain,
  markDoing,
  overBudget,
  overLoopGuard,
  stillDue,
  type TaskText,
} from './turn-start.ts';
import { enterWorkspace, leaveWorkspace } from './workspace.ts';

/** Drives turns of tasks. */
export function createTaskTurnDriver(options: DriverOptions): TurnDriver {
  const { deps, tasks, agents, workspaces } = options;
  const named = ({ thread }: TurnRecord) => {
    const id = taskOfThread(thread)!;
    return { id, name: deps.ledger.tasks.get(id)?.name ?? id };
  };
  return createTurnDriver<Begun & { read: TaskText }, TurnContext>(options, {
    async begin(request, running) {
      const drop = () => {
        deps.ledger.requests.drop(request.thread);
        return null;
      };
      const id = taskOfThread(request.thread);
      const found = agents.find(request.agent);
      const read = id === null ? null : await lookAgain(options, id);
      if (id === null || read === null || typeof found === 'string') return drop();
      if (!stillDue(deps, id, request)) return drop();
      if (await overLoopGuard(options, id, request)) return drop();
      if (await overBudget(options, id, request)) return drop();
      const turn = await begin(options, id, request, running, found, read.task);
      return turn === null ? null : { turn, ...found, read };
    },
    async layOut({ turn, agent: own, runner, read }, slot) {
      const { task, text } = await markDoing(options, await sayStandIn(options, turn, read));
      const tag = newTag(deps.effects.randomBytes);
      const entered = await enterWorkspace(options, turn, own, slot, runner.isElsewhere === true);
      if ('end' in entered) return entered.end;
      const agent = atWork(deps, entered.agent, turn.thread);
      const facts = { ...promptFacts(options, turn, task, text), ...checksForPrompt(deps, turn) };
      const cwd = resolve(deps.room.dir, agent.cwd ?? '.');
      const endedJobs = untoldJobs(deps, named(turn).id);
      const { context, prompt } = contextOf(deps, task, text, tag, { ...facts, cwd });
      writeTurnFolder(deps.room, turn.id, context, prompt);
      deps.ledger.jobs.setTold(endedJobs);
      const recorded = deps.ledger.together(
        () => void deps.ledger.turns.update(turn.id, { workHash: workHash(text) }),
      );
      return { agent, context, prompt, recorded };
    },
    async refused(turn, error) {
      if (OUTSIDE.has(error.code)) {
        options.onTrouble(error);
        putOff(options, turn, error.message);
      } else await finishDurably(options, turn, { outcome: refusal(error.message), counts: false });
      return 'skipped';
    },
    named,
    agentOf: (turn, agent) => workspaces.agentIn(named(turn).id, agent),
    subject(turn, agent, context) {
      const task = named(turn);
      const reporter = { id: turn.id, task: task.id, agent: turn.agent, access: agent.access };
      const servicesFor = (request?: string) => createTurnServices(deps, tasks, reporter, request);
      return { task, context, services: servicesFor(), servicesFor };
    },
    leave: (turn, agent, slot) => leaveWorkspace(options, turn, agent, slot),
    finish: (turn, end, ran) => finishDurably(options, turn, end, ran),
    interrupt: (turn, fault) => interruptTurn(options, turn, fault),
  });
}

// What passes by itself when the disk or another process lets go; anything else is the task's own and needs a person.
const OUTSIDE: ReadonlySet<ErrorCode> = new Set(['io', 'locked', 'room_gone', 'conflict', 'not_found']);

function refusal(message: string): Outcome {
  return { state: 'failed', reason: 'refused', exitCode: null, signal: null, message };
}

/** Says so where it is the case; returns the file as it stands then. */
async function sayStandIn(options: DriverOptions, turn: TurnRecord, read: TaskText): Promise<TaskText> {
  const { deps, tasks } = options;
  const owner = read.task.owner ?? deps.config().defaultAgent;
  const wait = turn.agent === owner ? undefined : readAgentWaits(deps).agents.get(owner);
  if (wait === undefined) return read;
  const id = taskOfThread(turn.thread)!;
  const until = new Date(wait.until).toISOString();
  const text = `Until ${until} ${wait.text}; agent ${turn.agent} takes its turns.`;
  const key = `stand-in:${id}:${owner}:${wait.until}`;
  await tasks.call('note', { ref: id, text, key }, { kind: 'runtime', turn: turn.id });
  return (await lookAgain(options, id)) ?? read;
}
