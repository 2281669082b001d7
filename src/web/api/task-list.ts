// The list of all tasks, read piece by piece as it comes: ten thousand of them parsed at once would hold up the page for longer
// than a frame.
import { at } from './calls.ts';
import { piecesOf, send } from './request.ts';
import type { TaskList, TaskRow } from './shapes.ts';

/** Between two tasks, and after the last one. Neither can stand in a text: there each quote has a backslash before it. */
const BETWEEN = '},{"id":';
const AFTER = '],"agents":';
const BEFORE = '{"tasks":[';
/** Parsed in about two milliseconds. */
const PIECE_CHARS = 200_000;
/** Of work at a stretch; the rest of a frame is for drawing. */
const STRETCH_MS = 6;

export interface ReadList {
  list: TaskList;
  etag: string | null;
}

/**
 * @param known the ETag of what is known; null for nothing
 * @param onFirst gets the first tasks while the others are on their way
 * @returns null while nothing changed
 * @throws ApiError
 */
export async function readTaskList(
  known: string | null,
  onFirst: (tasks: TaskRow[]) => void,
): Promise<ReadList | null> {
  const response = await send(
    at('list', { all: true, agents: true }),
    known === null ? {} : { headers: { 'if-none-match': known } },
  );
  if (response.status === 304) return null;
  const list = await parsePieces(piecesOf(response), onFirst);
  return { list, etag: response.headers.get('etag') };
}

/** What `JSON.parse` makes of the pieces put together, made in steps that let the page draw. */
export async function parsePieces(
  pieces: AsyncIterable<string>,
  onFirst: (tasks: TaskRow[]) => void,
): Promise<TaskList> {
  const tasks: TaskRow[] = [];
  let text = '';
  let isBegun = false;
  let since = performance.now();
  for await (const piece of pieces) {
    text += piece;
    if (text.length < PIECE_CHARS || text.includes(AFTER)) continue;
    const end = text.lastIndexOf(BETWEEN);
    if (end < 0) continue;
    const isFirst = !isBegun;
    tasks.push(...(JSON.parse(`[${text.slice(isBegun ? 0 : BEFORE.length, end + 1)}]`) as TaskRow[]));
    text = text.slice(end + 2);
    isBegun = true;
    if (isFirst) onFirst(tasks.slice());
    if (performance.now() - since < STRETCH_MS) continue;
    await nextTask();
    since = performance.now();
  }
  const rest = JSON.parse(isBegun ? BEFORE + text : text) as TaskList;
  return { ...rest, tasks: tasks.concat(rest.tasks) };
}

/** Whatever waits to be drawn or answered comes first. */
function nextTask(): Promise<void> {
  const { scheduler } = globalThis as { scheduler?: { yield?: () => Promise<void> } };
  return scheduler?.yield?.() ?? new Promise((resolve) => setTimeout(resolve));
}
