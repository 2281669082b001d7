// A task for the eyes of an agent: what `show` knows, with every text of others between markers that say who wrote it.
import { buildBrief } from '../../core/context/brief.ts';
import { oneLine, word } from '../../core/context/fence.ts';
import { newTag } from '../../core/ids.ts';
import { readTask } from '../../core/task/read-task.ts';
import { invalidFile } from '../observe/read-file-row.ts';
import type { TaskDetail } from '../shapes/task.ts';
import type { RoomHandle } from '../task-room.ts';
import { showTask } from './task-detail.ts';
import { shownContext } from './turn-context.ts';

const PAGE = 14_000; // Of a page's texts; the facts and markers around them stay well below 6,000.
const LARGEST_PAGE = 200_000;
const LEAST_PAGE = 500;

/** @throws RoomError `not_found`, `ambiguous`, `invalid_file`, `bad_input` for a task without an id */
export async function briefTask(
  deps: RoomHandle,
  ref: string,
  { offset = 0, limit = PAGE }: { offset?: number; limit?: number } = {},
) {
  const detail = await showTask(deps, ref);
  const reading = readTask(detail.path, detail.text, deps.config);
  if (!reading.ok) throw invalidFile(detail.path, reading.invalid.problems);
  // The attic has it under another name.
  const task = { ...reading.task, id: detail.id, name: detail.name };
  const { context, shown } = shownContext(deps, task, detail.text, {
    blockedBy: detail.blockers,
    subtasks: detail.subtasks,
  });
  const { text, next } = buildBrief(context, {
    ...shown,
    tag: newTag(deps.effects.randomBytes),
    facts: factsOf(detail),
    offset,
    limit: Math.min(Math.max(limit, LEAST_PAGE), LARGEST_PAGE),
  });
  return { id: detail.id!, name: detail.name, text, next };
}

function factsOf(detail: TaskDetail): string[] {
  const { status, owner, priority, labels, parent, sprint, due, running, why_not, remote, checks } = detail;
  const { scope, artifact, sort } = detail;
  const flags = [
    detail.paused && 'paused',
    detail.blocked && 'blocked',
    detail.pending && 'a turn is asked for',
    detail.archived && 'archived',
    detail.deleted && 'deleted',
  ].filter(Boolean);
  const near = (tasks: readonly { id: string; status: string | null }[]) =>
    tasks.map(({ id, status: at }) => `${word(id)} (${at ?? 'not found'})`).join(', ') || null;
  const lines: [string, string | null][] = [
    ['id', detail.id],
    ['status', [status, ...flags].join(', ')],
    ['owner', owner === null ? "the room's default agent" : word(owner)],
    ['priority', priority],
    ['labels', labels.map(word).join(' ') || null],
    ['parent', parent === null ? null : word(parent)],
    ['sprint', sprint === null ? null : word(sprint)],
    ['scope', scope === null ? null : word(scope)],
    ['artifact', artifact === null ? null : word(artifact)],
    ['sort', sort === null ? null : String(sort)],
    ['due', due === null ? null : word(due)],
    ['waits for', near(detail.blockers.map(({ ref, status: at }) => ({ id: ref, status: at })))],
    ['is waited for by', near(detail.blocks)],
    ['turn now', running],
    [
      'last turns',
      detail.turns.map(({ id, state, reason }) => `${id} ${state} (${reason})`).join(', ') || null,
    ],
    ['stands still', why_not === null ? null : why_not.reason.replaceAll('_', ' ')],
    ['issue', remote === null ? null : word(remote.ref)],
    ['checks', checks === null ? null : oneLine(checks.commands.join('; ')) || null],
  ];
  return lines.flatMap(([label, value]) => (value === null ? [] : [`${label}: ${value.slice(0, MAX_FACT)}`]));
}

const MAX_FACT = 400;
