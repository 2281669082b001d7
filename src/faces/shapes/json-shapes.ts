// What --json prints, field by field: names in snake_case, times as ISO text. docs/cli.md describes these shapes,
// and tests hold them; a field is added, never renamed.

import type { WhyNot } from '../../core/rules/why-not.ts';
import { rowOf } from '../../core/task/listed-line.ts';
import type { ListText, TaskList, TaskView } from '../../tasks/contract/operations.ts';

/** One task of `list`. */
export function taskJson(view: TaskView, whyNot: WhyNot | null = null) {
  return rowOf(view, view, whyNot);
}

const CHUNK_TASKS = 1000;

/** `list`, in pieces of some hundred kilobytes, so that a long list is neither one giant string nor many small writes. */
export function* listJsonChunks(list: TaskList | ListText): Generator<string, void, void> {
  yield '{"tasks":[';
  if ('chunks' in list) yield* list.chunks;
  else yield* chunksOf(list);
  yield `],"invalid":${JSON.stringify(list.invalid)},"odd":${JSON.stringify(list.odd)}}\n`;
}

function* chunksOf({ tasks, whyNot }: TaskList): Generator<string, void, void> {
  for (let at = 0; at < tasks.length; at += CHUNK_TASKS) {
    const part = JSON.stringify(
      tasks.slice(at, at + CHUNK_TASKS).map((task) => taskJson(task, whyNot?.get(task.path))),
    );
    yield (at === 0 ? '' : ',') + part.slice(1, -1);
  }
}
