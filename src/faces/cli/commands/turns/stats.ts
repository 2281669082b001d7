// `taskroom stats`: how much was done, by status, agent, sprint and week.
import { statsJson } from '../../../shapes/stats-json.ts';
import type { CommandModule } from '../../command.ts';
import { statsLines } from '../../lines/stats-lines.ts';

export const command: CommandModule = {
  about: 'Counts tasks by status, agent and sprint, and what each week finished and used.',
  arguments: [],
  options: [{ flags: '--weeks <n>', about: 'so many weeks back, this one included; 8 when left out' }],
  examples: [
    ['taskroom stats', 'the last eight weeks'],
    [
      "taskroom stats --weeks 26 --json | jq -r '.weeks[] | [.week, .done] | @tsv'",
      'half a year, for a plot',
    ],
  ],
  notes: `Finished tasks are counted from history.jsonl, turns as long as their folders are kept (keep.turns).
With --json: {"status":{…},"archived","agents":[{"agent","tasks":{"open","done","canceled"},"turns":{"turns","failed",
"ms","input_tokens","output_tokens","cost_usd"}}],"sprints":[{"sprint","tasks"}],"weeks":[{"week","from","done",
"canceled","turns","sync":{"syncs","failed","requests"}}]}; from is the week's Monday.`,
  async run({ options, json, terminal, paint, openRoom }) {
    const weeks = options.whole('weeks', 1);
    const { tasks } = await openRoom({ readOnly: true });
    const stats = await tasks.stats(weeks === null ? {} : { weeks });
    terminal.write(
      json ? `${JSON.stringify(statsJson(stats))}\n` : `${statsLines(stats, paint).join('\n')}\n`,
    );
    return undefined;
  },
};
