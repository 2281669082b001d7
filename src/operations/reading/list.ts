import { listAnswer, listInput } from '../../tasks/shapes/task.ts';
import { operation } from '../operation.ts';

export const list = operation({
  summary: 'show the tasks',
  about:
    "Shows the tasks: ☐ todo, ◐ doing, ⠋ runs, ✓ done, ▸ blocked, ⏸ paused, ✎ draft, ✗ canceled, and files that can't be read.",
  needs: 'read',
  http: { method: 'get', path: '/api/tasks', given: { agents: true } },
  cli: {
    words: ['text+'],
    given: { all: true },
    switches: { all: { about: 'every finished task, not only the newest few', given: {} } },
    flags: {
      ...{ text: '--text <words>', sort: '--sort <key>' },
      ...{ ids: null, offset: null, agents: null, turns: null, since: null },
    },
    examples: {
      'taskroom list status:todo,doing label:web "due:<friday"':
        'as --status, --label and --due; other words are looked for',
      'taskroom list --finished --since monday': 'what was finished lately',
      "taskroom list --json | jq -r '.tasks[] | select(.blocked) | .name'": 'names of blocked tasks',
    },
    notes:
      'With --json: {"tasks":[…],"invalid":[…],"odd":[…],"total","next_offset"} with every task that fits the filter.',
  },
  input: listInput,
  output: listAnswer,
  run: async (on, input, actor) => (await import('../../tasks/views/list.ts')).listPage(on, input, actor),
});
