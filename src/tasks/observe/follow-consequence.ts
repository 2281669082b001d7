// What follows from an observation, put on record in its transaction: wakes, dropped requests, turns to stop, and what is
// carried out after it.
import type { RoomEvent } from '../../core/events.ts';
import { threadOfTask } from '../../core/ids.ts';
import type { Consequence } from '../../core/rules/consequences.ts';
import { isFinished } from '../../core/task/status.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import { parentsOf, subtasksOf } from '../references.ts';
import type { TaskRoom } from '../task-room.ts';
import type { Observation } from './observation.ts';
import { recheckDependents } from './recheck-blocked.ts';

/** @param facts of the task that changed, as it is now */
export function follow(
  deps: TaskRoom,
  facts: TaskMemory,
  consequence: Consequence,
  result: Observation,
  events: RoomEvent[],
): void {
  const { tasks, wakes, requests, consequences } = deps.ledger;
  const { id } = facts;
  const now = deps.effects.now();
  switch (consequence.kind) {
    case 'history': {
      // The facts are kept as they are at this moment: the file may be gone or changed when the line is written.
      const row = facts.path === null ? null : deps.ledger.files.get(facts.path);
      const task =
        row?.reading.ok && row.reading.task.id === id ? { ...row.reading.task, status: facts.status } : null;
      const at = tasks.get(id)?.finishedAt ?? now;
      consequences.insert({ at, task: id, consequence, payload: JSON.stringify({ path: facts.path, task }) });
      return;
    }
    case 'wake_parent': {
      for (const parent of parentsOf(deps.ledger, facts)) {
        if (parent.path === null || isFinished(parent.status)) continue;
        wakes.add(parent.id, 'subtask_finished', now);
        result.look.push(parent.id);
      }
      return;
    }
    case 'cancel_subtasks':
      // Writing files takes its time: it is carried out after this transaction.
      if (subtasksOf(deps.ledger, facts).length > 0)
        consequences.insert({ at: now, task: id, consequence, payload: '' });
      return;
    case 'recheck_dependents':
      result.look.push(...recheckDependents(deps, id, facts.name, result, events));
      return;
    case 'wake':
      wakes.add(id, consequence.wake, now);
      return;
    case 'reset_attempts':
      tasks.update(id, { attempts: 0, attempted: null, retryAt: null, loops: 0 });
      deps.ledger.spending.reset(threadOfTask(id));
      return;
    case 'drop_request':
      requests.drop(threadOfTask(id));
      wakes.clear(id);
      tasks.update(id, { retryAt: null, held: false });
      return;
    case 'stop_turn':
      result.stop.push({ id, reason: consequence.reason });
      return;
    case 'wind_down':
      result.windDown.push(id);
  }
}
