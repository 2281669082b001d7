// What a runner can do to the task of its turn: the operations of tasks/, as that turn's agent, with keys of that turn. What
// the agent's access keeps from it over every other way is kept from it here too; notes are the runner's own.

import type { TurnServices } from '../../../agents/runner.ts';
import type { Access } from '../../../core/config/agent-config.ts';
import { RoomError } from '../../../core/errors.ts';
import type { TaskId, TurnId } from '../../../core/ids.ts';
import { defined } from '../../../core/plain-data.ts';
import type { Client } from '../../../operations/client.ts';
import { readFileRow } from '../../../tasks/observe/read-file-row.ts';
import type { QuestionChanged } from '../../../tasks/shapes/change.ts';
import type { AgentActor, TaskRoom } from '../../../tasks/task-room.ts';

/** @param request names one asking of the turn: asked again, it changes nothing that it changed already */
export function createTurnServices(
  deps: TaskRoom,
  tasks: Client,
  turn: { id: TurnId; task: TaskId; agent: string; access: Access },
  request?: string,
): TurnServices {
  const asking = request === undefined ? {} : { request: `${turn.id}:${request}` };
  const actor: AgentActor = { kind: 'agent', agent: turn.agent, turn: turn.id, ...asking };
  const { access } = turn;
  const carry = async (name: string, input: object): Promise<unknown> => {
    const { carryOperation } = await import('../../../operations/carry-operation.ts');
    return carryOperation(tasks, { actor, access }, name, { ref: turn.task, ...input });
  };
  const carryEntry = async (name: 'progress' | 'outcome' | 'comment', text: string, key?: string) => {
    await carry(name, { text, ...defined({ key }) });
  };
  return {
    async read() {
      const path = deps.ledger.tasks.get(turn.task)?.path ?? null;
      const row = path === null ? null : await readFileRow(deps, path);
      if (row === null || row === 'unstable')
        throw new RoomError('not_found', `the file of task ${turn.task} is gone`);
      if (!row.reading.ok)
        throw new RoomError('invalid_file', `${row.path} can't be read`, {
          problems: row.reading.invalid.problems,
        });
      return { task: row.reading.task, text: row.text };
    },
    async setStatus(status) {
      await carry('set', { status });
    },
    async setStep(index, done) {
      await carry('editStep', { index, done });
    },
    async addStep(title) {
      await carry('addStep', { title });
    },
    progress: (text, key) => carryEntry('progress', text, key),
    async note(text, key) {
      await tasks.call('note', { ref: turn.task, text, ...defined({ key }) }, actor);
    },
    outcome: (text, key) => carryEntry('outcome', text, key),
    async printed(text, key) {
      await tasks.call('note', { ref: turn.task, text, ...defined({ key }), under: 'Outcome' }, actor);
    },
    comment: (text, key) => carryEntry('comment', text, key),
    async ask(question, key) {
      const asked = await carry('ask', { question, ...defined({ key }) });
      return (asked as QuestionChanged).question;
    },
  };
}
