// Setting front matter keys, with the checks that need the room: owners exist, blockers and parents exist and make no circle.
import { removeKey, setKey, type Value } from '../../core/document/document.ts';
import { suggest } from '../../core/document/suggest.ts';
import { isRoomError, RoomError, reworded } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import { nearKey } from '../../core/task/read-task.ts';
import type { Task } from '../../core/task/task.ts';
import { factsOf, isKnownKey, KNOWN_KEYS } from '../../core/task/task-keys.ts';
import { locateTask, type Target } from '../lookup/locate.ts';
import { refresh } from '../observe/refresh.ts';
import { findByRef, idOfRef, type LinkKey, namesOfTask, wayAlong } from '../references.ts';
import type { Changed } from '../shapes/change.ts';
import { type Actor, isAgent, type RoomHandle, type TaskRoom } from '../task-room.ts';
import { assertMayDivide, changeTask, type FileChange } from './change.ts';
import { items, keyOf, parseValue } from './key-values.ts';

type Texts = Readonly<Record<string, string>>;

/** An empty value removes a key; `labels+`, `labels-`, `blocked_by+` and `blocked_by-` add and remove one. @throws RoomError `bad_input`, `not_allowed` */
export async function planKeys(
  deps: RoomHandle,
  target: Target,
  changes: Texts,
  actor: Actor,
  force = false,
): Promise<FileChange> {
  if (!force) for (const [typed, text] of Object.entries(changes)) refuseOdd(typed, text);
  const { values, items: single } = await parseAll(deps, target, changes, actor);
  return {
    edit(task, text) {
      let next = applyValues(task, text, values);
      // Whatever other items there are when the file is written.
      for (const key of ['labels', 'blocked_by'] as const) {
        const before = key === 'labels' ? task.labels : task.blockedBy;
        const list = single.filter((item) => item.key === key).reduce(withItem, before);
        if (list !== before) next = withList(next, key, list, task.path);
      }
      return next;
    },
  };
}

interface ListItem {
  key: 'labels' | 'blocked_by';
  value: string;
  isAdded: boolean;
  isSame(other: string): boolean;
}

function withItem(list: readonly string[], { value, isAdded, isSame }: ListItem): readonly string[] {
  if (isAdded) return list.some(isSame) ? list : [...list, value];
  return list.some(isSame) ? list.filter((other) => !isSame(other)) : list;
}

const ONE_BY_ONE = /^\s*(labels|blocked[_-]by)\s*([+-])\s*$/i;

/** The text with that list under a key, without the key where the list is empty. */
export const withList = (text: string, key: string, list: readonly unknown[], path: string): string =>
  list.length === 0 ? removeKey(text, key, path) : setKey(text, key, list as Value, path);

/** An unknown key may be set; one that looks mistyped is asked about first. To remove one is always right. */
function refuseOdd(typed: string, text: string): void {
  if (ONE_BY_ONE.test(typed)) return;
  const near = nearKey(keyOf(typed), KNOWN_KEYS);
  if (near === null || text.trim() === '') return;
  const hint = `did you mean ${near}? --force sets it as it is`;
  throw new RoomError('bad_input', `unknown key ${JSON.stringify(typed.trim())}`, hint);
}

async function parseAll(deps: RoomHandle, target: Target, changes: Texts, actor: Actor) {
  const values = new Map<string, Value | null>();
  const single: ListItem[] = [];
  for (const [typed, text] of Object.entries(changes)) {
    const [, list, sign] = ONE_BY_ONE.exec(typed) ?? [];
    if (list !== undefined) {
      const key = keyOf(list) as ListItem['key'];
      single.push(...(await listItems(deps, target, key, sign === '+', text, actor)));
      continue;
    }
    const key = keyOf(typed);
    if (isAgent(actor) && isKnownKey(key) && factsOf(key).notForAgents === true) {
      throw new RoomError('not_allowed', `an agent can't set ${key}`, 'ask the person to');
    }
    values.set(key, parseValue(key, text, await checksFor(deps, target, key, text, actor)));
  }
  if (values.size + single.length === 0)
    throw new RoomError('bad_input', 'nothing to set', 'give one or more key=value');
  const twice = single.find(({ key }) => values.has(key))?.key;
  if (twice !== undefined) {
    const message = `${twice} ${twice === 'labels' ? 'are' : 'is'} set whole and one by one`;
    throw new RoomError('bad_input', message, `give ${twice}=a,b or ${twice}+=a ${twice}-=b`);
  }
  return { values, items: single };
}

async function listItems(
  deps: RoomHandle,
  target: Target,
  key: ListItem['key'],
  isAdded: boolean,
  text: string,
  actor: Actor,
): Promise<ListItem[]> {
  // A link written by hand and not seen yet may close a circle.
  if (key === 'blocked_by') await refresh(deps);
  const found: ListItem[] = [];
  for (const word of items(key, text)) {
    const isLink = key === 'blocked_by';
    const value = isLink && isAdded ? await referenceTo(deps, word, key, target, actor) : word;
    const names = isLink ? namesOf(deps, value) : new Set([value]);
    found.push({ key, value, isAdded, isSame: (other) => names.has(isLink ? idOfRef(other) : other) });
  }
  return found;
}

