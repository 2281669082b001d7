// Entries that people and agents add to a task: comments, progress, outcome, questions and answers. That a task waits, and that an answer
// wakes it, follows from what its file says.
import { parseDocument } from '../../core/document/document.ts';
import { RoomError } from '../../core/errors.ts';
import { newTag } from '../../core/ids.ts';
import { defined } from '../../core/plain-data.ts';
import { editBody, replaceTaskText } from '../../core/task/body/body-edit.ts';
import { asNote, formatComment, formatOutcome, formatProgress } from '../../core/task/body/entries.ts';
import { normaliseForeign, safeAgentText } from '../../core/task/body/foreign-text.ts';
import {
  answerMark,
  formatAnswer,
  formatQuestion,
  isOpen,
  type Question,
  questionMark,
  readQuestions,
} from '../../core/task/body/questions.ts';
import { isSettled, type SettledAnswers } from '../../core/task/overflow.ts';
import { hashText } from '../../core/task/read-task.ts';
import { isFinished } from '../../core/task/status.ts';
import type { Task } from '../../core/task/task.ts';
import { findHarm, harmOfWords } from '../../core/task/write-check.ts';
import type { Append } from '../../store/write/writer.ts';
import type { Target } from '../lookup/locate.ts';
import { invalidFile } from '../observe/read-file-row.ts';
import { untroubled } from '../observe/refresh.ts';
import type { EntryInput } from '../shapes/change.ts';
import { type Actor, isAgent, ownKey, type RoomHandle, requestOf, signatureOf } from '../task-room.ts';
import { hearingTurn, wakeForComment } from './ask-for-turns.ts';
import { changeTask } from './change.ts';
import { withUnreached } from './gates.ts';

/** Longest text of one entry in characters: longer ones belong into a file of their own. */
const MAX_ENTRY = 64 * 1024;
const INTO_A_FILE = 'write it to a file under artifacts/ and name that file';

/** @throws RoomError `bad_input` for a text that is empty or has more than `most` characters */
export function checkText(text: string, most = MAX_ENTRY, hint = INTO_A_FILE): void {
  const saySomething = 'say something, or give - to read it from standard input';
  if (text.trim() === '') throw new RoomError('bad_input', 'the text is empty', saySomething);
  if (text.length > most)
    throw new RoomError('bad_input', `the text has ${text.length} characters, ${most} at most`, hint);
}

type EntryKind = 'comment' | 'progress' | 'note' | 'outcome' | 'output';

/** The same `key` again adds nothing. A comment that is not an agent's asks for a turn; one of the
 * person goes to the turn that runs where that takes words.
 * @param told a comment that a running turn may hear; refused on a finished task. @throws RoomError `bad_input`, and as `changeTask` */
export async function addEntry(
  deps: RoomHandle,
  kind: EntryKind,
  input: EntryInput,
  actor: Actor,
  told = false,
) {
  const { ref, text } = input;
  const key = ownKey(actor, input.key);
  const entry = { ...entryOf(deps, kind, text, actor), ...defined({ key }) };
  const isComment = kind === 'comment';
  const change = { append: [entry], entersFinished: isComment };
  const plan = ({ id, task: { name, status } }: Target) => {
    if (!told || !isFinished(status)) return change;
    const hint = `reopen it first: taskroom reopen ${id ?? JSON.stringify(name)}`;
    throw new RoomError('refused', `${name} is ${status}: nobody is there to hear it`, hint);
  };
  const result = await changeTask(deps, ref, actor, plan, isComment ? 'comment' : 'write');
  const isAsked = actor.kind === 'person' || actor.kind === 'assistant';
  const isHeard = told || (actor.kind === 'person' && hearingTurn(deps, result.id) !== null);
  if (isComment && isAsked && result.changed)
    await untroubled(deps, () => wakeForComment(deps, result.id, isHeard ? text : null));
  // What the runtime itself notes goes nowhere.
  if (kind === 'note' || kind === 'output') return result;
  return withUnreached(deps, result, isComment ? 'comment' : 'write');
}

