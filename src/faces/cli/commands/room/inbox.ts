// `taskroom inbox`: everything that needs the person, a line each.
import { inboxJson } from '../../../shapes/json-shapes.ts';
import type { CommandModule } from '../../command.ts';

export const command: CommandModule = {
  about:
    'Lists everything that needs you, each with what settles it: questions of agents, tasks that were paused, words of people a mirror does not trust, held edits, conflicts, files that can not be read, what is missing, what a tracker leaves to you, messages you have not seen.',
  arguments: [],
  options: [],
  examples: [
    ['taskroom inbox', 'what is there'],
    ['taskroom inbox --json | jq -r ".inbox[].settle"', 'the commands alone'],
  ],
  notes:
    'With --json: {"inbox":[{kind,key,task,name,text,settle,at}…]}, a conflict with both texts under "conflict"; kinds are listed in docs/questions.md.',
  async run({ json, terminal, paint, effects, openRoom }) {
    const runtime = await openRoom({ readOnly: true });
    const items = await runtime.tasks.inbox();
    if (json) return void terminal.write(`${JSON.stringify({ inbox: items.map(inboxJson) })}\n`);
    const { renderInbox } = await import('../../lines/inbox-lines.ts');
    terminal.write(renderInbox(items, effects.now(), paint, terminal.columns()));
  },
};
