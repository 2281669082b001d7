// Lists of tasks, kept while nothing changed: programs ask for them again and again.
import type { ListInput } from '../../../tasks/shapes/list.ts';
import { isKnown } from '../room/kept-answers.ts';
import type { Tagged } from './one-task.ts';

export function listed(name: 'list' | 'listScopeTasks'): Tagged<ListInput> {
  return {
    headers: { 'if-none-match': 'answers 304 while nothing changed' },
    async run({ room, headers }, input) {
      const { tasks, caller } = room.runtime;
      // Whoever may look is told the same.
      const write = async () => ({ text: [...(await tasks.text(name, input as never, caller, true))] });
      // Who knows which ones changed spares both sides the list.
      if (input.ids !== undefined) return { body: (await write()).text.join('') };
      const question = `${name} ${JSON.stringify(input)}`;
      const { body, etag } = await room.kept.get(question, room.version, write);
      const said = { etag, 'cache-control': 'no-cache' };
      return isKnown(headers, etag) ? { status: 304, body: null, headers: said } : { body, headers: said };
    },
  };
}