function applyValues(task: Task, text: string, values: ReadonlyMap<string, Value | null>) {
  // A file that has that list already, written in another form, stays as it is.
  const lists = new Map([
    ['labels', task.labels],
    ['blocked_by', task.blockedBy.map(idOfRef)],
  ]);
  let next = text;
  for (const [key, value] of values) {
    if (key === 'created_by' && task.createdBy !== null && value !== task.createdBy)
      throw new RoomError('refused', `${task.name} was created by ${task.createdBy}: that is set once`);
    const isThere = Array.isArray(value) && JSON.stringify(lists.get(key)) === JSON.stringify(value);
    if (value === null) next = removeKey(next, key, task.path);
    else if (!isThere || value.length === 0) next = setKey(next, key, value, task.path);
  }
  return next;
}

/** References are looked up before, since looking may read the disk and parsing may not. */
async function checksFor(deps: RoomHandle, target: Target, key: string, text: string, actor: Actor) {
  const refs = new Map<string, string>();
  if (key === 'blocked_by' || key === 'parent') {
    // A link written by hand and not seen yet may close a circle.
    await refresh(deps);
    const words = key === 'parent' ? [text] : text.replace(/^\s*\[|\]\s*$/g, '').split(',');
    for (const word of words.map((each) => each.trim()))
      if (word !== '') refs.set(word, await referenceTo(deps, word, key, target, actor));
  }
  const task = (ref: string) => refs.get(ref) ?? refs.get(ref.trim()) ?? ref;
  return { agent: (id: string) => checkAgent(deps, id), task, nowMs: deps.effects.now() };
}

/** S5: an owner is an agent of the room. @throws RoomError `bad_input` with the agents there are */
export function checkAgent(deps: TaskRoom, id: string): string {
  const agents = [...deps.agents().keys()].sort();
  if (agents.includes(id)) return id;
  const near = suggest(id, agents);
  const list = agents.length === 0 ? 'this room has none' : `the agents of this room: ${agents.join(', ')}`;
  const hint =
    near === null ? `add agents/${/^[\w-]+$/.test(id) ? id : '<id>'}/agent.json` : `did you mean ${near}?`;
  throw new RoomError('bad_input', `there is no agent ${JSON.stringify(id)}; ${list}`, hint);
}

/** How a task is written in `blocked_by` or `parent` of another (`of`; null for a new one): by its id, or its name while it has none.
 * @throws RoomError `bad_input` when there is no such task or the link would close a circle */
export async function referenceTo(
  deps: RoomHandle,
  word: string,
  key: LinkKey,
  of: Target | null,
  actor: Actor,
): Promise<string> {
  const { ledger } = deps;
  const found = await findTask(deps, word, key, actor);
  if (of === null) return found;
  const idsOf = (refs: readonly (string | null)[]) =>
    refs.flatMap((ref) => (ref === null ? [] : (findByRef(ledger, ref)?.id ?? [])));
  const linksOf = (id: TaskId) =>
    idsOf(key === 'parent' ? [ledger.tasks.get(id)?.parent ?? null] : ledger.blockers.of(id));
  const self = of.id ?? of.task.id;
  const isSelf = self === null && found === of.task.name;
  const circle = self === null ? (isSelf ? [found] : null) : wayAlong(idsOf([found]), self, linksOf);
  if (circle === null) return found;
  const way = [of.task.name, ...circle.map((ref) => ledger.tasks.get(ref)?.name ?? ref)].join(' → ');
  const hint = 'take one of these links away first';
  throw new RoomError('bad_input', `${key} would go round in a circle: ${way}`, hint);
}

async function findTask(deps: RoomHandle, word: string, key: string, actor: Actor): Promise<string> {
  const absent = findByRef(deps.ledger, word);
  if (absent !== null && absent.path === null && (absent.archived !== null || absent.status === 'done'))
    return absent.id;
  try {
    const { id, task } = await locateTask(deps, word);
    if (key === 'parent') assertMayDivide(deps, actor, { id, task });
    return id ?? task.name;
  } catch (error) {
    if (!isRoomError(error) || !['not_found', 'ambiguous'].includes(error.code)) throw error;
    throw reworded(error, `${key}: ${error.message}`, 'bad_input');
  }
}

/** Makes a task wait for another. @throws RoomError `bad_input` without such a task, or for a circle; and as `changeTask` */
export function blockTask(deps: RoomHandle, ref: string, by: string, actor: Actor): Promise<Changed> {
  return changeTask(deps, ref, actor, async (target) => {
    // A link written by hand and not seen yet may close a circle.
    await refresh(deps);
    const blocker = await referenceTo(deps, by, 'blocked_by', target, actor);
    const names = namesOf(deps, blocker);
    const edit = (task: Task, text: string): string => {
      if (task.blockedBy.some((each) => names.has(idOfRef(each)))) return text;
      return setKey(text, 'blocked_by', [...task.blockedBy, blocker], task.path);
    };
    return { edit };
  });
}

/** Removes a task from what another waits for, by any word for it. Throws as `changeTask`. */
export function unblockTask(deps: RoomHandle, ref: string, by: string, actor: Actor): Promise<Changed> {
  return changeTask(deps, ref, actor, () => ({
    edit(task, text) {
      const names = namesOf(deps, by);
      const rest = task.blockedBy.filter((each) => !names.has(idOfRef(each)));
      return rest.length === task.blockedBy.length ? text : withList(text, 'blocked_by', rest, task.path);
    },
  }));
}

/** The words that a file may have for the task which `word` means, also one that is gone or never was. */
function namesOf(deps: RoomHandle, word: string): ReadonlySet<string> {
  const known = findByRef(deps.ledger, word);
  return new Set([idOfRef(word), ...(known === null ? [] : namesOfTask(deps.ledger, known.id, known.name))]);
}
