import { statsAnswer } from '../../tasks/shapes/room.ts';
import { count, operation, optional } from '../operation.ts';

export const stats = operation({
  summary: 'show how much was done, by agent and week',
  about: 'Counts tasks by status, agent and sprint, and what each week finished and used.',
  needs: 'read',
  http: { method: 'get', path: '/api/stats' },
  cli: {
    examples: {
      'taskroom stats': 'the last eight weeks',
      "taskroom stats --weeks 26 --json | jq -r '.weeks[] | [.week, .done] | @tsv'":
        'half a year, for a plot',
    },
    notes: `Finished tasks are counted from history.jsonl, turns as long as their folders are kept (keep.turns).
With --json: {"status":{…},"archived","agents":[{"agent","tasks":{"open","done","canceled"},"turns":{"turns","failed",
"ms","input_tokens","output_tokens","cost_usd"}}],"sprints":[{"sprint","tasks"}],"weeks":[{"week","from","done",
"canceled","turns","sync":{"syncs","failed","requests"}}]}; from is the week's Monday.`,
  },
  input: () => ({ weeks: optional(count(), 'so many weeks back, this one included; 8 when left out') }),
  output: statsAnswer,
  run: async (on, options) => (await import('../../tasks/views/read-history.ts')).readStats(on, options),
});
