import { inboxItem } from '../../tasks/shapes/turn.ts';
import { list, operation } from '../operation.ts';

export const inbox = operation({
  summary: 'list everything that needs you',
  about:
    'Lists everything that needs you, each with what settles it: questions of agents, tasks that were paused, words of people a mirror does not trust, held edits, conflicts, files that can not be read, what is missing, what a tracker leaves to you, messages you have not seen.',
  needs: 'read',
  http: { method: 'get', path: '/api/inbox' },
  cli: {
    examples: {
      'taskroom inbox': 'what is there',
      'taskroom inbox --json | jq -r ".inbox[].settle"': 'the commands alone',
    },
    notes:
      'With --json: {"inbox":[{kind,key,task,name,text,settle,at}…]}, a conflict with both texts under "conflict"; kinds are listed in docs/questions.md.',
  },
  output: () => ({ inbox: list(inboxItem(), 'by kind, the oldest of each first') }),
  run: async (on) => ({ inbox: await (await import('../../tasks/views/inbox.ts')).readInbox(on) }),
});