/** A comment that begins with the place it is about. @param at `path:line` @throws RoomError `bad_input` */
export function placed(text: string, at: string): string {
  checkText(text);
  const hint = 'expected path:line, such as src/build.js:12';
  if (!/^[^\n].*:[1-9]\d{0,8}$/s.test(at))
    throw new RoomError('bad_input', `at: ${JSON.stringify(at.slice(0, 80))} names no line of a file`, hint);
  // In a code span, which ends at a backtick; a name may hold anything.
  const shown = /[`\p{Cc}]/u.test(at) ? JSON.stringify(at).replaceAll('`', '\\u0060') : at;
  return `\`${shown}\`\n\n${text}`;
}

/** What is to be appended. @throws RoomError `bad_input` */
export function entryOf(deps: RoomHandle, kind: EntryKind, text: string, actor: Actor): Append {
  checkText(text);
  return { ...makeEntry(deps, kind, text, actor), ...keyFor(actor, kind) };
}

/** The key of an entry that an actor's request adds beside its change of the file. */
function keyFor(actor: Actor, what: string): { key?: string } {
  const { key } = requestOf(actor);
  return key === undefined ? {} : { key: `${key}:${what}` };
}

export function makeEntry(deps: RoomHandle, kind: EntryKind, text: string, actor: Actor): Append {
  const { effects } = deps;
  const atMs = effects.now();
  const author = signatureOf(actor);
  switch (kind) {
    case 'progress':
      return { section: 'Progress', block: formatProgress({ atMs, text }) };
    case 'note':
      return { section: 'Progress', block: asNote(formatProgress({ atMs, text })) };
    case 'outcome':
      return { section: 'Outcome', block: formatOutcome({ atMs, author, text }) };
    case 'output':
      return { section: 'Outcome', block: asNote(formatOutcome({ atMs, author, text })) };
    case 'comment': {
      const id = newTag(effects.randomBytes);
      // Before it is written: what a person types by hand is no comment to be sent upstream.
      deps.ledger.postedComments.add(id, atMs);
      const role = isAgent(actor) ? 'agent' : null;
      return { section: 'Comments', block: formatComment({ author, role, atMs, id, text }) };
    }
  }
}

/** What stands below the front matter. @throws RoomError `invalid_file` */
export function bodyOf(path: string, text: string): string {
  const parsed = parseDocument(text, path);
  if (!parsed.ok) throw invalidFile(path, parsed.problems);
  return text.slice(parsed.doc.bodyStart);
}

/** Replaces the text under Task. @throws RoomError `bad_input` for an empty text, or, when applied, one with a heading of the task */
export function textEdit(deps: RoomHandle, text: string, actor: Actor) {
  checkText(text);
  const words = actor.kind === 'person' ? normaliseForeign(text).trim() : safeAgentText(text);
  const tag = newTag(deps.effects.randomBytes);
  return (task: Task, before: string): string => {
    const after = editBody(before, task.path, (body, offset) => replaceTaskText(body, words, tag, offset));
    const harm = findHarm(task.path, before, after, harmOfWords);
    if (harm === null) return after;
    const hint = 'leave out headings such as ## Progress, which are sections of the task; or: taskroom edit';
    throw new RoomError('bad_input', `text: with it ${harm}`, hint);
  };
}

const MAX_QUESTION = 8_000;
const MOST_OPEN = 10; // An agent that asks this much at once does not ask one clear question.
const MOST_CHARACTERS = 256 * 1024; // Well below what makes a file too large to be read.

export async function ask(deps: RoomHandle, ref: string, text: string, actor: Actor, key?: string) {
  checkText(text, MAX_QUESTION, 'ask one clear question, and put what it needs into progress or a comment');
  const { effects, ledger } = deps;
  const atMs = effects.now();
  const once = key === undefined ? keyFor(actor, 'ask') : { key };
  // QuestionChanged again with the same key it is the same question, also after a crash.
  const fresh = once.key === undefined ? newTag(effects.randomBytes) : hashText(once.key).slice(0, 10);
  let asked = fresh;
  const plan = (target: Target) => {
    const questions = questionsOf(target);
    const same = questions.find((question) => isOpen(question) && question.text.trim() === text.trim());
    if (same !== undefined) {
      asked = same.key;
      return {};
    }
    const settled = target.id === null ? new Map<string, string>() : ledger.questions.settled(target.id);
    if (!questions.some((question) => question.key === fresh)) assertMayAsk(target, questions, settled);
    // Before it is written: what a person types by hand is no question to be sent upstream.
    ledger.postedComments.add(questionMark(fresh), atMs);
    const role = isAgent(actor) ? 'agent' : null;
    const block = formatQuestion({ author: signatureOf(actor), role, atMs, key: fresh, text: text.trim() });
    return { append: [{ section: 'Questions' as const, block, ...once }], settled };
  };
  const changed = await changeTask(deps, ref, actor, plan);
  return { ...changed, question: asked };
}

/** @throws RoomError `refused` */
function assertMayAsk({ task }: Target, questions: readonly Question[], settled: SettledAnswers): void {
  const hint = 'leave a comment';
  if (isFinished(task.status))
    throw new RoomError('refused', `${task.name} is ${task.status}: it waits for no answer`, hint);
  if (questions.filter(isOpen).length >= MOST_OPEN)
    throw new RoomError('refused', `${task.name} has ${MOST_OPEN} open questions already`, {
      hint: 'end the turn: it goes on when they are answered',
    });
  // The others move out of the file before it grows too large.
  const standing = questions.filter((question) => !isSettled(question, settled));
  const texts = standing.flatMap(({ raw, answers }) => [raw, ...answers.map(({ text }) => text)]);
  const size = texts.join('').length;
  if (size > MOST_CHARACTERS)
    throw new RoomError('refused', `the Questions of ${task.name} have ${size} characters`, {
      hint: 'a person can take old ones out of the file',
    });
}

const questionsOf = ({ path, text }: Target): Question[] => readQuestions(bodyOf(path, text));

export async function answer(deps: RoomHandle, ref: string, text: string, actor: Actor, question?: string) {
  if (actor.kind !== 'person') throw new RoomError('not_allowed', 'only the person answers a question');
  checkText(text);
  const { effects, ledger } = deps;
  const atMs = effects.now();
  let answered = '';
  const changed = await changeTask(deps, ref, actor, (target) => {
    const { key } = chooseQuestion(target, question);
    answered = key;
    const id = newTag(effects.randomBytes);
    // Before it is written: it tells the person's word from what an agent writes into its file.
    ledger.postedComments.add(answerMark(id), atMs);
    const block = formatAnswer({ author: signatureOf(actor), role: null, atMs, key, id, text: text.trim() });
    return { append: [{ section: 'Questions', block }] };
  });
  return { ...changed, question: answered };
}

/** @throws RoomError `not_found`, `ambiguous` */
function chooseQuestion(target: Target, word: string | undefined): Question {
  const questions = questionsOf(target);
  const { name } = target.task;
  if (word !== undefined) {
    const exact = questions.filter(({ key }) => key === word);
    const fitting = exact.length > 0 ? exact : questions.filter(({ key }) => key.startsWith(word));
    if (word !== '' && fitting.length === 1) return fitting[0]!;
    throw new RoomError(fitting.length > 1 ? 'ambiguous' : 'not_found', `${name} has no question "${word}"`, {
      hint: questions.length === 0 ? 'it asks nothing' : `it has: ${listed(questions)}`,
    });
  }
  const open = questions.filter(isOpen);
  if (open.length > 1)
    throw new RoomError('ambiguous', `${name} has ${open.length} open questions`, {
      hint: `name one with --question: ${listed(open)}`,
    });
  const chosen = open[0] ?? questions.at(-1);
  if (chosen === undefined)
    throw new RoomError('not_found', `${name} asks nothing`, 'to tell its agent something: taskroom comment');
  return chosen;
}

const SHOWN = 80;

const listed = (questions: readonly Question[]): string =>
  questions
    .map(({ key, text }) => `${key} (${text.split('\n')[0]!.slice(0, SHOWN).toWellFormed()})`)
    .join(', ');
