// What a turn can do to its own task: the operations of tasks/, as that turn's agent, with keys of that turn.
import { RoomError } from '../../core/errors.ts';
import type { TaskId, TurnId } from '../../core/ids.ts';
import type { TurnServices } from '../../runners/runner.ts';
import type { Operations } from '../../tasks/contract/operations.ts';
import { readFileRow } from '../../tasks/observe/read-file-row.ts';
import type { Actor, TaskRoom } from '../../tasks/task-room.ts';

export function createTurnServices(
  deps: TaskRoom,
  tasks: Operations,
  turn: { id: TurnId; task: TaskId; agent: string },
): TurnServices {
  const actor: Actor = { kind: 'agent', agent: turn.agent, turn: turn.id };
  const keyed = (key: string | undefined) => (key === undefined ? undefined : `${turn.id}:${key}`);
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
      await tasks.setStatus(turn.task, status, actor);
    },
    async setStep(index, done) {
      await tasks.setStep(turn.task, index, done, actor);
    },
    async addStep(title) {
      await tasks.addStep(turn.task, title, actor);
    },
    async progress(text, key) {
      await tasks.progress(turn.task, text, actor, keyed(key));
    },
    async note(text, key) {
      await tasks.note(turn.task, text, actor, keyed(key));
    },
    async outcome(text, key) {
      await tasks.outcome(turn.task, text, actor, keyed(key));
    },
    async printed(text, key) {
      await tasks.printed(turn.task, text, actor, keyed(key));
    },
    async comment(text, key) {
      await tasks.comment(turn.task, text, actor, keyed(key));
    },
    ask: async (question, key) => (await tasks.ask(turn.task, question, actor, keyed(key))).question,
  };
}
