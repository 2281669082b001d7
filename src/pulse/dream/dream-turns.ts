// Turns that sum up a task's old entries. Such a turn has no task of its own: it starts no other turn, consumes nothing, and what it
// changes of the task's file is the runtime's own writing.
import { buildDreamPrompt, type DreamContext } from '../../core/chore/dream-prompt.ts';
import { dreamOfThread, newTag, type TaskId } from '../../core/ids.ts';
import { atWork } from '../../tasks/agent-folder.ts';
import { readFileRow } from '../../tasks/observe/read-file-row.ts';
import { type Begun, createTurnDriver } from '../turn/drive-turn.ts';
import { reportingOf } from '../turn/turn-before.ts';
import type { TurnDriver } from '../turn/turn-contract.ts';
import { writeTurnFolder } from '../turn/turn-folder.ts';
import { beginTurn, interrupted } from '../turn/turn-run.ts';
import { type DreamDriverOptions, finishDurably, interruptDream, MAX_SUMMARY_CHARS } from './dream-finish.ts';
import { entriesToSumUp } from './dreams.ts';

interface OldRecord {
  name: string;
  entries: string[];
}

/** Drives turns that sum up. */
export function createDreamDriver(options: DreamDriverOptions): TurnDriver {
  const { deps } = options;
  return createTurnDriver<Begun & { old: OldRecord }, DreamContext>(options, {
    async begin(request, running) {
      const found = options.agents.find(request.agent);
      const old = await readOldEntries(options, dreamOfThread(request.thread)!);
      if (typeof found === 'string' || found.agent.runner !== 'command' || old === null) {
        deps.ledger.requests.drop(request.thread);
        return null;
      }
      const facts = { attempt: 1, revision: '', description: `old entries of ${old.name}` };
      const turn = await deps.ledger.together(() => beginTurn(deps, request, running, found.runner, facts));
      return turn === null ? null : { turn, ...found, old };
    },
    async layOut({ turn, agent, old }) {
      const context = {
        chore: { name: turn.description, prompt: '', thread_id: turn.thread },
        dream: { task: dreamOfThread(turn.thread)!, entries: old.entries },
      };
      const tag = newTag(deps.effects.randomBytes);
      const prompt = buildDreamPrompt(context, {
        ...{ tag, name: old.name, maxChars: MAX_SUMMARY_CHARS },
        ...reportingOf(options, turn),
      });
      writeTurnFolder(deps.room, turn.id, context, prompt);
      return { agent: atWork(deps, agent, turn.thread), context, prompt };
    },
    refused(turn, error) {
      options.onTrouble(error);
      return finishDurably(options, turn, { outcome: interrupted(error.message), counts: false });
    },
    named: ({ description }) => ({ id: null, name: description }),
    subject: ({ description }, _agent, context) => ({ chore: { name: description, prompt: '' }, context }),
    // What it read before is no part of the record any more.
    forgets: true,
    finish: (turn, end, ran) => finishDurably(options, turn, end, ran?.context),
    interrupt: (turn, fault) => interruptDream(options, turn, fault),
  });
}

async function readOldEntries({ deps }: DreamDriverOptions, id: TaskId): Promise<OldRecord | null> {
  const path = deps.ledger.tasks.get(id)?.path ?? null;
  const row = path === null ? null : await readFileRow(deps, path);
  if (row === null || row === 'unstable' || !row.reading.ok || row.reading.task.id !== id) return null;
  const entries = entriesToSumUp(deps, row.reading.task, row.text);
  return entries === null ? null : { name: row.reading.task.name, entries };
}
